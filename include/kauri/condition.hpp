// How much a solution of A x = b may change when A and b change a little.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stop_token>

#include "kauri/factor.hpp"

namespace kauri {

/// Norms of A and of its inverse: largest sums of magnitudes of a column, which for a symmetric A are those of a row. Relative errors of x
/// are at most about condition() times the normwise backward error.
struct ConditionEstimate {
  double norm = 0;          ///< ||A||_1, exact
  double inverse_norm = 0;  ///< ||A^-1||_1 is at least this, and seldom more than three times as large; infinite where solutions overflow
  int solves = 0;           ///< that were made: at most 11
  /// At least 1 but for rounding; 0 for a matrix without rows.
  [[nodiscard]] double condition() const { return norm * inverse_norm; }
};

/// By solves with the factor of `a`, which is not shifted: Hager's method (SIAM J. Sci. Stat. Comput. 5, 1984) as Higham made it safe (ACM
/// Trans. Math. Softw. 14, 1988). Vectors are where the factor is: on a device memory is taken for two of them for the time of the call,
/// and a few numbers are copied for each solve. O(n + nnz) beside the solves. Throws Error(usage) for a factor that is not valid, a
/// workspace of another plan, and an `a` of another pattern than the plan's; Error(memory). stop: as for Factor::solve().
template <Scalar T>
ConditionEstimate estimate_condition(const SymmetricView<T>& a, const Factor<T>& factor, Workspace<T>& workspace,
                                     const std::stop_token& stop = {});

}  // namespace kauri
