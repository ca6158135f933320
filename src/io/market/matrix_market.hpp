// Parses Matrix Market files from memory (Boisvert, Pozo & Remington, NISTIR 5935, 1996).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "kauri/core/matrix.hpp"
#include "kauri/extras/io.hpp"
#include "src/io/file/allowance.hpp"
#include "src/io/matrix/assemble.hpp"

namespace kauri::io {

/// Returns a symmetric matrix, from coordinate layout or from a dense array (off-diagonal zeros are
/// dropped). A file declared "symmetric" holds one half, the lower one by the standard, or the
/// upper one; entries in both are an error. Comments and blank lines may stand anywhere after line
/// 1. Throws Error(input) with `name` and the line; for a general file whose halves differ, the
/// first line that does. The threads of the calling arena parse it. Memory is reserved only after
/// the header's claims are compared with the bytes given.
SymmetricMatrix<double> parse_market_matrix(std::string_view text, std::string_view name,
                                            const BothHalves& both = {}, Allowance allowance = {});

/// Returns a dense matrix from array layout, or from coordinate layout (absent entries are zero,
/// repeated ones are summed); general, symmetric or skew-symmetric. `rows`: required number of
/// rows, or kNone.
DenseMatrix parse_market_dense(std::string_view text, std::string_view name, Index rows = kNone,
                               Allowance allowance = {});

}  // namespace kauri::io
