// Launches of products with L and L^T, level by level.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/solve/fallback/memory.hpp"

namespace kauri::numeric::cuda {

/// Loads the kernels. Throws Error(device).
void load_product_kernels();

/// Enqueues the computation of the rows of memory.y = L memory.x that are pivots of a level's
/// fronts, and of these fronts' update rows in memory.update. Lower levels must be enqueued before.
/// Throws Error(device).
template <class T>
void enqueue_product(const PlanView& plan, const Level& level, const SolveMemory<T>& memory,
                     cudaStream_t stream);
/// Enqueues the computation of the rows of memory.y = L^T memory.x that are pivots of a level's
/// fronts. Levels may be done in any order; memory.update is not used. Throws Error(device).
template <class T>
void enqueue_transposed_product(const PlanView& plan, const Level& level,
                                const SolveMemory<T>& memory, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
