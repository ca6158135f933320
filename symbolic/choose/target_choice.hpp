// Chooses CPU or device: a pure function of predicted seconds, bytes and the job asked for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "kauri/core/analysis.hpp"

namespace kauri::symbolic {

/// Least predicted seconds of a job on the CPU, once its factor is made, for which a device is
/// considered. In a smaller job launches and copies are most of what a device could save.
inline constexpr double kLeastDeviceJob = 3e-4;

/// Weight of a device's seconds whose constants were not measured, but scaled from another device's
/// or scalar's: a device that is chosen by mistake costs more than one that is not chosen.
inline constexpr double kScaledWeight = 2;

/// Return the ratio of the seconds that a factorisation, or a solve, takes `workers` threads to
/// those of the plan's schedule, which ignores that threads share cores and memory. The measured
/// ratio of factorisations is greatest where a device begins to pay: the ratio returned is above
/// the mean, so that it judges these systems right, and small ones too (M12 of docs/measurements).
/// On two cores the ratios are 1. Not inline: a sum that the compiler folds is rounded differently
/// from a contracted one, and a forecast must have one value.
double crowded_factor(int workers);
double crowded_solve(int workers);
/// Returns the additional seconds of a first factorisation by `workers` threads. They do not
/// depend on the system (M12).
double crowded_start(int workers);

/// Returns the predicted seconds of the whole job: start, making the factor, and all factorisations
/// with their solves.
double job_seconds(const Analysis::Forecast& forecast, const AnalyzeOptions& options);
/// Returns bytes in words: "1.5 GB".
std::string in_gb(Offset bytes);

struct TargetChoice {
  bool device = false;
  std::string reason;  ///< one sentence, with the figures
};

/// Sets job_s of both forecasts, and chooses: the device if its free memory suffices, the job takes
/// the CPU at least kLeastDeviceJob once its factor is made, and the device's job_s (times
/// kScaledWeight if its constants are scaled) is less than the CPU's; else the CPU.
TargetChoice choose_target(Analysis::Forecast& host, Analysis::Forecast& device,
                           const AnalyzeOptions& options);

}  // namespace kauri::symbolic
