// Launches of products with L and L^T, level by level.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/solve/memory.hpp"

namespace kauri::numeric::cuda {

/// Loads the kernels. Throws Error(device).
void load_product_kernels();

/// Enqueues memory.y = L memory.x for the pivot rows of a level, and its update rows. The levels of
/// its children must be done.
template <class T>
void enqueue_product(const PlanView& plan, const Level& level, const SolveMemory<T>& memory,
                     cudaStream_t stream);
/// Enqueues memory.y = L^T memory.x for the pivot rows of a level. Levels may be done in any order;
/// update rows are not used.
template <class T>
void enqueue_transposed_product(const PlanView& plan, const Level& level,
                                const SolveMemory<T>& memory, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
