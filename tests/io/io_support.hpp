// Helpers of the tests of the readers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <vector>

#include "kauri/core/error.hpp"
#include "kauri/core/matrix.hpp"

namespace kauri::test {

/// End of the errors for halves that differ.
inline const std::string kHalvesWords =
    ": the matrix is not symmetric, expected halves that differ by at most 2.22e-13 sqrt(|a_ii "
    "a_jj|)";

/// Returns what the error's text says in addition if one half holds all nonzero numbers.
inline std::string one_half(const std::string& half) {
  return "; all entries off the diagonal that are not 0 are in the " + half +
         " half, which --half " + half + " (ReadOptions::both_halves) takes";
}

/// Returns the whole matrix, row by row.
inline std::vector<double> dense(const SymmetricMatrix<double>& a) {
  const auto n = static_cast<std::size_t>(a.n());
  std::vector<double> full(n * n, 0);
  for (Index j = 0; j < a.n(); ++j)
    for (Offset k = a.pattern().col_ptr[j]; k < a.pattern().col_ptr[j + 1]; ++k) {
      const Index i = a.pattern().row[k];
      full[i * n + j] = full[j * n + i] = a.value()[k];
    }
  return full;
}

/// Runs `read` and compares the text of its Error(input) with `expected`.
template <class Read>
void expect_input_error(Read&& read, const std::string& expected) {
  try {
    read();
    FAIL() << "no error; expected: " << expected;
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::input) << e.what();
    EXPECT_EQ(std::string(e.what()), expected);
  }
}

inline std::string gzip(const std::string& plain) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, plain.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

inline std::string test_file(const std::string& name) {
  return std::string(KAURI_TEST_FILES) + "/" + name;
}

}  // namespace kauri::test
