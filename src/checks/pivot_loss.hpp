// Whether a factorisation met a pivot that cancellation left next to nothing of: looked at after each one, so it has to cost nothing.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "kauri/condition.hpp"
#include "kauri/lower_factor.hpp"

namespace kauri {

/// PivotLoss::limit of a system with n rows.
template <Scalar T>
double pivot_loss_limit(Index n) {
  constexpr double kEps = std::numeric_limits<T>::epsilon();
  return std::min(1024 * static_cast<double>(n) * kEps, std::sqrt(kEps));
}

template <Scalar T>
double diagonal_of(const SymmetricView<T>& a, Index j) {
  return static_cast<double>(a.value[static_cast<std::size_t>(a.pattern.col_ptr[static_cast<std::size_t>(j)])]);
}

/// Of a pivot that is known to be the worst one, as the verdict of a mixed factor in double tells: there A has its rows scaled.
template <Scalar T>
PivotLoss loss_at(const SymmetricView<T>& a, Index column, double pivot) {
  return {column, pivot, diagonal_of(a, column), pivot_loss_limit<T>(a.pattern.n)};
}

/// worst_pivot() where the patterns are known to be the same.
template <Scalar T>
PivotLoss find_worst_pivot(const SymmetricView<T>& a, const Factor<T>& factor) {
  PivotLoss worst{.limit = pivot_loss_limit<T>(a.pattern.n)};
  const std::vector<T> root = lower_diagonal(factor);
  for (Index k = 0; k < a.pattern.n; ++k) {
    const Index j = factor.plan().perm.old_of(k);
    const auto r = static_cast<double>(root[static_cast<std::size_t>(k)]);
    const double diagonal = diagonal_of(a, j);
    if (worst.column == kNone || r * r / diagonal < worst.ratio()) worst = {j, r * r, diagonal, worst.limit};
  }
  return worst;
}

/// That pivot where it is nearly singular; nothing where none is. The smallest pivot of all, which the verdict has, is not the one of the
/// least ratio where rows have different units, so all have to be looked at; but none is below the limit where the smallest one is no less
/// than that share of the largest diagonal entry, which is so in all systems but a few. largest: that entry.
template <Scalar T>
std::optional<PivotLoss> find_nearly_singular(const SymmetricView<T>& a, double largest, const Factor<T>& factor) {
  if (factor.verdict().smallest_pivot >= pivot_loss_limit<T>(a.pattern.n) * largest) return {};
  const PivotLoss worst = find_worst_pivot(a, factor);
  return worst.nearly_singular() ? std::optional(worst) : std::nullopt;
}

}  // namespace kauri
