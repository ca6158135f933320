// When refinement stops and which x it keeps: one rule for all backends, on the host and on a device (Skeel 1980; Arioli, Demmel & Duff
// 1989).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>

#include "base/common/host_device.hpp"
#include "kauri/refine.hpp"

namespace kauri::numeric {

/// Of RefineOptions, what decides.
struct RefineLimits {
  int max_steps;
  double target;
  double stagnation;
};

template <Scalar T>
RefineLimits limits_of(const RefineOptions& options) {
  return {options.max_steps, options.target > 0 ? options.target : double{std::numeric_limits<T>::epsilon()}, options.stagnation};
}

/// Where a refinement is.
struct RefineProgress {
  Refinement done;
  std::int32_t going = 0;  ///< a correction is to be tried; a number, by which a device leaves out what comes
  bool helped = false;     ///< the last one did, and stays in x
};

KAURI_HOST_DEVICE inline bool wants_step(const Refinement& done, const RefineLimits& limits) {
  return done.steps < limits.max_steps && done.final_error.componentwise > limits.target;
}

/// From the errors of x as it came. A correction of an x that overflowed would be NaN: nothing to gain, and nothing that may cover it.
KAURI_HOST_DEVICE inline RefineProgress begin_refinement(const BackwardError& error, const RefineLimits& limits) {
  RefineProgress progress;
  progress.done.unrefined = progress.done.final_error = error;
  const bool finite = error.componentwise - error.componentwise == 0;
  progress.going = finite && wants_step(progress.done, limits) ? 1 : 0;
  return progress;
}

/// From those of x with one more correction. A step that does not help is the last one.
KAURI_HOST_DEVICE inline void take_step(RefineProgress& progress, const BackwardError& error, const RefineLimits& limits) {
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
