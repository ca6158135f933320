// Boundary to the backends: solves whose vectors stay in the backend's memory, for the estimate of
// ||A^-1||_1.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/core/types.hpp"

namespace kauri::numeric {

/// The right-hand side of an estimator step: all entries 1/n (even); magnitudes rising from 1 to 2
/// with alternating signs (alternating); the unit vector of row `corner` (unit); the signs kept
/// from an earlier step (signs).
enum class EstimatorStart { even, alternating, unit, signs };

/// Statistics of the solution x of one estimator step.
struct EstimatorStep {
  double sum;        ///< sum of |x(i)|, the 1-norm
  double largest;    ///< largest |x(i)|; unspecified if an entry is NaN, and then `sum` is NaN
  double at_corner;  ///< |x(corner)|, in the row given to NormEstimator::step()
  Index where;       ///< row of the largest |x(i)|, the first of equal ones; always a row of x
  Index turned;      ///< 1 if the sign of an entry differs from the sign kept before (at first none
                     ///< is), else 0; 0 if signs are not kept
};
static_assert(sizeof(EstimatorStep) ==
              3 * sizeof(double) +
                  2 * sizeof(Index));  // no padding: it is copied from devices byte by byte

/// Applies A^-1 to vectors that stay in the backend's memory, as the estimator of ||A^-1||_1 needs
/// it.
template <Scalar T>
class NormEstimator {
 public:
  virtual ~NormEstimator() = default;
  /// Solves A x = the vector `start`, and returns statistics of x. corner is the row of the unit
  /// vector and of EstimatorStep::at_corner. The signs of x (1 for zero) are kept for a later step,
  /// except after EstimatorStart::signs.
  virtual EstimatorStep step(EstimatorStart start, Index corner) = 0;
};

}  // namespace kauri::numeric
