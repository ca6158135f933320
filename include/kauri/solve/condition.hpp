// Condition of A: how much x changes when A and b change a little, estimated by solves or bounded
// by the pivots at no extra cost.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stop_token>

#include "kauri/solve/factor.hpp"

namespace kauri {

/// Norms of A and of its inverse in the 1-norm, the largest column sum of magnitudes; for a
/// symmetric A it equals the infinity norm. The relative error of x is at most about condition()
/// times the normwise backward error.
struct ConditionEstimate {
  double norm = 0;          ///< ||A||_1, exact up to rounding
  double inverse_norm = 0;  ///< lower bound of ||A^-1||_1, seldom less than a third of it; infinite
                            ///< if solutions overflow
  int solves = 0;           ///< number of solves made: at most 11
  /// Returns ||A||_1 ||A^-1||_1: at least 1 up to rounding, 0 for a matrix without rows.
  [[nodiscard]] double condition() const { return norm * inverse_norm; }
};

/// Estimates the condition of `a` by solves with its factor, which must be that of `a` without a
/// shift. The method is Hager's (SIAM J. Sci. Stat. Comput. 5, 1984) with Higham's safeguards (ACM
/// Trans. Math. Softw. 14, 1988). On a device the call allocates two vectors of length n there for
/// its duration, and copies a few numbers to the host after each solve. Takes O(n + nnz) in
/// addition to the solves. Throws Error: usage (a factor that is not valid, a workspace of another
/// plan, an `a` of another pattern than the plan's or with another number of values), memory,
/// device, cancelled. stop: as for Factor::solve(), read before each solve.
template <Scalar T>
ConditionEstimate estimate_condition(const SymmetricView<T>& a, const Factor<T>& factor,
                                     Workspace<T>& workspace, const std::stop_token& stop = {});

/// The pivot with the greatest cancellation, that is, with the least ratio L(j,j)^2 / A(j,j) of all
/// columns j of A, where L(j,j) stands for the entry (k,k) of L with k = new_of(j). Symmetric
/// scaling of rows and columns does not change the ratio.
///
/// The condition of A in the 2-norm is at least 1 / ratio(), since ||A|| >= A(j,j) and ||A^-1|| >=
/// (A^-1)(j,j) >= 1 / L(j,j)^2, so a small ratio shows that A is nearly singular. A large ratio
/// does not show the opposite: R with 1 on its diagonal and -1 right of it gives an A = R^T R whose
/// pivots are all 1 and whose condition grows as 4^n (Higham, Accuracy and Stability of Numerical
/// Algorithms, 2002, chapter 8). estimate_condition() covers both cases.
struct PivotLoss {
  Index column = kNone;  ///< j, in the caller's numbering; kNone for a matrix without rows
  double pivot = 1;      ///< L(j,j)^2: the pivot of column j before its square root, up to rounding
  double diagonal = 1;   ///< A(j,j), with the shift if one was factorised
  /// Limit of nearly_singular(): the smaller of 1024 n eps and sqrt(eps), with eps of the scalar.
  /// The factor n: if the eigenvector of the least eigenvalue is spread over all rows, the pivot is
  /// n times that eigenvalue. The factor 1024: three digits above rounding. The bound sqrt(eps): at
  /// most half of all digits, since n eps is not small in float.
  double limit = 0;
  /// Returns pivot / diagonal: at most 1 up to rounding.
  [[nodiscard]] double ratio() const { return pivot / diagonal; }
  /// Returns true if ratio() is below the limit: then half or more of the digits of x may be wrong
  /// in a large system, and nearly all in a small one, however small the backward error is.
  [[nodiscard]] bool nearly_singular() const { return ratio() < limit; }
};

/// Returns the pivot with the least PivotLoss::ratio() of all columns; of equal ones, the one that
/// is eliminated first. `a` must be the matrix that was factorised; if refactorize() took a shift,
/// the caller must add it to the diagonal of `a` first. Takes O(n + nnz); a factor on a device
/// first copies the diagonal of L to the host. Throws Error: usage (a factor that is not valid; an
/// `a` of another pattern than the plan's or with another number of values), memory, device.
template <Scalar T>
PivotLoss worst_pivot(const SymmetricView<T>& a, const Factor<T>& factor);

}  // namespace kauri
