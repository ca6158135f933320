// What refinement came to: backward errors, and the few numbers that it leaves where it ran.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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
