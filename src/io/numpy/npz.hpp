// Parses sparse matrices in the format of scipy.sparse.save_npz from memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "kauri/core/matrix.hpp"
#include "src/io/file/allowance.hpp"
#include "src/io/matrix/assemble.hpp"

namespace kauri::io {

/// Returns a symmetric matrix, from any of SciPy's formats CSC, CSR, COO, BSR and DIA. Takes the
/// lower or upper half if the other one is empty or zero; if both hold numbers, they must agree,
/// unless both.storage names the half to take; `both` also sets the tolerance. Repeated entries are
/// summed; off-diagonal zeros of BSR and DIA, which fill blocks and diagonals, are dropped. Throws
/// Error(input) naming `name`, the array and the place in it.
SymmetricMatrix<double> parse_npz(std::string_view bytes, const std::string& name,
                                  const BothHalves& both = {}, Allowance allowance = {});

}  // namespace kauri::io
