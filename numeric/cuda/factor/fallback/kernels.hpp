// Launches of the fallback of factorisations, level by level, and of the states that the tasks of
// tiled fronts leave.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/plan/front_view.hpp"
#include "numeric/cuda/plan/memory.hpp"

namespace kauri::numeric::cuda {

/// Allows the kernels the shared memory that they need, and loads them. Call it once per process
/// and device. Throws Error(device).
void load_level_kernels();

/// Enqueues one level of a factorisation by the fallback. Each front adds its children's blocks in
/// a fixed order, without atomics. The levels below must be enqueued before.
template <class T>
void enqueue_level(const PlanView& plan, const Level& level, const FactorMemory<T>& memory,
                   cudaStream_t stream);
/// Enqueues a kernel that copies the failures of `count` tiled fronts, from plan.order[first] on,
/// from the counters of `fronts` to memory.state and memory.fail_column.
template <class T>
void enqueue_states(const PlanView& plan, Index first, Index count,
                    const kernels::FrontViewOf<T>* fronts, const FactorMemory<T>& memory,
                    cudaStream_t stream);

}  // namespace kauri::numeric::cuda
