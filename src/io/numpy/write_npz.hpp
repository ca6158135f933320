// Writes SciPy's .npz as scipy.sparse.save_npz does.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "kauri/core/matrix.hpp"

namespace kauri::io {

/// Writes both halves of A as compressed columns, in deflated members. Holds both halves in memory
/// meanwhile. Throws as FileWriter does.
void write_npz(const std::string& path, const SymmetricView<double>& a);

}  // namespace kauri::io
