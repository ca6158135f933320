// The launch of the tasks of tiled fronts of doubles on Hopper.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/factor/tiled/hopper/front_kernel.hpp"

#include "numeric/cuda/factor/tiled/hopper/front_kernel.cuh"
#include "numeric/cuda/runtime/launch.hpp"

namespace kauri::numeric::cuda::kernels {

int resident_teams() {
  return kTeams * cooperative_blocks(front_kernel, kBlockThreads, kSharedBytes);
}

cudaError_t enqueue_factor(const FrontView* fronts, const FrontTask* tasks, int task_count,
                           int* ticket, const Levels& levels, const Values& values,
                           const Sums& sums, int least_part, int teams, unsigned pauses,
                           cudaStream_t stream) {
  if (task_count == 0) return cudaSuccess;
  // A cooperative launch, since tasks may wait for tasks that other blocks draw later.
  return launch_cooperative(front_kernel, static_cast<unsigned>(teams / kTeams), kBlockThreads,
                            kSharedBytes, stream, fronts, tasks, task_count, ticket, levels, values,
                            sums, least_part / kSlabColumns, true, pauses);
}

}  // namespace kauri::numeric::cuda::kernels
