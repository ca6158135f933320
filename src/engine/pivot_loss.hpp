// Detects pivots that cancellation has left tiny. It runs after each factorisation, so it must cost
// next to nothing.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "kauri/extras/lower_factor.hpp"
#include "kauri/solve/condition.hpp"

namespace kauri {

/// Returns the ratio of a pivot to A's diagonal entry below which A counts as nearly singular, for
/// n rows (PivotLoss::limit).
template <Scalar T>
double pivot_loss_limit(Index n) {
  constexpr double kEps = std::numeric_limits<T>::epsilon();
  return std::min(1024 * static_cast<double>(n) * kEps, std::sqrt(kEps));
}

template <Scalar T>
double diagonal_of(const SymmetricView<T>& a, Index j) {
  return static_cast<double>(
      a.value[static_cast<std::size_t>(a.pattern.col_ptr[static_cast<std::size_t>(j)])]);
}

/// Returns the PivotLoss of a pivot, in units of A and in a column of A, that the caller knows to
/// be the worst one, as is the smallest pivot of a matrix that is scaled to a diagonal of about 1.
template <Scalar T>
PivotLoss loss_at(const SymmetricView<T>& a, Index column, double pivot) {
  return {column, pivot, diagonal_of(a, column), pivot_loss_limit<T>(a.pattern.n)};
}

/// Returns the pivot with the least ratio to A's diagonal entry, as worst_pivot() does. `a` is the
/// matrix that was factorised, its shift included; does not check that it has the pattern of the
/// factor's plan.
template <Scalar T>
PivotLoss find_worst_pivot(const SymmetricView<T>& a, const Factor<T>& factor) {
  PivotLoss worst{.limit = pivot_loss_limit<T>(a.pattern.n)};
  const std::vector<T> root = lower_diagonal(factor);
  for (Index k = 0; k < a.pattern.n; ++k) {
    const Index j = factor.plan().perm.old_of(k);
    const auto r = static_cast<double>(root[static_cast<std::size_t>(k)]);
    const double diagonal = diagonal_of(a, j);
    if (worst.column == kNone || r * r / diagonal < worst.ratio())
      worst = {j, r * r, diagonal, worst.limit};
  }
  return worst;
}

/// Returns the worst pivot if it makes A nearly singular, else nothing. largest: the largest
/// diagonal entry of A. If rows have different units, the pivot of least ratio need not be the
/// smallest one, which the verdict holds, so all pivots are examined. None is if the smallest pivot
/// is at least limit * largest, as in most systems: then no ratio is below the limit.
template <Scalar T>
std::optional<PivotLoss> find_nearly_singular(const SymmetricView<T>& a, double largest,
                                              const Factor<T>& factor) {
  if (factor.verdict().smallest_pivot >= pivot_loss_limit<T>(a.pattern.n) * largest) return {};
  const PivotLoss worst = find_worst_pivot(a, factor);
  return worst.nearly_singular() ? std::optional(worst) : std::nullopt;
}

}  // namespace kauri
