// The last step of every matrix reader: sort, sum, check symmetry, with errors that name the file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include "kauri/matrix.hpp"
#include "src/io/file.hpp"

namespace kauri::io {

/// Dimensions up to here are taken on a file's word: the arrays they cost are small.
inline constexpr Offset kFreeRows = Offset{1} << 20;
/// Dense right-hand sides given as sparse ones: a place in so many must be filled.
inline constexpr Offset kSparsest = 1000;

/// True if n is large and the entries, each of which meets at most two rows, leave most rows empty. Such a matrix is singular, and memory
/// would be taken by the word of a few bytes.
inline bool too_many_empty_rows(Offset n, Offset entries) { return n > kFreeRows && n / 4 > entries; }

/// make() with the file's name in front of its errors, and a check of sums.
template <class Make>
SymmetricMatrix<double> assemble(std::string_view name, Make&& make) {
  try {
    SymmetricMatrix<double> a = make();
    for (const double v : a.value())
      if (!std::isfinite(v)) fail(name, "a sum of repeated entries is too large for double precision");
    return a;
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::input || std::string_view(e.what()).starts_with(name)) throw;
    fail(name, std::string(e.what()) + " (rows and columns counted from 0)");
  }
}

}  // namespace kauri::io
