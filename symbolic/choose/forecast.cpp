// Counts of drafts and plans, times the constants of symbolic/device/cost.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/choose/forecast.hpp"

#include <algorithm>

#include "base/common/checked.hpp"
#include "symbolic/choose/target_choice.hpp"
#include "symbolic/device/cost.hpp"
#include "symbolic/device/schedule_lists.hpp"
#include "symbolic/device/sweep_lists.hpp"
#include "symbolic/layout/layout.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::symbolic {
namespace {

/// Returns the scalars of a device's workspace for offer.nrhs right-hand sides, kSolveBlock at
/// most. Values of sweeps never share a place: these are b for all right-hand sides, and, always in
/// double, x, y, b by rows (unless sweeps take one column) and all update rows for as many columns
/// as sweeps take together. Parts of sums, which are few, are left out.
Offset workspace_scalars(const DeviceJob& job, const AnalyzeOptions::DeviceOffer& offer) {
  const Index nrhs = std::min(offer.nrhs, kSolveBlock);
  const Offset width = solve_width(nrhs), scalars = sizeof(double) / offer.scalar_bytes,
               vectors = width > 1 ? 2 : 1;  // beside one vector that row_ptr counts: rows of
                                             // fronts include the pivots
  return checked_add(
      Offset{job.n} * nrhs,
      checked_mul(vectors * job.n + job.front_rows, width * scalars, "rows of a workspace"),
      "rows of a workspace");
}

/// Returns the predicted seconds of a residual in double: A's rows, both halves, with a column
/// number each, are read, and each entry takes a multiply-add.
double residual_seconds(const DeviceCost& in_double, const DeviceJob& job) {
  const auto entries = static_cast<double>(2 * job.nnz - job.n);
  constexpr double kBytes = sizeof(double) + sizeof(Index);
  return std::max(kBytes * entries / device_read_bandwidth(in_double),
                  2 * entries / in_double.peak);
}

}  // namespace

Offset mixed_vector_bytes(Index n, Index nrhs) {
  const Offset vectors = 5 * Offset{std::min(nrhs, kSolveBlock)} + 5;
  return vectors * n * Offset{sizeof(double)};
}

DeviceJob device_job(const PlanDraft& draft, const Pattern& lower) {
  return {draft.device_work, device_entries(draft.supernodes, draft.device_levels),
          draft.supernodes.row_ptr.back(), lower.n, lower.nnz()};
}

DeviceJob device_job(const Plan& plan) {
  const DeviceSchedule& device = plan.internals->device;
  return {device.work, device.sums.scratch_begin, plan.supernodes.row_ptr.back(), plan.n, plan.nnz};
}

/// In float the CPU takes half the seconds of double: half the bytes, twice as many numbers to an
/// instruction. On some systems float took 0.49 to 0.9 of double; as the CPU is predicted too fast
/// rather than too slow, a device is not chosen by mistake.
Analysis::Forecast host_forecast(const PlanDraft& draft, std::string_view target, int workers,
                                 int scalar_bytes) {
  const Offset entries =
      checked_add(draft.cost.stored_entries, draft.schedule.stack_entries, "entries of a factor");
  const Cost& cost = draft.cost;
  const double share = scalar_bytes / static_cast<double>(sizeof(double));
  Analysis::Forecast out;
  out.target = target;
  out.create_s = share * cost.predicted_create_s + crowded_start(workers);
  out.factor_s = share * crowded_factor(workers) * cost.predicted_factor_s;
  out.solve_s = share * crowded_solve(workers) * cost.predicted_solve_s;
  out.bytes = checked_mul(entries, scalar_bytes, "bytes of a factor");
  return out;
}

/// Bytes are those of panels and contribution blocks, A's values, uploads, the vectors of a solve,
/// and residuals.
Analysis::Forecast device_forecast(const DeviceJob& job, const AnalyzeOptions::DeviceOffer& offer) {
  const DeviceCost constants = device_cost(offer.target, offer.scalar_bytes, offer.card);
  const Offset numbers = checked_add(checked_add(job.entries, job.nnz, "entries on the device"),
                                     workspace_scalars(job, offer), "entries on the device");
  Analysis::Forecast out;
  out.target = offer.target;
  out.start_s = offer.started ? 0 : constants.context_s;
  out.create_s = device_create_seconds(constants, job.work);
  out.values_s = device_copy_seconds(
      constants, static_cast<double>(offer.scalar_bytes) * static_cast<double>(job.nnz));
  out.factor_s = device_factor_seconds(constants, job.work);
  out.solve_s = device_solve_seconds(constants, job.work, job.n);
  out.bytes = checked_mul(numbers, offer.scalar_bytes, "bytes on the device") +
              static_cast<Offset>(job.work.upload_bytes) +
              device_residual_bytes(job.n, job.nnz, offer.scalar_bytes);
  out.scaled = constants.scaled;
  return out;
}

/// The host steers refinement: it waits for each residual, and its answer reaches the device, each
/// with the latency of a copy.
Analysis::Forecast mixed_forecast(const DeviceJob& job, const AnalyzeOptions::DeviceOffer& offer) {
  AnalyzeOptions::DeviceOffer in_float = offer;
  in_float.scalar_bytes = sizeof(float);
  const DeviceCost constants = device_cost(offer.target, sizeof(float), offer.card),
                   in_double = device_cost(offer.target, sizeof(double), offer.card);
  Analysis::Forecast out = device_forecast(job, in_float);
  out.values_s = device_copy_seconds(constants, sizeof(double) * static_cast<double>(job.nnz));
  const double copies = 2 * sizeof(double) * static_cast<double>(job.n) / constants.host_bandwidth,
               step = device_solve_seconds(constants, job.work, 0) +
                      residual_seconds(in_double, job) + 2 * constants.copy_s;
  out.solve_s = copies + kMixedSolves * step;
  out.bytes += device_residual_bytes(job.n, job.nnz, sizeof(double)) -
               device_residual_bytes(job.n, job.nnz, sizeof(float)) +
               mixed_vector_bytes(job.n, offer.nrhs);
  out.mixed = true;
  return out;
}

}  // namespace kauri::symbolic
