// Descriptions of fronts with the addresses of one factor, made on the device of what the plan's factors share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/small_factor.hpp"
#include "numeric/cuda/plan/kernels.hpp"

namespace kauri::numeric::cuda {

/// A factor's own arrays of tiled fronts: TiledPlan::counters() or more, as many fronts and as many children as the plan has.
template <class T>
struct TiledViews {
  int* counters;
  kernels::FrontViewOf<T>* front;
  kernels::ChildViewOf<T>* child;
};

/// Fills fronts and children.
template <class T>
void enqueue_views(const DevicePlan& plan, const FactorMemory<T>& memory, const TiledViews<T>& views, cudaStream_t stream);

/// Fills `fronts`, one per small front of the plan.
void enqueue_gathered_views(const DevicePlan& plan, const FactorMemory<double>& memory, GatheredFront* fronts, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
