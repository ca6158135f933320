// Forecasts: predicted seconds and bytes of a job on the CPU, on a device, and on a device with a
// factor in float for systems in double.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "kauri/core/analysis.hpp"
#include "symbolic/common/device_work.hpp"
#include "symbolic/plan/plan_draft.hpp"

namespace kauri::symbolic {

/// Solves by sweeps in float, and residuals in double, that a solve in mixed precision is taken to
/// need: the first solve and three corrections, each followed by a residual. Well-conditioned
/// systems need as many, others more.
inline constexpr double kMixedSolves = 4;

/// Returns the bytes of vectors of n rows in double that a MixedFactor has beside its factor in
/// float: five, and five for each of nrhs right-hand sides, kSolveBlock at most.
Offset mixed_vector_bytes(Index n, Index nrhs);

/// The part of a plan, or of its draft, that the forecasts of a device read. Borrows the counts of
/// work.
struct DeviceJob {
  const DeviceWork& work;
  Offset entries;     ///< entries of panels and contribution blocks (device_entries())
  Offset front_rows;  ///< rows of all fronts
  Index n;            ///< rows of A
  Offset nnz;         ///< stored entries of A
};
/// Returns the job of a draft that was made for a device, for the pattern `lower`.
DeviceJob device_job(const PlanDraft& draft, const Pattern& lower);
/// Returns the job of a plan that was made for a device.
DeviceJob device_job(const Plan& plan);

/// Returns the forecast for the CPU, in scalars of this size. job_s is left 0, here and below.
Analysis::Forecast host_forecast(const PlanDraft& draft, std::string_view target, int workers,
                                 int scalar_bytes);
/// Returns the forecast for a device, in the scalar of the offer.
Analysis::Forecast device_forecast(const DeviceJob& job, const AnalyzeOptions::DeviceOffer& offer);
/// Returns the forecast for a device that solves systems in double by a factor in float: solves
/// take kMixedSolves sweeps and residuals, and A and the vectors are in double.
Analysis::Forecast mixed_forecast(const DeviceJob& job, const AnalyzeOptions::DeviceOffer& offer);

}  // namespace kauri::symbolic
