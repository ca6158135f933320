// What refinement came to: backward errors, and the few numbers that it leaves where it ran.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "kauri/verdict.hpp"

namespace kauri {

/// How well x solves A x = b; the worst over the columns. Never flattering: where x is not finite (A^-1 b does not fit T), both are NaN or
/// infinite, whatever the other rows and columns say. Ask !(error <= bound), not error > bound.
struct BackwardError {
  double normwise = 0;  ///< ||b - A x||_inf / (||A||_inf ||x||_inf + ||b||_inf)
  /// max_i |b - A x|_i / (|A||x| + |b|)_i. A row i of k entries whose denominator is at most 1000 k eps (s_i ||x||_inf + |b_i|), with s_i
  /// the sum of its |A_ij|, takes the second one of Arioli, Demmel & Duff 1989: s_i ||x||_inf is added to it, unless that overflows. 0/0
  /// counts as 0.
  double componentwise = 0;
};

/// Whether x is to be taken for a solution.
enum class SolveStatus : std::int32_t {
  none = 0,           ///< nothing was solved, or its error was not measured
  ok = 1,             ///< both backward errors are at most solved_error()
  not_converged = 2,  ///< one is above that; with mixed precision: columns did not converge
  not_finite = 3,     ///< they are NaN or infinite: b is not finite, or x or its residual overflows
};
/// "none", "ok", "not_converged", "not_finite".
std::string_view name_of(SolveStatus status);

/// The largest backward errors of a solution in T: sqrt(eps). A factor of A leaves some eps, and refinement with one of a matrix near A
/// comes down to that, so x of a larger error has less than half the digits of T, and is that of another matrix, or of an A that T cannot
/// hold.
template <Scalar T>
double solved_error() {
  return std::sqrt(static_cast<double>(std::numeric_limits<T>::epsilon()));
}

/// Of an x in T with these errors; never `none`.
template <Scalar T>
SolveStatus status_of(const BackwardError& error) {
  if (!std::isfinite(error.normwise) || !std::isfinite(error.componentwise)) return SolveStatus::not_finite;
  const bool solved = error.normwise <= solved_error<T>() && error.componentwise <= solved_error<T>();
  return solved ? SolveStatus::ok : SolveStatus::not_converged;
}

/// "the backward error is 0.7, componentwise 0.9, expected at most 1.5e-08"; of errors that are not finite "x or its residual is not
/// finite".
std::string in_words(const BackwardError& error, double bound);

/// An x that is not finite is left as it came: no step is kept (steps = 0), and both errors are NaN or infinite.
struct Refinement {
  int steps = 0;              ///< corrections made and kept
  int tried = 0;              ///< corrections made, kept or not
  BackwardError unrefined;    ///< of x as it came
  BackwardError final_error;  ///< of x as returned
};

/// Lies in the memory of a Refiner's device, where a stream's later work may read it. Of fixed layout and trivially copyable.
struct DeviceRefinement {
  /// Of the factor that it worked with; none: no refinement has ended yet. Where A was not positive definite all of x is NaN, and so are
  /// both errors, before and after.
  VerdictStatus status = VerdictStatus::none;
  Refinement refinement;  ///< as refine() tells it; the worst over the columns
};

}  // namespace kauri
