// Dense kernels on tiled fronts of doubles in cells on Hopper: partial Cholesky factorisation of
// one or many fronts in one launch, which pulls children's contribution blocks as they are needed,
// and parts of it alone. They are left-looking: a task reads its tiles of the front once, keeps
// them in the registers of one warp team while a producer warp streams all products through shared
// memory by bulk copies, and writes them once. The calls, with their usual names and their tasks:
//   enqueue_factor        POTRF, and POTRF + TRSM + SYRK of fronts    symbolic::factor_tasks()
//   enqueue_update        SYRK, C -= A A^T, lower tiles               symbolic::update_tasks()
//   enqueue_update        GEMM, C -= A B^T                            symbolic::product_tasks()
//   enqueue_panel_solve   TRSM, X L^T = C                             symbolic::panel_solve()
// enqueue_small_fronts (factor/small/front.hpp) does POTRF + TRSM + SYRK of many fronts of up to
// 128 rows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include "numeric/cuda/plan/front_view.hpp"
#include "symbolic/check/dense_tasks.hpp"

namespace kauri::numeric::cuda::kernels {

/// Returns the number of teams (the workers that draw tasks) that the current device holds at once,
/// which is even; 0 if it cannot run the kernels. Call it once on a device before the first launch
/// there.
int resident_teams();

/// Enqueues the partial Cholesky factorisation of all fronts on the stream and returns the launch's
/// error. `tasks`: factor_tasks() on the device, made for no more than `teams` teams. `ticket` (one
/// int) and all counters must be zero before the launch. A pivot that is not positive is recorded
/// in its front and replaced by 1; all else goes on. `least_part`, `pauses`: as in DeviceSchedule.
cudaError_t enqueue_factor(const FrontView* fronts, const symbolic::FrontTask* tasks,
                           int task_count, int* ticket, const Levels& levels, const Values& values,
                           const Sums& sums, int least_part, int teams, unsigned pauses,
                           cudaStream_t stream);

/// Enqueues C -= A A^T, lower tiles, for fronts whose columns of pivots hold A. `tasks`:
/// update_tasks() on the device; or product_tasks(), then only the tiles of C -= A B^T are made
/// (symbolic::ProductFront). C starts as `loads_block` says; no counters are used. `ticket` must be
/// zero before the launch. Teams draw tasks: if tasks were dealt in turn, teams would drift apart
/// and lose the rows that they share in the L2 cache (13 % at K = 1024).
cudaError_t enqueue_update(const FrontView* fronts, const symbolic::FrontTask* tasks,
                           int task_count, int* ticket, int teams, cudaStream_t stream);

/// Returns the front of a block of a panel solve in `front`, whose panel and inverses it uses.
/// `counters`: as many as FrontView says; they need not be zero. Tiles of a block are counted from
/// its first row, so the solve leaves other numbers in `inverses` than a factorisation: each
/// block's inverses, one block after another.
FrontView block_view(const FrontView& front, const symbolic::PanelSolve::Block& block,
                     int* counters);

/// Enqueues X L^T = C for all rows below the pivots of fronts whose panels hold L, as a
/// factorisation leaves it (zeros above the diagonal), and C below it; X replaces C. First it
/// computes the inverses of L's 16 x 16 blocks, and which of them are to be corrected, as in a
/// factorisation. `blocks`: block_view() of each of solve.block, on the device. `tasks`:
/// solve.task, on the device. `tickets`: as many ints as solve.end has entries, with any values.
/// One launch, and two more for each block of pivots. `pauses`: as in DeviceSchedule.
cudaError_t enqueue_panel_solve(const symbolic::PanelSolve& solve, const FrontView* blocks,
                                const symbolic::FrontTask* tasks, int* tickets, int teams,
                                unsigned pauses, cudaStream_t stream);

}  // namespace kauri::numeric::cuda::kernels
