// Systems whose Cholesky factor is known exactly: sparse integer L with powers of two on the
// diagonal, A = P^T (L L^T) P.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kauri/core/matrix.hpp"
#include "kauri/core/permutation.hpp"

namespace kauri::test {

/// Lower triangle by rows: l[i] holds (column, value), ascending, the diagonal last.
using IntegerRows = std::vector<std::vector<std::pair<Index, std::int64_t>>>;

struct ExactSystem {
  IntegerRows l;
  Permutation perm;  // B = P A P^T = L L^T
  SymmetricMatrix<double> a;
};

/// Returns a random L of order n with about `per_row` entries below the diagonal in a row; `band` >
/// 0 keeps them within that distance of it.
inline IntegerRows random_factor(Index n, int per_row, Index band, std::mt19937_64& random) {
  IntegerRows l(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    std::map<Index, std::int64_t> row;
    const Index least = band > 0 ? std::max(Index{0}, i - band) : 0;
    for (int k = 0; k < per_row && i > least; ++k)
      row[least + static_cast<Index>(random() % static_cast<std::uint64_t>(i - least))] =
          static_cast<std::int64_t>(random() % 7) - 3;
    l[i].assign(row.begin(), row.end());
    l[i].emplace_back(i, std::int64_t{1} << (random() % 3));
  }
  return l;
}

/// Returns A = P^T (L L^T) P. Checks in 128-bit integers that every partial sum of absolute values,
/// and so every intermediate of a factorisation in any summation order, stays below 2^bits.
inline ExactSystem exact_system(IntegerRows l, Permutation perm, int bits) {
  const auto n = static_cast<Index>(l.size());
  std::vector<std::vector<std::pair<Index, std::int64_t>>> column(l.size());  // of L: (row, value)
  for (Index i = 0; i < n; ++i)
    for (const auto& [j, v] : l[i]) column[j].emplace_back(i, v);
  std::vector<std::map<Index, std::int64_t>> b(l.size());
  std::vector<std::map<Index, __int128>> magnitude(l.size());
  for (const auto& c : column)
    for (std::size_t x = 0; x < c.size(); ++x)
      for (std::size_t y = x; y < c.size(); ++y) {
        b[c[x].first][c[y].first] += c[x].second * c[y].second;
        magnitude[c[x].first][c[y].first] +=
            __int128{std::abs(c[x].second)} * std::abs(c[y].second);
      }
  std::vector<Index> row, col;
  std::vector<double> value;
  for (Index j = 0; j < n; ++j)
    for (const auto& [i, v] : b[j]) {
      if (magnitude[j][i] >> bits != 0)
        throw std::logic_error("exact_system: an intermediate does not fit");
      row.push_back(std::max(perm.old_of(i), perm.old_of(j)));
      col.push_back(std::min(perm.old_of(i), perm.old_of(j)));
      value.push_back(static_cast<double>(v));
    }
  auto a = SymmetricMatrix<double>::from_triplets(n, row, col, value, Storage::lower);
  return {std::move(l), std::move(perm), std::move(a)};
}

inline Permutation random_permutation(Index n, std::mt19937_64& random) {
  std::vector<Index> old_of(static_cast<std::size_t>(n));
  for (Index k = 0; k < n; ++k) old_of[k] = k;
  for (Index k = n - 1; k > 0; --k)
    std::swap(old_of[k], old_of[random() % static_cast<std::uint64_t>(k + 1)]);
  return Permutation::from_old_of(std::move(old_of));
}

/// Returns the values in another scalar (exact for these integers).
template <Scalar T>
std::vector<T> cast(std::span<const double> value) {
  return std::vector<T>(value.begin(), value.end());
}

}  // namespace kauri::test
