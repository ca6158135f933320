// Naive dense Cholesky in a given elimination order: the oracle of verdicts and of solutions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "kauri/core/error.hpp"
#include "kauri/core/matrix.hpp"
#include "kauri/core/permutation.hpp"

namespace kauri::test {

/// Returns A + shift*I as a dense row-major n x n array in the numbering of perm: entry (k,l) is
/// A(old_of(k), old_of(l)).
template <Scalar T>
std::vector<T> dense(const SymmetricView<T>& a, const Permutation& perm, T shift = 0) {
  const Index n = a.pattern.n;
  std::vector<T> d(static_cast<std::size_t>(n) * n, T(0));
  for (Index j = 0; j < n; ++j)
    for (Offset k = a.pattern.col_ptr[j]; k < a.pattern.col_ptr[j + 1]; ++k) {
      const Index r = perm.new_of(a.pattern.row[k]), c = perm.new_of(j);
      d[static_cast<std::size_t>(r) * n + c] = d[static_cast<std::size_t>(c) * n + r] = a.value[k];
    }
  for (Index k = 0; k < n; ++k) d[static_cast<std::size_t>(k) * n + k] += shift;
  return d;
}

/// Returns the first column whose pivot is not positive and finite, in the caller's numbering, or
/// nothing, by column Cholesky.
template <Scalar T>
std::optional<Breakdown> naive_breakdown(const SymmetricView<T>& a, const Permutation& perm,
                                         T shift = 0) {
  const Index n = a.pattern.n;
  std::vector<T> d = dense(a, perm, shift);
  for (Index j = 0; j < n; ++j) {
    T* row = d.data() + static_cast<std::size_t>(j) * n;
    T pivot = row[j];
    for (Index k = 0; k < j; ++k) pivot -= row[k] * row[k];
    if (!(pivot > T(0)) || !std::isfinite(pivot))
      return Breakdown{perm.old_of(j), static_cast<double>(pivot)};
    row[j] = std::sqrt(pivot);
    for (Index i = j + 1; i < n; ++i) {
      T* other = d.data() + static_cast<std::size_t>(i) * n;
      T sum = other[j];
      for (Index k = 0; k < j; ++k) sum -= other[k] * row[k];
      other[j] = sum / row[j];
    }
  }
  return std::nullopt;
}

}  // namespace kauri::test
