// Products and triangular solves on tiled fronts, for benchmarks and tests: the kernel of
// factorisations runs with tasks of one operation alone.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/factor/tiled/hopper/dense_kernels.hpp"

#include "numeric/cuda/factor/tiled/hopper/front_kernel.cuh"
#include "numeric/cuda/factor/tiled/hopper/triangle.cuh"
#include "symbolic/device/schedule_lists.hpp"

namespace kauri::numeric::cuda::kernels {

bool prepare_dense_kernels() {
  // Only front_kernel is prepared: prepare_triangles has no dynamic shared memory.
  return cooperative_blocks(front_kernel, kBlockThreads, kSharedBytes) > 0;
}

cudaError_t enqueue_update(const FrontView* fronts, const FrontTask* tasks, int task_count,
                           int* ticket, int teams, cudaStream_t stream) {
  if (task_count == 0) return cudaSuccess;
  return launch(front_kernel, static_cast<unsigned>(teams / kTeams), kBlockThreads, kSharedBytes,
                stream, fronts, tasks, task_count, ticket, Levels{}, Values{}, Sums{},
                symbolic::DeviceSchedule::kLeastPart / kSlabColumns, false, 0U);
}

FrontView block_view(const FrontView& front, const symbolic::PanelSolve::Block& block,
                     int* counters) {
  const symbolic::CellLayout panel = front.cells.panel();
  FrontView view;
  view.panel = front.panel + panel.pair(block.first / kSlabColumns);
  view.block = front.panel + panel.pair((block.first + block.cells.p) / kSlabColumns);
  view.inverses = front.inverses + symbolic::FrontCells{block.first, block.first}
                                       .diagonal_entries();  // the inverses of the pivots before
                                                             // the block have as many entries
  view.counters = counters;
  view.loads_block = 1;
  view.cells = block.cells;
  return view;
}

cudaError_t enqueue_panel_solve(const symbolic::PanelSolve& solve, const FrontView* blocks,
                                const FrontTask* tasks, int* tickets, int teams, unsigned pauses,
                                cudaStream_t stream) {
  if (solve.task.empty()) return cudaSuccess;
  cudaError_t status =
      launch(prepare_triangles, static_cast<unsigned>(solve.block.size()) * kTriangleShares,
             kTriangleThreads, 0, stream, blocks, tickets, static_cast<int>(solve.end.size()));
  Index begin = 0;
  for (std::size_t k = 0; k < solve.end.size() && status == cudaSuccess; begin = solve.end[k++]) {
    // Not a cooperative launch: tasks of a panel solve wait only for tasks before them.
    if (solve.end[k] == begin) continue;
    status =
        launch(front_kernel, static_cast<unsigned>(teams / kTeams), kBlockThreads, kSharedBytes,
               stream, blocks, tasks + begin, solve.end[k] - begin, tickets + k, Levels{}, Values{},
               Sums{}, symbolic::DeviceSchedule::kLeastPart / kSlabColumns, k % 2 == 0, pauses);
  }
  return status;
}

}  // namespace kauri::numeric::cuda::kernels
