// The tiled fronts of a plan done by one persistent kernel, in the memory of one factor.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/plan/kernel_set.hpp"
#include "numeric/cuda/plan/kernels.hpp"
#include "numeric/cuda/plan/tiled_plan.hpp"

namespace kauri::numeric::cuda {

/// Views of fronts and children, and counters.
template <class T>
class TiledFactor {
 public:
  TiledFactor() = default;
  /// On the current device: the views are there when the stream has come so far. `plan` outlives this. `chosen`: has teams. Throws Error:
  /// memory, device, usage (too few teams).
  TiledFactor(const DevicePlan& plan, const FactorMemory<T>& memory, const TiledKernels& chosen, DeviceBlock& block, cudaStream_t stream);
  /// All tiled fronts, after the levels of small ones: the tasks, and what failed to the fronts' states.
  void enqueue(const PlanView& view, const FactorMemory<T>& memory, cudaStream_t stream) const;

 private:
  cudaError_t launch(const kernels::Levels& levels, int* ticket, const kernels::ValuesOf<T>& values, cudaStream_t stream) const;

  const TiledPlan* plan_ = nullptr;
  DeviceArray<kernels::FrontViewOf<T>> front_;
  DeviceArray<kernels::ChildViewOf<T>> child_;
  DeviceArray<int> counters_;  // of fronts, then of levels, then the ticket and how many levels are done
  kernels::SumsOf<T> sums_;
  Index first_ = 0;  // in PlanView::order
  TiledKernels chosen_;
  unsigned pauses_ = 0;
  Index least_part_ = 0;
};

}  // namespace kauri::numeric::cuda
