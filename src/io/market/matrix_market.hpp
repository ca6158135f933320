// Matrix Market files, parsed from memory (Boisvert, Pozo & Remington, NISTIR 5935, 1996).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "kauri/io.hpp"
#include "kauri/matrix.hpp"
#include "src/io/file/allowance.hpp"
#include "src/io/matrix/assemble.hpp"

namespace kauri::io {

/// A symmetric matrix in coordinate layout, or a dense array of one (zeros off the diagonal are not stored). A file that says "symmetric"
/// holds one half, the lower one as the standard has it or the upper one: entries in both are an error. Comments and blank lines may stand
/// anywhere behind line 1. `name` is used in errors: Error(input) with the line; of a general file whose halves differ, the first line that
/// does. Parsed by the threads of the calling arena. Memory is reserved after the claims of the header are compared with the bytes there
/// are.
SymmetricMatrix<double> parse_market_matrix(std::string_view text, std::string_view name, const BothHalves& both = {},
                                            Allowance allowance = {});

/// A dense matrix: array layout, or coordinate layout (absent entries are zero, repeated ones are summed); general only. `rows`: how many
/// it must have, or kNone.
DenseMatrix parse_market_dense(std::string_view text, std::string_view name, Index rows = kNone, Allowance allowance = {});

}  // namespace kauri::io
