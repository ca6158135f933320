// The portable kernel's tasks in float on Hopper, by tensor cores in TF32 or FP16; a producer warp
// copies the operands in bulk. Lists, fronts and counters are the same, and in TF32 so are all bits
// of L.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/tiled/portable/kernel.hpp"

namespace kauri::numeric::cuda::kernels::streamed {

using portable::Arithmetic;

/// Returns the teams that the current device holds at once, as portable::resident_teams(); 0 also
/// if the device lacks the instructions.
int resident_teams(Arithmetic arithmetic);

/// Enqueues a factorisation, as kernels::enqueue_factor().
cudaError_t enqueue_factor(Arithmetic arithmetic, const FrontViewOf<float>* fronts,
                           const symbolic::FrontTask* tasks, int task_count, int* ticket,
                           const Levels& levels, const ValuesOf<float>& values,
                           const SumsOf<float>& sums, int least_part, int teams, unsigned pauses,
                           cudaStream_t stream);

}  // namespace kauri::numeric::cuda::kernels::streamed
