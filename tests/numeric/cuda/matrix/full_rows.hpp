// Systems for tests of products with a sparse A on a device: rows by their lengths, and the product
// in long double.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "kauri/kauri.hpp"
#include "numeric/cuda/matrix/spmv/spmv.hpp"

namespace kauri::test {

/// Returns the rows of a square matrix, symmetric or not; entry k has the value of place k.
inline numeric::cuda::FullRows rows_of(const std::vector<std::vector<Index>>& cols) {
  numeric::cuda::FullRows rows{{0}, {}, {}};
  for (const std::vector<Index>& row : cols) {
    for (const Index j : row) {
      rows.source.push_back(static_cast<std::uint32_t>(rows.col.size()));
      rows.col.push_back(j);
    }
    rows.ptr.push_back(static_cast<Offset>(rows.col.size()));
  }
  return rows;
}

/// Returns n rows. Row i has length(i) columns at random, ascending or not, also twice.
template <class Length>
numeric::cuda::FullRows rows_with(Index n, const Length& length) {
  std::mt19937_64 random(static_cast<std::uint64_t>(n));
  std::vector<std::vector<Index>> cols(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i)
    for (Offset k = length(i); k > 0; --k)
      cols[static_cast<std::size_t>(i)].push_back(
          static_cast<Index>(random() % static_cast<std::uint64_t>(n)));
  return rows_of(cols);
}

/// Rows of A, and what is special about them.
struct NamedRows {
  std::string name;
  numeric::cuda::FullRows rows;
};

/// Rows of all lengths: none, one, equal, mixed and very long ones, and those of some systems.
inline std::vector<NamedRows> named_rows() {
  std::vector<NamedRows> all{
      {"none", rows_of({})},
      {"one", rows_of({{0}})},
      {"one without entries", rows_of({{}})},
      {"diagonal", rows_with(700, [](Index) { return 1; })},
      {"dense", rows_with(90, [](Index) { return 90; })},
      {"no entries", rows_with(3000, [](Index) { return 0; })},
      {"empty rows",
       rows_with(2100, [](Index i) { return i % 3 == 0 && i / 600 % 2 == 0 ? 5 : 0; })},
      {"entries in the last row", rows_with(1900, [](Index i) { return i == 1899 ? 4001 : 0; })},
      {"one very long row", rows_with(1500, [](Index i) { return i == 777 ? 5001 : 3; })},
      {"two long rows",
       rows_with(600, [](Index i) { return i == 100 || i == 101 ? 2790 : i % 2; })},
      {"power law", rows_with(1200, [](Index i) { return 4000 / (1 + i); })},
      {"full tiles", rows_with(2 * numeric::cuda::kMergeTile / 8, [](Index) { return 7; })},
      {"chunks to the entry", rows_with(512, [](Index) { return 8; })},
      {"a long row after full chunks", rows_with(257, [](Index i) { return i < 256 ? 8 : 2048; })}};
  for (const char* spec : {"poisson2d 23", "elast3d 4", "arrow 900 2", "tree 800 1"})
    all.push_back({spec, numeric::cuda::full_rows(generate(spec).pattern())});
  return all;
}

/// Y = A X in long double, and |A||X|. X has leading dimension ld.
template <class T>
struct ProductOracle {
  std::vector<long double> y, magnitude;  // n x cols
  ProductOracle(const numeric::cuda::FullRows& rows, const std::vector<T>& value,
                const std::vector<T>& x, Offset ld, Index cols) {
    for (Index c = 0; c < cols; ++c)
      for (Index i = 0; i < rows.n(); ++i) {
        long double sum = 0, size = 0;
        for (Offset k = rows.ptr[i]; k < rows.ptr[i + 1]; ++k) {
          const long double p =
              static_cast<long double>(value[rows.source[k]]) * x[c * ld + rows.col[k]];
          sum += p, size += std::abs(p);
        }
        y.push_back(sum), magnitude.push_back(size);
      }
  }
};

}  // namespace kauri::test
