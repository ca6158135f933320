// Launches of the fallback of factorisations, level by level.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/plan/memory.hpp"

namespace kauri::numeric::cuda {

/// Loads the kernels of the fallback, and allows them the shared memory that they need, on the
/// current device. Call it once per process and device. Throws Error(device).
void load_level_kernels();

/// Enqueues one level of a factorisation by the fallback. Each front adds its children's blocks in
/// a fixed order, without atomics. The levels below must be enqueued before, and all states be
/// `done` before the first level. Throws Error(device).
template <class T>
void enqueue_level(const PlanView& plan, const Level& level, const FactorMemory<T>& memory,
                   cudaStream_t stream);

}  // namespace kauri::numeric::cuda
