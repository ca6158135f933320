// Compares memory first, then seconds.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/choose/target_choice.hpp"

#include <algorithm>

#include "base/common/in_digits.hpp"

namespace kauri::symbolic {
namespace {

/// Returns the seconds of one factorisation and its solves, once the factor is made.
double round_seconds(const Analysis::Forecast& forecast, const AnalyzeOptions& options) {
  return forecast.values_s + forecast.factor_s + options.solves * forecast.solve_s;
}

/// Returns a text that says whether the cost constants of the device's target, in the options'
/// scalar, are measured or scaled from another device's or scalar's; scaled ones count its seconds
/// kScaledWeight times.
std::string basis(const Analysis::Forecast& device, const AnalyzeOptions& options) {
  const std::string constants =
      "constants of " + device.target + " in " +
      (options.device.scalar_bytes == sizeof(float) || device.mixed ? "float" : "double");
  return device.scaled ? constants + " are scaled, not measured, so its seconds count " +
                             in_digits(kScaledWeight) + " times"
                       : constants + " are measured";
}

}  // namespace

std::string in_gb(Offset bytes) { return in_digits(static_cast<double>(bytes) / 1e9) + " GB"; }

double job_seconds(const Analysis::Forecast& forecast, const AnalyzeOptions& options) {
  return forecast.start_s + forecast.create_s +
         options.factorizations * round_seconds(forecast, options);
}

double crowded_factor(int workers) { return 1 + 0.23 * std::max(workers - 2, 0); }
double crowded_solve(int workers) { return 1 + 0.08 * std::max(workers - 2, 0); }
double crowded_start(int workers) { return 7e-5 * std::max(workers - 2, 0); }

TargetChoice choose_target(Analysis::Forecast& host, Analysis::Forecast& device,
                           const AnalyzeOptions& options) {
  host.job_s = job_seconds(host, options);
  device.job_s = job_seconds(device, options);
  if (device.bytes > options.device.free_bytes)
    return {false, host.target + ": the job needs about " + in_gb(device.bytes) +
                       " of the memory of " + device.target + ", " +
                       in_gb(options.device.free_bytes) + " are free"};
  if (const double job = options.factorizations * round_seconds(host, options);
      job < kLeastDeviceJob)
    return {false,
            host.target + ": the job takes " + in_seconds(job) + " there, too little for a device"};
  const bool better = (device.scaled ? kScaledWeight : 1) * device.job_s < host.job_s;
  const Analysis::Forecast &winner = better ? device : host, &other = better ? host : device;
  std::string reason = winner.target + ": predicted " + in_seconds(winner.job_s) +
                       " for the job against " + in_seconds(other.job_s) + " on " + other.target;
  if (!better && device.start_s > 0)
    reason += ", " + in_seconds(device.start_s) + " of them until the device can be used";
  return {better, reason + "; " + basis(device, options)};
}

}  // namespace kauri::symbolic
