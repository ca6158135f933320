// Chooses the precision of a factor for systems in double on a device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/core/analysis.hpp"
#include "symbolic/choose/forecast.hpp"

namespace kauri::symbolic {

/// Weight of the seconds in mixed precision: its prediction does not know how far the condition
/// number lets refinement contract, nor that a system may need the factor in double in the end.
inline constexpr double kMixedWeight = 1.5;

/// Returns both forecasts of a job on the device of the offer, with job_s, and the choice: L in
/// float if double alone exceeds offer.free_bytes; or if double is slow on the card
/// (has_slow_double()) and the job in mixed precision, times kMixedWeight, takes less time than in
/// double; else L in double.
Analysis::Precisions choose_precision(const DeviceJob& job,
                                      const AnalyzeOptions::DeviceOffer& offer,
                                      const AnalyzeOptions& options);

}  // namespace kauri::symbolic
