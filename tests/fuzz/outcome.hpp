// What a reader may do with hostile bytes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdlib>
#include <string_view>

#include "kauri/error.hpp"
#include "kauri/io.hpp"

namespace kauri::fuzz {

inline void require(bool condition) {
  if (!condition) std::abort();
}

/// Runs `read`; its Error must be of kind input and name the file "f". Any other exception ends the program.
template <class Read>
void result_or_error(Read&& read) {
  try {
    read();
  } catch (const Error& e) {
    require(e.kind() == ErrorKind::input && std::string_view(e.what()).starts_with("f: "));
  }
}

inline void require_sound(const SymmetricMatrix<double>& a) {
  check(a.pattern());
  for (const double v : a.value()) require(std::isfinite(v));
}

inline void require_sound(const DenseMatrix& x) {
  require(x.rows >= 0 && x.cols >= 0 && x.value.size() == static_cast<std::size_t>(x.rows) * static_cast<std::size_t>(x.cols));
  for (const double v : x.value) require(std::isfinite(v));
}

}  // namespace kauri::fuzz
