// Accuracy of the sums of a backward sweep, independent of the accuracy of the factor and of the
// forward sweep.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "kauri/kauri.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::test {

/// Returns a right-hand side, in the caller's numbering, that is zero except in the roots' pivots;
/// the forward sweep then leaves exact zeros elsewhere.
template <Scalar T>
std::vector<T> right_hand_side_of_roots(const Plan& plan, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> b(static_cast<std::size_t>(plan.n), T(0));
  const Supernodes& fronts = plan.supernodes;
  for (Index s = 0; s < fronts.count(); ++s)
    for (Index j = fronts.first[s]; fronts.parent[s] == kNone && j < fronts.first[s + 1]; ++j)
      b[plan.perm.old_of(j)] =
          static_cast<T>(std::uniform_real_distribution<double>(-1, 1)(random));
  return b;
}

/// Returns the error of row j of L^T x = 0, for column c of the pivots of front s: |sum of L(i,j)
/// x_i over i >= j| in units of eps |L(j,j) x_j|. If a block of 16 columns of a tiled front is
/// solved at once, the unit is eps times the sum of |L(i,j) x_i| over the block.
template <Scalar T>
double backward_row_error(const Factor<T>& factor, const std::vector<T>& x, Index s, Index c) {
  constexpr Index kBlock = 16;
  const Plan& plan = factor.plan();
  const auto rows = plan.supernodes.rows(s);
  const Index end = plan.internals->device.tiled[s] == kNone
                        ? c + 1
                        : std::min(plan.supernodes.pivots(s), c / kBlock * kBlock + kBlock);
  long double sum = 0, own = 0;
  for (Index r = c; r < plan.supernodes.order(s); ++r) {
    const long double term =
        static_cast<long double>(factor.entry(rows[r], rows[c])) * x[plan.perm.old_of(rows[r])];
    sum += term;
    if (r < end) own += std::abs(term);
  }
  if (sum == 0) return 0;
  return static_cast<double>(std::abs(sum) / (own * std::numeric_limits<T>::epsilon()));
}

/// Returns the largest error of a row of L^T x = 0 outside the roots, after a solve; NaN if x has
/// one. It is at most one if all terms outside the row's own block are summed as if exactly; else
/// it grows with the number of terms, and with cancellation.
template <Scalar T>
double worst_backward_row(const Factor<T>& factor) {
  const Plan& plan = factor.plan();
  auto workspace = Workspace<T>::create(factor, 1);
  std::vector<T> x = right_hand_side_of_roots<T>(plan, 8);
  factor.solve({x.data(), plan.n, 1, plan.n}, workspace);
  double worst = 0;
  for (Index s = 0; s < plan.supernodes.count(); ++s)
    for (Index c = 0; plan.supernodes.parent[s] != kNone && c < plan.supernodes.pivots(s); ++c) {
      const double error = backward_row_error(factor, x, s, c);
      if (std::isnan(error)) return error;
      worst = std::max(worst, error);
    }
  return worst;
}

}  // namespace kauri::test
