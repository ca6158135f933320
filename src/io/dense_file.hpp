// Dense .npy arrays, parsed from memory and written.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "kauri/io.hpp"
#include "src/io/allowance.hpp"

namespace kauri::io {

/// One column from one dimension, a matrix from two. `rows`: how many it must have, or kNone. Throws Error(input) naming what was expected.
DenseMatrix parse_npy_dense(std::string_view bytes, const std::string& name, Index rows = kNone, Allowance allowance = {});

/// Columns without rows take no byte of a file, but time and memory of whoever works on them: more than kMostEmptyColumns are an
/// Error(input).
void expect_some_columns(std::string_view name, Index rows, Index cols);
inline constexpr Index kMostEmptyColumns = 1 << 20;

/// The header of a float64 array of this shape in Fortran order, version 1.0, padded to 64 bytes as NumPy asks.
std::string npy_header(Index rows, Index cols);

}  // namespace kauri::io
