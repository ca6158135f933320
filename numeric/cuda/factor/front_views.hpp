// Descriptions of fronts with the addresses of one factor, made on the device from the data that
// all factors of a plan share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/small/gathered_fronts.hpp"
#include "numeric/cuda/plan/front_view.hpp"
#include "numeric/cuda/plan/memory.hpp"

namespace kauri::numeric::cuda {

/// Device arrays of one factor for its tiled fronts: at least TiledPlan::counters() counters, one
/// `front` for each tiled front and one `child` for each pulled child of the plan.
template <class T>
struct TiledViews {
  int* counters;
  kernels::FrontViewOf<T>* front;
  kernels::ChildViewOf<T>* child;
};

/// Loads the kernels. Throws Error(device).
void load_view_kernels();

/// Enqueues the kernels that fill views.front and views.child; of views.counters only addresses are
/// used. Throws Error(device).
template <class T>
void enqueue_views(const DevicePlan& plan, const FactorMemory<T>& memory,
                   const TiledViews<T>& views, cudaStream_t stream);

/// Enqueues the kernel that fills `fronts`, one description for each narrow or small front of the
/// plan. `homes`: the plan's arrays with the records of enqueue_homes(), if panels leave the
/// device. Throws Error(device).
template <class T>
void enqueue_gathered_views(const DevicePlan& plan, const PlanView& homes,
                            const FactorMemory<T>& memory, GatheredFront<T>* fronts,
                            cudaStream_t stream);

/// Enqueues the kernel that writes the records of all fronts of a plan with segments to `home`,
/// with the places where panels are when the factorisation has ended. host: entries from
/// FactorMemory::entries to the beginning of the panels in host memory. Throws Error(device).
void enqueue_homes(const DevicePlan& plan, Offset host, Front* home, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
