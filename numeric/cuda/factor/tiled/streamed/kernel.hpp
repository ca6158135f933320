// The portable kernel's tasks in float on Hopper, by tensor cores in TF32 or FP16; a producer warp
// copies the operands in bulk. Task lists, fronts and counters are those of the portable kernel,
// and in TF32 all bits of L are the same, too.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/tiled/portable/kernel.hpp"

namespace kauri::numeric::cuda::kernels::streamed {

using portable::Arithmetic;

/// Returns the number of teams, one per thread block, that the current device holds at once; 0 if
/// it cannot run the kernel or the arithmetic is not TF32 or FP16. Call it before the first launch
/// on a device, since it prepares the kernel.
int resident_teams(Arithmetic arithmetic);

/// Enqueues the fronts' partial Cholesky, as kernels::enqueue_factor() (hopper/front_kernel.hpp),
/// but `teams` may be odd. Requires that resident_teams(arithmetic) is not 0, and at least `teams`.
cudaError_t enqueue_factor(Arithmetic arithmetic, const FrontViewOf<float>* fronts,
                           const symbolic::FrontTask* tasks, int task_count, int* ticket,
                           const Levels& levels, const ValuesOf<float>& values,
                           const SumsOf<float>& sums, int least_part, int teams, unsigned pauses,
                           cudaStream_t stream);

}  // namespace kauri::numeric::cuda::kernels::streamed
