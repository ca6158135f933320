// The tiled fronts of a plan done by one persistent kernel: its arrays on the device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/kernels.hpp"
#include "numeric/cuda/kernels/front_kernels.hpp"

namespace kauri::numeric::cuda {

/// What DeviceSchedule::task needs: views of fronts and children, row maps, tasks, counters. Bound to the memory of one factor.
class TiledFactor {
 public:
  TiledFactor() = default;
  /// On the current device. Throws Error(memory).
  /// `teams`: kernels::resident_teams() of the device, at least symbolic::kFewestTeams.
  TiledFactor(const Plan& plan, const FactorMemory<double>& memory, int teams, Uploader& uploader);
  /// All tiled fronts, after the levels of small ones: the tasks, and what failed to the fronts' states.
  void enqueue(const PlanView& view, const FactorMemory<double>& memory, cudaStream_t stream) const;

 private:
  void upload_children(const Plan& plan, const FactorMemory<double>& memory, std::vector<kernels::FrontView>& views, Uploader& uploader);
  void upload_sums(const DeviceSchedule::Sums& sums, Uploader& uploader);

  DeviceArray<kernels::FrontView> front_;
  DeviceArray<kernels::ChildView> child_;
  DeviceArray<DeviceTask> task_;
  DeviceArray<Index> row_map_, level_tasks_;
  DeviceArray<Offset> sum_step_, sum_place_, sum_term_;
  DeviceArray<int> counters_;  // of fronts, then of levels, then the ticket and how many levels are done
  Offset level_counters_ = 0, sums_scratch_ = 0;
  Index first_ = 0;  // in PlanView::order
  int teams_ = 0;
  unsigned pauses_ = 0;
  Index least_part_ = 0;
};

}  // namespace kauri::numeric::cuda
