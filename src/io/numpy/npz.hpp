// Sparse matrices as scipy.sparse.save_npz writes them, parsed from memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "kauri/matrix.hpp"
#include "src/io/file/allowance.hpp"
#include "src/io/matrix/assemble.hpp"

namespace kauri::io {

/// A symmetric matrix in any format of SciPy's: CSC, CSR, COO, BSR or DIA. Whether the lower half, the upper half or both are stored is
/// told from the entries; with both, they must agree. Repeated entries are summed; zeros off the diagonal of BSR and DIA, which fill blocks
/// and diagonals, are not stored. `name` is used in errors: Error(input) with the array and the place in it.
SymmetricMatrix<double> parse_npz(std::string_view bytes, const std::string& name, const BothHalves& both = {}, Allowance allowance = {});

}  // namespace kauri::io
