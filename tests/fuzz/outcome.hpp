// Checks the outcome of a reader on hostile bytes: it must return a sound result or throw an Error
// with a clean text.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "kauri/core/error.hpp"
#include "kauri/extras/io.hpp"
#include "src/io/file/allowance.hpp"

namespace kauri::fuzz {

inline void require(bool condition) {
  if (!condition) std::abort();
}

/// Requires that an Error's text names the file "f" and contains no control characters, also in
/// quotations of the file.
inline void require_words(const Error& e) {
  const std::string_view text = e.what();
  require(text.starts_with("f: "));
  for (const char c : text) require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
}

/// Runs `read`; its Error must be of kind input. Any other exception ends the program.
template <class Read>
void result_or_error(Read&& read) {
  try {
    read();
  } catch (const Error& e) {
    require(e.kind() == ErrorKind::input);
    require_words(e);
  }
}

inline void require_sound(const SymmetricMatrix<double>& a) {
  check(a.pattern());
  for (const double v : a.value()) require(std::isfinite(v));
}

inline void require_sound(const DenseMatrix& x) {
  require(x.rows >= 0 && x.cols >= 0 &&
          x.value.size() == static_cast<std::size_t>(x.rows) * static_cast<std::size_t>(x.cols));
  for (const double v : x.value) require(std::isfinite(v));
}

inline void require_sound(const std::vector<Index>&) {}

template <class T>
bool same_numbers(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}
inline bool same(const SymmetricMatrix<double>& a, const SymmetricMatrix<double>& b) {
  const Pattern p = a.pattern(), q = b.pattern();
  return p.n == q.n && same_numbers<Offset>(p.col_ptr, q.col_ptr) &&
         same_numbers<Index>(p.row, q.row) && same_numbers<double>(a.value(), b.value());
}
inline bool same(const DenseMatrix& x, const DenseMatrix& y) {
  return x.rows == y.rows && x.cols == y.cols && same_numbers<double>(x.value, y.value);
}
inline bool same(const std::vector<Index>& a, const std::vector<Index>& b) { return a == b; }

/// Runs read(allowance) with much memory, as result_or_error(); then with twice the input's size,
/// which must give the same result or Error, or an Error of kind memory.
template <class Read>
void result_or_error_within(std::size_t size, Read&& read) {
  std::optional<decltype(read(io::Allowance()))> whole;
  bool enough = true;
  try {
    whole.emplace(read(io::Allowance(std::size_t{1} << 28)));
    require_sound(*whole);
  } catch (const Error& e) {
    enough = e.kind() != ErrorKind::memory;
    require(e.kind() == ErrorKind::input || !enough);
    require_words(e);
  }
  try {
    const auto bounded = read(io::Allowance(2 * size + 1));
    require(whole && same(*whole, bounded));
  } catch (const Error& e) {
    require(e.kind() == ErrorKind::memory || (e.kind() == ErrorKind::input && enough && !whole));
    require_words(e);
  }
}

}  // namespace kauri::fuzz
