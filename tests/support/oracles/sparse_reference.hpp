// Sparse Cholesky row by row without a symbolic phase: the oracle of verdicts on systems too large
// for a dense array.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "kauri/core/error.hpp"
#include "kauri/core/matrix.hpp"
#include "kauri/core/permutation.hpp"

namespace kauri::test {

/// Returns the first row whose pivot is not positive and finite, in the caller's numbering, or
/// nothing. Row i of L solves L(0:i-1, 0:i-1) y = A(0:i-1, i). O(n^2 + flops), since each number of
/// a row is tested for zero.
template <Scalar T>
std::optional<Breakdown> sparse_breakdown(const SymmetricView<T>& a, const Permutation& perm) {
  const Index n = a.pattern.n;
  std::vector<std::vector<std::pair<Index, T>>> row(static_cast<std::size_t>(n)),
      column(row);  // of A; then of L so far, below the diagonal
  for (Index j = 0; j < n; ++j)
    for (Offset k = a.pattern.col_ptr[j]; k < a.pattern.col_ptr[j + 1]; ++k) {
      const Index r = perm.new_of(a.pattern.row[k]), c = perm.new_of(j);
      row[std::max(r, c)].emplace_back(std::min(r, c), a.value[k]);
    }
  std::vector<T> diagonal(static_cast<std::size_t>(n)), y(static_cast<std::size_t>(n), T(0));
  for (Index i = 0; i < n; ++i) {
    for (const auto& [j, v] : row[i]) y[j] = v;
    T pivot = std::exchange(y[i], T(0));
    for (Index k = 0; k < i; ++k) {
      if (y[k] == T(0)) continue;
      const T entry = std::exchange(y[k], T(0)) / diagonal[k];
      for (const auto& [r, v] : column[k]) y[r] -= v * entry;
      column[k].emplace_back(i, entry);
      pivot -= entry * entry;
    }
    if (!(pivot > T(0)) || !std::isfinite(pivot))
      return Breakdown{perm.old_of(i), static_cast<double>(pivot)};
    diagonal[i] = std::sqrt(pivot);
  }
  return std::nullopt;
}

}  // namespace kauri::test
