// When refinement stops and which x it keeps: one rule for all backends, on the host and on a
// device (Skeel 1980; Arioli, Demmel & Duff 1989).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>

#include "base/common/host_device.hpp"
#include "kauri/solve/refine.hpp"

namespace kauri::numeric {

/// The members of RefineOptions that the rule reads, with defaults resolved: `target`, a
/// componentwise error, is positive.
struct RefineLimits {
  int max_steps;
  double target;
  double stagnation;
};

template <Scalar T>
RefineLimits limits_of(const RefineOptions& options) {
  return {options.max_steps,
          options.target > 0 ? options.target : double{std::numeric_limits<T>::epsilon()},
          options.stagnation};
}

/// The state of a refinement of one x, which may have several columns.
struct RefineProgress {
  Refinement done;  ///< errors before and after the corrections so far, and their numbers
  /// 1 if another correction is to be tried, else 0; an integer, since it is the run flag of the
  /// next step on a device.
  std::int32_t going = 0;
  bool helped = false;  ///< the last correction reduced the error and stays in x
};

KAURI_HOST_DEVICE inline bool wants_step(const Refinement& done, const RefineLimits& limits) {
  return done.steps < limits.max_steps && done.final_error.componentwise > limits.target;
}

/// Returns the state of a refinement before its first correction. error: the backward errors of the
/// initial x. If the componentwise error is not finite, no correction is tried: a correction of an
/// x that overflowed would be NaN, which could not improve x and might hide the overflow.
KAURI_HOST_DEVICE inline RefineProgress begin_refinement(const BackwardError& error,
                                                         const RefineLimits& limits) {
  RefineProgress progress;
  progress.done.unrefined = progress.done.final_error = error;
  const bool finite = error.componentwise - error.componentwise == 0;
  progress.going = finite && wants_step(progress.done, limits) ? 1 : 0;
  return progress;
}

/// Updates the state after one more correction. error: the backward errors of the corrected x. The
/// correction stays if it reduced the componentwise error; else the caller must take it back. No
/// other correction follows one that did not reduce the error, or not by a factor
/// limits.stagnation.
KAURI_HOST_DEVICE inline void take_step(RefineProgress& progress, const BackwardError& error,
                                        const RefineLimits& limits) {
  Refinement& done = progress.done;
  ++done.tried;
  progress.helped = error.componentwise < done.final_error.componentwise;
  progress.going = 0;
  if (!progress.helped) return;
  const bool stagnant = error.componentwise * limits.stagnation > done.final_error.componentwise;
  done.final_error = error;
  ++done.steps;
  progress.going = !stagnant && wants_step(done, limits) ? 1 : 0;
}

}  // namespace kauri::numeric
