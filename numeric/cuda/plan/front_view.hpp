// Dense kernels on fronts in cells (symbolic/device/front_cells.hpp) in FP64: partial Cholesky
// factorisation of one or many fronts in one launch, which pulls children's contribution blocks as
// they are needed; and parts of it alone. They are left-looking: a task reads its tiles of the
// front once, keeps them in the registers of one warp team while a producer warp streams all
// products through shared memory by bulk copies, and writes them once. The calls, with their usual
// names:
//   POTRF, and POTRF + TRSM + SYRK of one or many fronts   enqueue_factor         tasks:
//   symbolic::factor_tasks() SYRK, C -= A A^T, lower tiles                          enqueue_update
//   symbolic::update_tasks() GEMM, C -= A B^T                                       enqueue_update
//   symbolic::product_tasks() TRSM, X L^T = C enqueue_panel_solve    symbolic::panel_solve() POTRF
//   + TRSM + SYRK of many fronts of up to 128 rows   enqueue_small_fronts (factor/small/front.hpp)
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "symbolic/check/dense_tasks.hpp"

namespace kauri::numeric::cuda::kernels {

/// A contribution block that a front pulls: its lower triangle, in cells or packed.
template <class T>
struct ChildViewOf {
  const T* block;                   ///< its first entry
  const symbolic::RowMapWord* map;  ///< places of its rows in the parent
  int cell_rows;  ///< rows of cells of a FrontCells::block(); 0: packed, of order `order`
  int order;
};
using ChildView = ChildViewOf<double>;

/// A front on the device. Device memory holds an array of them, one per front.
template <class T>
struct FrontViewOf {
  T* panel = nullptr;  ///< cells.panel(); in: A's entries; out: L
  T* block = nullptr;  ///< cells.block(); in: what `loads_block` says; out: the contribution block
  T* inverses =
      nullptr;  ///< cells.diagonal_entries(); out: the inverses of L's 16 x 16 diagonal blocks
  int* counters = nullptr;  ///< symbolic::counter_count(cells) ints, zero at the start; see kFailed
  double* failed_pivot = nullptr;  ///< out: the first pivot that is not positive and finite, if
                                   ///< counters[kFailed] is not 0
  const ChildViewOf<T>* child = nullptr;
  int child_count = 0;
  int awaited = 0;  ///< number of tasks of the launch that write the children's blocks
  int* parent_counters =
      nullptr;    ///< counters of the front of the launch that waits for this one's block, or null
  int level = 0;  ///< its level in the launch: see Levels
  int block_reuses =
      0;  ///< the block's memory is free once all tasks of the first block_reuses levels are done
  int panel_reuses =
      0;          ///< as block_reuses, for the panel's memory; tasks of kind `fill` wait for it
  int fills = 0;  ///< number of tasks that fill or sum
  int first = 0;  ///< column of Values of the first pivot
  int loads_block =
      0;  ///< not 0: the block holds numbers to start from; otherwise it starts from zero
  symbolic::FrontCells cells{0, 0};
};
using FrontView = FrontViewOf<double>;

/// Progress of the levels of fronts: tasks done in each level (zero at the start), tasks of each
/// level, and the number of first levels that are known to be done (zero at the start). Null if no
/// front reuses memory.
struct Levels {
  int* done = nullptr;
  const int* tasks = nullptr;
  int* passed = nullptr;
};

/// A by columns, for the tasks that fill panels: entry e of column j is value[source[e]], in front
/// row row[e]. Null if no task fills panels.
template <class T>
struct ValuesOf {
  const std::uint32_t* column = nullptr;  ///< first entry of each column, and one more
  const Index* row = nullptr;
  const std::uint32_t* source = nullptr;
  const T* value = nullptr;
  const T* shift = nullptr;  ///< one number, added to the diagonal
};
using Values = ValuesOf<double>;

/// Lists of children's entries, for tasks of kind `sum`: DeviceSchedule::Sums by groups, with
/// places counted from `entries`. Null without sums.
template <class T>
struct SumsOf {
  const Offset* step = nullptr;  ///< DeviceSchedule::Sums::step
  const void* place =
      nullptr;  ///< symbolic::write_sum_places(): std::uint32_t if short_places, else Offset
  const void* term = nullptr;  ///< symbolic::write_sum_terms(), with places of the same type
  bool short_places = true;
  Offset scratch_begin = 0;
  T* entries = nullptr;
};
using Sums = SumsOf<double>;

/// Places in FrontView::counters. One counter per tile row follows (finished slabs of L, of 16
/// columns each), then one per pivot tile (its state).
inline constexpr int kFailed =
    0;  ///< 1 + first padded column without a positive finite pivot, or 0
inline constexpr int kChildren = 1;
inline constexpr int kFilled = 2;
inline constexpr int kRows = symbolic::kCounters;

/// States of a pivot tile. The lowest kProgressBits bits hold its progress. Above them bit s is set
/// if the inverse of its 16 x 16 block s exists and is to be corrected.
inline constexpr int kProgressBits = 3;
inline constexpr int kPrepared = 1;  ///< all products but the last have been subtracted from it
inline constexpr int kFirstBlock =
    2;  ///< + s: L's columns of the blocks up to s, and their inverses, are finished
inline constexpr int kFinished =
    kFirstBlock + symbolic::kTile / 16 - 1;  ///< all blocks are, if the tile has four

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
/// One launch, and two more for each block of pivots. `pauses`: as in DeviceTestHooks.
cudaError_t enqueue_panel_solve(const symbolic::PanelSolve& solve, const FrontView* blocks,
                                const symbolic::FrontTask* tasks, int* tickets, int teams,
                                unsigned pauses, cudaStream_t stream);

}  // namespace kauri::numeric::cuda::kernels
