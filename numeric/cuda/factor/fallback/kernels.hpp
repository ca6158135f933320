// Launches of the fallback of factorisations, level by level.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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

}  // namespace kauri::numeric::cuda
