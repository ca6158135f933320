// The tiled fronts of a plan done by one persistent kernel: its arrays on the device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/kernels.hpp"
#include "numeric/cuda/kernels/front_kernels.hpp"
#include "numeric/cuda/loops.hpp"

namespace kauri::numeric::cuda {

/// What DeviceSchedule::task needs: views of fronts and children, row maps, tasks, counters. Bound to the memory of one factor.
template <class T>
class TiledFactor {
 public:
  TiledFactor() = default;
  /// On the current device. Throws Error(memory).
  /// `loops`: choose_loops<T>() of the device, with teams.
  TiledFactor(const Plan& plan, const FactorMemory<T>& memory, const Loops& loops, Uploader& uploader);
  /// All tiled fronts, after the levels of small ones: the tasks, and what failed to the fronts' states.
  void enqueue(const PlanView& view, const FactorMemory<T>& memory, cudaStream_t stream) const;

 private:
  void upload_children(const Plan& plan, const FactorMemory<T>& memory, std::vector<kernels::FrontViewOf<T>>& views, Uploader& uploader);
  cudaError_t launch(const kernels::Levels& levels, int* ticket, const kernels::ValuesOf<T>& values, cudaStream_t stream) const;
  void upload_sums(const DeviceSchedule& schedule, Uploader& uploader);

  DeviceArray<kernels::FrontViewOf<T>> front_;
  DeviceArray<kernels::ChildViewOf<T>> child_;
  DeviceArray<DeviceTask> task_;
  DeviceArray<symbolic::RowMapWord> row_map_;
  DeviceArray<Index> level_tasks_;
  DeviceArray<int> counters_;  // of fronts, then of levels, then the ticket and how many levels are done
  kernels::SumsOf<T> sums_;    // their arrays
  Offset level_counters_ = 0;
  Index first_ = 0;  // in PlanView::order
  Loops loops_;
  unsigned pauses_ = 0;
  Index least_part_ = 0;
};

}  // namespace kauri::numeric::cuda
