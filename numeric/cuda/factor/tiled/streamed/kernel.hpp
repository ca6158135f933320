// The portable kernel's tasks in float with operands by bulk copies of a warp of their own: Hopper, by tensor cores in TF32. The same
// lists, fronts and counters, and the same bits.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/tiled/portable/kernel.hpp"

namespace kauri::numeric::cuda::kernels::streamed {

using portable::Arithmetic;

/// As portable::resident_teams(); 0 also where the device has no such instructions.
int resident_teams(Arithmetic arithmetic);

/// As kernels::enqueue_factor().
cudaError_t enqueue_factor(Arithmetic arithmetic, const FrontViewOf<float>* fronts, const symbolic::FrontTask* tasks, int task_count,
                           int* ticket, const Levels& levels, const ValuesOf<float>& values, const SumsOf<float>& sums, int least_part,
                           int teams, unsigned pauses, cudaStream_t stream);

}  // namespace kauri::numeric::cuda::kernels::streamed
