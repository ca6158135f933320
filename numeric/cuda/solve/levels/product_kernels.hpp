// Launches of products with L and L^T.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/plan/kernels.hpp"

namespace kauri::numeric::cuda {

/// memory.y = L memory.x for the pivot rows of a level, whose children's levels are done; update rows too.
template <class T>
void enqueue_product(const PlanView& plan, const Level& level, const SolveMemory<T>& memory, cudaStream_t stream);
/// memory.y = L^T memory.x for the pivot rows of a level, in any order of levels; no update rows.
template <class T>
void enqueue_transposed_product(const PlanView& plan, const Level& level, const SolveMemory<T>& memory, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
