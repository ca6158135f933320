// Parses dense .npy arrays from memory, and makes their headers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "kauri/extras/io.hpp"
#include "src/io/file/allowance.hpp"

namespace kauri::io {

/// Returns a matrix with one column from an array of one dimension, and the matrix of an array of
/// two. `rows`: required number of rows, or kNone. Throws Error(input) naming what was expected,
/// Error(memory) if the allowance does not suffice.
DenseMatrix parse_npy_dense(std::string_view bytes, const std::string& name, Index rows = kNone,
                            Allowance allowance = {});

/// Returns the header of a float64 array of this shape in Fortran order, version 1.0, padded to 64
/// bytes as NumPy requires.
std::string npy_header(Index rows, Index cols);

}  // namespace kauri::io
