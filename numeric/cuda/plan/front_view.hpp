// Dense kernels on fronts in cells (symbolic/device/front_cells.hpp) in FP64: partial Cholesky factorisation of one or many fronts in one
// launch, children's contribution blocks pulled where they are needed; and parts of it alone. Left-looking: a task reads its tiles of the
// front once, keeps them in the registers of one team of warps while all products stream through shared memory by bulk copies of a producer
// warp, and writes them once. The calls, by the names that such things have elsewhere:
//   POTRF, and POTRF + TRSM + SYRK of one or many fronts   enqueue_factor         tasks: symbolic::factor_tasks()
//   SYRK, C -= A A^T, lower tiles                          enqueue_update         symbolic::update_tasks()
//   GEMM, C -= A B^T                                       enqueue_update         symbolic::product_tasks()
//   TRSM, X L^T = C                                        enqueue_panel_solve    symbolic::panel_solve()
//   the first of them for many fronts of up to 128 rows    enqueue_small_fronts   (factor/small/front.hpp)
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "symbolic/check/dense_tasks.hpp"

namespace kauri::numeric::cuda::kernels {

/// A contribution block that a front pulls: lower, in cells or packed.
template <class T>
struct ChildViewOf {
  const T* block;                   ///< its first entry
  const symbolic::RowMapWord* map;  ///< of its rows in the parent
  int cell_rows;                    ///< FrontCells::block() with as many rows of cells; 0: packed, of order `order`
  int order;
};
using ChildView = ChildViewOf<double>;

/// A front on the device. Lives in device memory as an array, one per front.
template <class T>
struct FrontViewOf {
  T* panel = nullptr;              ///< cells.panel(); in: A's entries; out: L
  T* block = nullptr;              ///< cells.block(); in: what `loads_block` says; out: the contribution block
  T* inverses = nullptr;           ///< cells.diagonal_entries(); out: the inverses of L's 16 x 16 diagonal blocks
  int* counters = nullptr;         ///< symbolic::counter_count(cells) ints, zero at the start
  double* failed_pivot = nullptr;  ///< out: the first pivot that is not positive and finite, if counters[kFailed] is not 0
  const ChildViewOf<T>* child = nullptr;
  int child_count = 0;
  int awaited = 0;                 ///< tasks of the launch that write the children's blocks
  int* parent_counters = nullptr;  ///< of the front of the launch that waits for this one's block, or null
  int level = 0;                   ///< of the launch: see Levels
  int block_reuses = 0;            ///< the block's memory is free once all tasks of the levels below this one are done
  int panel_reuses = 0;            ///< the same of the panel's; asked for by `fill`
  int fills = 0;                   ///< tasks that fill or sum
  int first = 0;                   ///< column of Values of the first pivot
  int loads_block = 0;             ///< not 0: the block holds numbers to start from; otherwise it starts from zero
  symbolic::FrontCells cells{0, 0};
};
using FrontView = FrontViewOf<double>;

/// Tasks of each level of fronts: done so far (zero at the start), and in all; and how many of the first levels are known to be done (zero
/// at the start). Null where no front reuses memory.
struct Levels {
  int* done = nullptr;
  const int* tasks = nullptr;
  int* passed = nullptr;
};

/// A by columns, for the tasks that fill panels: entry e of column j is value[source[e]], in front row row[e]. Null elsewhere.
template <class T>
struct ValuesOf {
  const std::uint32_t* column = nullptr;  ///< where it begins, and one more
  const Index* row = nullptr;
  const std::uint32_t* source = nullptr;
  const T* value = nullptr;
  const T* shift = nullptr;  ///< one number, added to the diagonal
};
using Values = ValuesOf<double>;

/// Lists of children's entries, for tasks of kind `sum`: DeviceSchedule::Sums by groups, places counted from `entries`. Null elsewhere.
template <class T>
struct SumsOf {
  const Offset* step = nullptr;  ///< DeviceSchedule::Sums::step
  const void* place = nullptr;   ///< symbolic::write_sum_places(): std::uint32_t if short_places, else Offset
  const void* term = nullptr;    ///< symbolic::write_sum_terms(), the same
  bool short_places = true;
  Offset scratch_begin = 0;
  T* entries = nullptr;
};
using Sums = SumsOf<double>;

/// Places in FrontView::counters; then one counter per tile row (slabs of L, of 16 columns each, that are finished), then one per pivot
/// tile: what is known of it.
inline constexpr int kFailed = 0;  ///< 1 + first padded column without a positive finite pivot, or 0
inline constexpr int kChildren = 1;
inline constexpr int kFilled = 2;
inline constexpr int kRows = symbolic::kCounters;

/// States of a pivot tile: how far it is, in the lowest kProgressBits; above these 2^s for each 16 x 16 block s, of those that are there,
/// whose inverse is to be corrected.
inline constexpr int kProgressBits = 3;
inline constexpr int kPrepared = 1;    ///< all products but the last are taken from it
inline constexpr int kFirstBlock = 2;  ///< + s: L's columns of the blocks up to s and their inverses are there
inline constexpr int kFinished = kFirstBlock + symbolic::kTile / 16 - 1;  ///< all, if there are as many

/// Teams (the workers that draw tasks) that the current device holds at once, even; 0 if it cannot run the kernels. To be called once
/// before the first launch on a device.
int resident_teams();

/// Partial Cholesky factorisation of all fronts. `tasks`: factor_tasks() on the device, made for no more than `teams` teams, with `ticket`
/// (one int) and all counters zero before the launch. A pivot that is not positive is recorded in its front, replaced by 1, and all else
/// goes on. Enqueued on the stream; returns the launch's error.
/// `least_part`, `pauses`: as in DeviceSchedule.
cudaError_t enqueue_factor(const FrontView* fronts, const symbolic::FrontTask* tasks, int task_count, int* ticket, const Levels& levels,
                           const Values& values, const Sums& sums, int least_part, int teams, unsigned pauses, cudaStream_t stream);

/// C -= A A^T, lower tiles, for fronts whose columns of pivots hold A. `tasks`: update_tasks() on the device; or product_tasks(), then only
/// the tiles of C -= A B^T (symbolic::ProductFront). C as `loads_block` says; no counters are used. `ticket` zero before the launch. Drawn,
/// not dealt: dealt in turn, teams drift apart and lose the rows they share in the L2 cache (13 % at K = 1024).
cudaError_t enqueue_update(const FrontView* fronts, const symbolic::FrontTask* tasks, int task_count, int* ticket, int teams,
                           cudaStream_t stream);

/// The front of a block of a panel solve in `front`, of whom panel and inverses are used. `counters`: as many as FrontView says, which need
/// not be zero. Tiles of a block begin with it, so what the solve leaves in `inverses` is not what a factorisation does: each block's own
/// inverses, one block after another.
FrontView block_view(const FrontView& front, const symbolic::PanelSolve::Block& block, int* counters);

/// X L^T = C for all rows below the pivots of fronts whose panels hold L, as a factorisation leaves it (zeros above the diagonal), and C
/// below it: X over C. The inverses of L's 16 x 16 blocks are found first, and which of them are to be corrected, as in a factorisation.
/// `blocks`: block_view() of each of solve.block, on the device, as `tasks`, solve.task, is; `tickets`: as many as solve.end, whatever they
/// hold. One launch, and two more for each block of pivots. `pauses`: as in DeviceSchedule.
cudaError_t enqueue_panel_solve(const symbolic::PanelSolve& solve, const FrontView* blocks, const symbolic::FrontTask* tasks, int* tickets,
                                int teams, unsigned pauses, cudaStream_t stream);

}  // namespace kauri::numeric::cuda::kernels
