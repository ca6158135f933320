// Dense operations on tiled fronts of doubles by Hopper's kernels (kauri_dense_kernels: benchmarks
// and tests link them, the library does not). By their usual names:
//   SYRK, C -= A A^T, lower tiles: enqueue_update(), tasks: symbolic::update_tasks();
//   GEMM, C -= A B^T: enqueue_update(), tasks: symbolic::product_tasks();
//   TRSM, X L^T = C: enqueue_panel_solve(), tasks: symbolic::panel_solve().
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include "numeric/cuda/plan/front_view.hpp"
#include "symbolic/check/dense_tasks.hpp"

namespace kauri::numeric::cuda::kernels {

/// Lets the kernels of the calls below have the dynamic shared memory that they need on the current
/// device, which is more than a kernel has by default (48 KB). Call it before the first of these
/// calls: they launch their own copy of the kernel of tiled fronts, and resident_teams() prepares
/// the library's copy. Returns false if the device cannot run the kernels. The other kernels of
/// kauri_dense_kernels are prepared by prepare_small_fronts() (factor/small/front.hpp).
[[nodiscard]] bool prepare_dense_kernels();

/// Enqueues C -= A A^T, lower tiles, for fronts whose columns of pivots hold A; C is
/// FrontView::block. `tasks`: update_tasks() on the device; or product_tasks(), then only the tiles
/// of C -= A B^T are made (symbolic::ProductFront). C starts as FrontView::loads_block says; no
/// counters are used. `ticket` must be zero before the launch. `teams`: an even number. Teams draw
/// tasks: if tasks were dealt in turn, teams would drift apart and lose the rows that they share in
/// the L2 cache (13 % at K = 1024). Returns the launch's error.
cudaError_t enqueue_update(const FrontView* fronts, const symbolic::FrontTask* tasks,
                           int task_count, int* ticket, int teams, cudaStream_t stream);

/// Returns the front of a block of pivots of a panel solve in `front`, whose panel and inverses it
/// uses. `counters`: as many as FrontView says; they need not be zero. Tiles of a block are counted
/// from its first row, so the solve leaves other numbers in `inverses` than a factorisation: each
/// block's inverses, one block after another.
FrontView block_view(const FrontView& front, const symbolic::PanelSolve::Block& block,
                     int* counters);

/// Enqueues the solve of X L^T = C for all rows below the pivots of fronts whose panels hold L, as
/// a factorisation leaves it (zeros above the diagonal), and C below it; X replaces C. First
/// computes the inverses of L's 16 x 16 blocks, and which of them are to be corrected, as in a
/// factorisation. `blocks`: block_view() of each of solve.block, on the device. `tasks`:
/// solve.task, on the device. `tickets`: as many ints as solve.end has entries, on the device, with
/// any values. One launch, and two more for each block of pivots. `teams`: an even number;
/// `pauses`: as in DeviceTestHooks. Returns the first error of a launch.
cudaError_t enqueue_panel_solve(const symbolic::PanelSolve& solve, const FrontView* blocks,
                                const symbolic::FrontTask* tasks, int* tickets, int teams,
                                unsigned pauses, cudaStream_t stream);

}  // namespace kauri::numeric::cuda::kernels
