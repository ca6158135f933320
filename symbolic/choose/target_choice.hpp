// CPU or device: a pure function of predicted seconds, bytes and what the job asks for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "kauri/plan.hpp"

namespace kauri::symbolic {

/// A job that the CPU is predicted to do in less, its factor made, stays there: launches and copies are most of what a device could spare.
inline constexpr double kLeastDeviceJob = 3e-4;

/// Seconds of a device that were not measured, but scaled from another's, count so many times: a device that is taken by mistake costs more
/// than one that is not taken.
inline constexpr double kScaledWeight = 2;

/// The seconds of so many threads over those of a plan's schedule, which knows nothing of cores and memory that threads share. On the 16
/// hardware threads beside an H200 factorisations of 26 systems took 1.8 to 7.2 times those, 3.8 in the mean, most where they take 1 to 15
/// ms, which is where a device begins to pay: 4.2 judges these right and small ones too. Solves took 2.1 times; all 1 on two cores. Not
/// inline: a sum folded by the compiler is rounded otherwise than one that is contracted, and a forecast is to have one value.
double crowded_factor(int workers);
double crowded_solve(int workers);
/// Seconds that a first factorisation takes more with so many threads: 1.0 to 1.5 ms there, whatever the system.
double crowded_start(int workers);

struct TargetChoice {
  bool device = false;
  std::string reason;  ///< one sentence, with the figures
};

/// Sets job_s of both, and chooses: the device if its memory suffices and its job takes less time (by the weight, if that is scaled).
TargetChoice choose_target(Forecast& host, Forecast& device, const AnalyzeOptions& options);

}  // namespace kauri::symbolic
