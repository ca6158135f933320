// Results of refinement: backward errors, whether x counts as a solution, and the report that a
// device keeps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "kauri/core/verdict.hpp"

namespace kauri {

/// Backward errors of a computed solution x of A x = b, the worst over the columns. If any column
/// of x is not finite (A^-1 b does not fit T), both are NaN or infinite, whatever the other columns
/// give. So test !(error <= bound), not error > bound.
struct BackwardError {
  double normwise = 0;  ///< ||b - A x||_inf / (||A||_inf ||x||_inf + ||b||_inf)
  /// max_i |b - A x|_i / (|A||x| + |b|)_i. Let row i have k entries and s_i = sum_j |A_ij|. If its
  /// denominator is at most 1000 k eps (s_i ||x||_inf + |b_i|), the row takes the second
  /// denominator of Arioli, Demmel & Duff 1989: s_i ||x||_inf is added, unless that overflows. 0/0
  /// counts as 0.
  double componentwise = 0;
};

/// Status of a computed x: whether it counts as a solution.
enum class SolveStatus : std::int32_t {
  none = 0,           ///< nothing was solved, or its error was not measured
  ok = 1,             ///< both backward errors are at most solved_error()
  not_converged = 2,  ///< a backward error is above solved_error(); with mixed precision: columns
                      ///< did not converge
  not_finite = 3,     ///< the backward errors are NaN or infinite: b is not finite, or x or its
                      ///< residual overflows
};
/// Returns "none", "ok", "not_converged" or "not_finite".
std::string_view name_of(SolveStatus status);

/// Returns the largest backward error that a solution in T may have: sqrt(eps). A factor of A
/// leaves errors of some eps, and refinement with a factor of a matrix near A reaches that too. An
/// x of a larger error has less than half the digits of T: it solves another matrix, or T cannot
/// represent A.
template <Scalar T>
double solved_error() {
  return std::sqrt(static_cast<double>(std::numeric_limits<T>::epsilon()));
}

/// Returns the status of an x in T with these errors: ok, not_converged or not_finite.
template <Scalar T>
SolveStatus status_of(const BackwardError& error) {
  if (!std::isfinite(error.normwise) || !std::isfinite(error.componentwise))
    return SolveStatus::not_finite;
  const bool solved =
      error.normwise <= solved_error<T>() && error.componentwise <= solved_error<T>();
  return solved ? SolveStatus::ok : SolveStatus::not_converged;
}

/// Returns the errors in words: "the backward error is 0.7, componentwise 0.9, expected at most
/// 1.5e-08", where `bound` is the last figure; "x or its residual is not finite" if an error is not
/// finite.
std::string in_words(const BackwardError& error, double bound);

/// Result of a refinement. An x that is not finite stays unchanged: no correction is kept (steps =
/// 0), and both errors are NaN or infinite.
struct Refinement {
  int steps = 0;              ///< corrections made and kept
  int tried = 0;              ///< corrections made, kept or not
  BackwardError unrefined;    ///< backward errors of x on entry
  BackwardError final_error;  ///< backward errors of x on return
};

/// Report of a refinement. A Refiner keeps one in the memory of its device, where later work of a
/// stream may read it. Its layout is fixed, and it is trivially copyable.
struct DeviceRefinement {
  /// Verdict of the factor used; `none` before the first refinement has ended. If A was not
  /// positive definite, all of x is NaN, and so are both errors, before and after.
  VerdictStatus status = VerdictStatus::none;
  Refinement refinement;  ///< result as refine() returns it, the worst over the columns
};

}  // namespace kauri
