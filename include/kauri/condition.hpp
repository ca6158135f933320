// How much a solution of A x = b may change when A and b change a little, and what the pivots say of it for nothing.
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

/// The pivot of which cancellation left least beside the diagonal entry that elimination began with. Scaling rows with columns does not
/// change the ratio. The condition of A in the 2-norm is at least 1 / ratio(), since ||A|| >= A(j,j) and ||A^-1|| >= (A^-1)(j,j) >=
/// 1 / L(j,j)^2, so a small ratio shows that A is nearly singular. A large one does not show that it is not: R with 1 on its diagonal and
/// -1 right of it makes an A = R^T R whose pivots are all 1, and whose condition grows as 4^n (Higham, Accuracy and Stability of Numerical
/// Algorithms, 2002, chapter 8). estimate_condition() tells both.
struct PivotLoss {
  Index column = kNone;  ///< j, in the caller's numbering; kNone for a matrix without rows
  double pivot = 1;      ///< L(j,j)^2
  double diagonal = 1;   ///< A(j,j), with its shift
  /// The less of 1024 n eps and sqrt(eps), eps that of the scalar: n, since an eigenvector of the least eigenvalue that is spread over all
  /// rows leaves n times that eigenvalue as a pivot, 1024 eps for three digits above rounding, and at most half of all digits, since n eps
  /// is no small number in float.
  double limit = 0;
  /// At most 1 but for rounding.
  [[nodiscard]] double ratio() const { return pivot / diagonal; }
  /// ratio() is below the limit: half of the digits of x or more may be wrong, in large systems, and in small ones nearly all, however
  /// small the backward error is.
  [[nodiscard]] bool nearly_singular() const { return ratio() < limit; }
};

/// Of all columns; of equal ratios that of the least index in the plan's permutation. a: what was factorised, with the shift on its
/// diagonal. O(n + nnz); the diagonal of L is copied from a device. Throws Error(usage) for a factor that is not valid, and an `a` of
/// another pattern than the plan's; Error(device).
template <Scalar T>
PivotLoss worst_pivot(const SymmetricView<T>& a, const Factor<T>& factor);

}  // namespace kauri
