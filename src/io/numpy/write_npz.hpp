// SciPy's .npz, written as scipy.sparse.save_npz does.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "kauri/matrix.hpp"

namespace kauri::io {

/// Both halves of A as compressed columns, in deflated members. Holds them once more while it writes. Throws as FileWriter does.
void write_npz(const std::string& path, const SymmetricView<double>& a);

}  // namespace kauri::io
