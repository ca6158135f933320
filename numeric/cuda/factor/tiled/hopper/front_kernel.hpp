// The kernel of tiled fronts of doubles in cells on Hopper: partial Cholesky factorisation (POTRF,
// and POTRF + TRSM + SYRK) of one or many fronts in one launch, which pulls children's contribution
// blocks as they are needed. The kernel is left-looking: a task reads its tiles of the front once,
// keeps them in the registers of one warp team while a producer warp streams all products through
// shared memory by bulk copies, and writes them once. Tasks: symbolic::factor_tasks().
// dense_kernels.hpp has products and solves alone, for benchmarks and tests.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include "numeric/cuda/plan/front_view.hpp"

namespace kauri::numeric::cuda::kernels {

/// Returns the number of teams (the workers that draw tasks) that the current device holds at once,
/// which is even; 0 if it cannot run the kernel. Call it once on a device before the first launch
/// there, since it prepares the kernel.
int resident_teams();

/// Enqueues the partial Cholesky factorisation of all fronts on the stream and returns the launch's
/// error. `fronts`: on the device, in the order to which the tasks refer. `tasks`: factor_tasks()
/// on the device, made for no more than `teams` teams, or a part of that list that a launch may do
/// by itself (DeviceSchedule::level_end); `teams`: even, at most resident_teams(). `ticket` (one
/// int) must be zero before each launch, and all counters before the first. A pivot that is not
/// positive and finite is replaced by 1, and the first of a front is recorded in its
/// counters[kFailed] and failed_pivot; all other work goes on. `least_part`, `pauses`: as in
/// DeviceTestHooks.
cudaError_t enqueue_factor(const FrontView* fronts, const symbolic::FrontTask* tasks,
                           int task_count, int* ticket, const Levels& levels, const Values& values,
                           const Sums& sums, int least_part, int teams, unsigned pauses,
                           cudaStream_t stream);

}  // namespace kauri::numeric::cuda::kernels
