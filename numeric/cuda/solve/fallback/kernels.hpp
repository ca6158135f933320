// Launches of the fallback of solves, level by level.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/core/verdict.hpp"
#include "numeric/cuda/solve/fallback/memory.hpp"
#include "numeric/dense_view.hpp"

namespace kauri::numeric::cuda {

/// Loads the kernels. Throws Error(device).
void load_solve_kernels();

/// Enqueue the fronts of one level in the forward (memory.y = L^-1 memory.x, which changes
/// memory.x) and in the backward sweep (memory.x = L^-T memory.y) of the fallback. Forward, the
/// lower levels must be enqueued before, backward the higher ones. Throw Error(device).
template <class T>
void enqueue_forward(const PlanView& plan, const Level& level, const SolveMemory<T>& memory,
                     cudaStream_t stream);
template <class T>
void enqueue_backward(const PlanView& plan, const Level& level, const SolveMemory<T>& memory,
                      cudaStream_t stream);
/// enqueue_gather() sets memory.x(k,:) = b(old_of(k),:). enqueue_scatter() sets b(old_of(k),:) =
/// memory.x(k,:) if the verdict is good, else NaN. b is n x memory.nrhs, on the device, as is the
/// verdict. If plan.old_of is null, old_of(k) = k. x may be in double (V) with b in float (T). Both
/// return at once on the device if memory.run_flag says so. Throw Error(device).
template <class T, class V>
void enqueue_gather(const PlanView& plan, Index n, const StridedView<const T>& b,
                    const SolveMemory<V>& memory, cudaStream_t stream);
template <class T, class V>
void enqueue_scatter(const PlanView& plan, Index n, const StridedView<T>& b,
                     const SolveMemory<V>& memory, const DeviceVerdict* verdict,
                     cudaStream_t stream);

}  // namespace kauri::numeric::cuda
