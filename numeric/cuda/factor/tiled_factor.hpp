// The tiled fronts of one factor, which one persistent kernel factorises.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/plan/front_view.hpp"
#include "numeric/cuda/plan/kernel_set.hpp"
#include "numeric/cuda/plan/memory.hpp"
#include "numeric/cuda/plan/tiled_plan.hpp"

namespace kauri::numeric::cuda {

/// Views of tiled fronts and of their children with the addresses of one factor, and counters.
template <class T>
class TiledFactor {
 public:
  TiledFactor() = default;
  /// Enqueues the making of the views on the current device: they are valid once the stream has
  /// completed it. `plan` outlives this object. `chosen` has teams > 0. Throws Error: memory,
  /// device, usage (the test hook asks for fewer teams than the tasks need, or an odd number).
  TiledFactor(const DevicePlan& plan, const FactorMemory<T>& memory, const TiledKernels& chosen,
              DeviceBlock& block, cudaStream_t stream);
  /// Enqueues the tasks of all tiled fronts, then the launch that copies their failures to the
  /// fronts' states. All small fronts come before it on the stream.
  void enqueue(const PlanView& view, const FactorMemory<T>& memory, cudaStream_t stream) const;

 private:
  cudaError_t launch(const kernels::Levels& levels, int* ticket, const kernels::ValuesOf<T>& values,
                     cudaStream_t stream) const;

  const TiledPlan* plan_ = nullptr;
  DeviceArray<kernels::FrontViewOf<T>> front_;
  DeviceArray<kernels::ChildViewOf<T>> child_;
  DeviceArray<int>
      counters_;  // of fronts, then of levels, then the ticket and the number of levels done
  kernels::SumsOf<T> sums_;
  Index first_ = 0;  // first tiled front in PlanView::order
  TiledKernels chosen_;
  unsigned pauses_ = 0;
  Index least_part_ = 0;
};

}  // namespace kauri::numeric::cuda
