// CPU or device: a pure function of predicted seconds, bytes and what the job asks for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "kauri/plan.hpp"

namespace kauri::symbolic {

/// A job that the CPU is predicted to do in less, its factor made, stays there: launches and copies are most of what a device could spare.
inline constexpr double kLeastDeviceJob = 1e-3;

/// Seconds of a device that were not measured, but scaled from another's, count so many times: a device that is taken by mistake costs more
/// than one that is not taken.
inline constexpr double kScaledWeight = 2;

struct TargetChoice {
  bool device = false;
  std::string reason;  ///< one sentence, with the figures
};

/// Sets job_s of both, and chooses: the device if its memory suffices and its job takes less time (by the weight, if that is scaled).
TargetChoice choose_target(Forecast& host, Forecast& device, const AnalyzeOptions& options);

}  // namespace kauri::symbolic
