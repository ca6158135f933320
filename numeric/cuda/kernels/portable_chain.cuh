// The chain of a front on any device from sm_80 on: its diagonal tiles one after another, by two warps of a block, each with the tile below
// it, by the two others, which follow them 16 columns behind and wait alone for what other blocks still have to finish.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/kernels/portable_update.cuh"

namespace kauri::numeric::cuda::kernels::portable {

// Named barriers: each of the halves of a block, and what the diagonal's half tells the other.
inline constexpr int kHalfBarrier = 1;     // and the next
inline constexpr int kProductBarrier = 3;  // L(j,j-1) is not read any more
inline constexpr int kSlabBarrier = 4;     // and the next three: columns 16 s.. of L(j,j) are there
inline constexpr int kHalfThreads = kThreads / 2;

/// Shared memory of a chain.
template <class T>
struct ChainMemory {
  T* diagonal;     // slabs of L(j,j)
  T* below;        // slabs of L(j,j-1), then of L(j+1,j)
  T* left;         // a slab's rows of L(j+1,j-1), two warps'
  T* reciprocals;  // kTile: of L(j,j)'s diagonal
  T* columns;      // two columns of 16

  __device__ explicit ChainMemory(const Room<T>& room)
      : diagonal(room.work),
        below(room.work + kTileEntries),
        left(room.work + 2 * kTileEntries),
        reciprocals(room.reciprocals),
        columns(room.columns) {}
};
static_assert(2 * kTileEntries + 2 * kWarpSlabEntries <= kWorkEntries);

/// A diagonal tile of a front and the one below.
template <class T>
struct ChainStep {
  const FrontViewOf<T>& front;
  int j;

  __device__ bool has_below() const { return j + 1 < front.cells.row_tiles(); }
  __device__ bool pulls() const { return j < 2 && front.child_count > 0; }  // else a preparation has
  __device__ int width() const { return front.cells.cells_of(j); }
  __device__ TileViewOf<T> tile(int below) const { return tile_of(front, j + below, j); }
};

/// Positive and finite.
template <class T>
__device__ __forceinline__ bool is_positive(T x) {
  return x > T(0) && !isinf(x);
}

/// 1 / sqrt(x), x positive and finite.
__device__ __forceinline__ double reciprocal_root(double x) {
  if (x > 1e-290 && x < 1e290) return ptx::reciprocal_root(x);
  const bool small = x < 1.0;
  return ptx::reciprocal_root(x * (small ? 0x1p512 : 0x1p-512)) * (small ? 0x1p256 : 0x1p-256);
}
__device__ __forceinline__ float reciprocal_root(float x) {
  const float y = rsqrtf(x), r = fmaf(-(x * y), y, 1.0F);
  return fmaf(0.5F * y, r, y);
}

/// The first pivot of a block that is not positive and finite: its column (16: none), and what it was.
template <class T>
struct FailedPivot {
  int column = kSlabColumns;
  T value = 0;
};

/// Cholesky of a 16 x 16 block of a slab, over it; the inverse to `inverse` in global memory, and the reciprocals of the diagonal. One
/// warp: lanes 0-15 hold the rows of the block, the others those of the identity, which become the columns of the inverse. Pivots that are
/// not positive and finite become 1, and the first of them is returned.
template <class T>
__device__ __forceinline__ FailedPivot<T> eliminate_block(T* block, T* inverse, T* reciprocals, T* columns, int lane) {
  const int row = lane & 15;
  T* own = slab_row(block, row);
  FailedPivot<T> failed;
  T a[kSlabColumns];
#pragma unroll
  for (int c = 0; c < kSlabColumns; ++c) a[c] = lane < 16 ? own[c / kCell * kCellEntries + c % kCell] : T(c == row ? 1 : 0);
#pragma unroll
  for (int k = 0; k < kSlabColumns; ++k) {
    T* column = columns + k % 2 * kSlabColumns;  // two in turn: the next is written while this one is read
    if (lane < 16) column[lane] = a[k];
    __syncwarp();
    T pivot = column[k];
    if (!is_positive(pivot)) {
      if (failed.column == kSlabColumns) failed = {k, pivot};
      pivot = 1;
      if (lane == k) a[k] = 1;
    }
    const T over_root = reciprocal_root(pivot);
    if (lane == 0) reciprocals[k] = over_root;
    a[k] *= over_root;
#pragma unroll
    for (int c = k + 1; c < kSlabColumns; ++c) a[c] = fma(-a[k], column[c] * over_root, a[c]);
  }
#pragma unroll
  for (int c = 0; c < kSlabColumns; ++c) {
    if (lane < 16)
      own[c / kCell * kCellEntries + c % kCell] = c <= row ? a[c] : T(0);
    else
      inverse[symbolic::CellLayout{2, 2}.place(c, row)] = a[c];
  }
  __syncwarp();
  return failed;
}

/// Where the last block of a front's pivots has a row of cells that L lacks: those of the identity. One warp.
template <class T>
__device__ __forceinline__ void pad_block(T* block, int lane) {
  for (int e = lane; e < 2 * kCellEntries; e += 32)
    block[kPairEntries + e] = e >= kCellEntries && e % kCellEntries / kCell == e % kCell ? T(1) : T(0);
  __syncwarp();
}

/// acc += minus tile (j + below, j), without what the last column of tiles before gives it. A warp of either half.
template <class Loop>
__device__ __forceinline__ void subtract_beginning(typename Loop::Accumulators& acc, const ChainStep<typename Loop::T>& step, int below,
                                                   int row_cell, int lane) {
  const auto& cells = step.front.cells;
  if (step.j >= 2) wait_warp(state_of(step.front, step.j), kPrepared, lane);
  subtract_tile<Loop>(acc, step.tile(below), row_cell, lane);
  if (step.pulls())
    gather<Loop>(acc, step.front, (cells.first_cell(step.j + below) + row_cell) * kCell, cells.first_cell(step.j) * kCell, lane);
}

/// What columns 16 s.. of X give those right of them, C -= X_s T_s^T in a warp's rows, which begin at `rows` in slabs of C and of X alike.
/// No registers hold anything between times, so that loops over s need not be unrolled.
template <class Loop>
__device__ __forceinline__ void update_right(typename Loop::T* rows, const typename Loop::T* triangle, int s, int columns, int lane) {
  typename Loop::Accumulators acc;
  take<Loop>(acc, rows, 2 * s + 2, columns, lane);
  Loop::InTile::multiply(acc, rows + s * kSlabEntries, triangle + s * kSlabEntries, 2 * s + 2, columns, lane);
  put<Loop>(acc, rows, 2 * s + 2, columns, lane);
}

// ---- the diagonal tile: warps 0 and 1, 32 rows each ----

/// Columns 16 s.. of L(j,j) in a slab, which holds them as they are to be eliminated.
template <class T>
__device__ __forceinline__ void eliminate_slab(const ChainStep<T>& step, const ChainMemory<T>& memory, int s, bool& failed_before,
                                               const Member& me) {
  const int width = step.width(), column = step.j * kTile + s * kSlabColumns;
  T* slab = memory.diagonal + s * kSlabEntries;
  T* block = slab + 2 * s * kPairEntries;
  T* reciprocals = memory.reciprocals + s * kSlabColumns;
  ptx::named_sync(kHalfBarrier, kHalfThreads);
  if (me.warp == 0) {
    if (2 * s + 1 == width) pad_block(block, me.lane);
    T* inverse = step.front.inverses + symbolic::FrontCells::diagonal_place(column, column);
    const FailedPivot<T> failed = eliminate_block(block, inverse, reciprocals, memory.columns, me.lane);
    if (failed.column < kSlabColumns && !failed_before) {
      failed_before = true;
      if (me.lane == 0)
        step.front.counters[kFailed] = 1 + column + failed.column, *step.front.failed_pivot = static_cast<double>(failed.value);
    }
  }
  ptx::named_sync(kHalfBarrier, kHalfThreads);
  if (me.thread() >= (s + 1) * kSlabColumns && me.thread() < width * kCell) substitute(slab_row(slab, me.thread()), block, reciprocals);
  __syncwarp();
  ptx::named_sync(kHalfBarrier, kHalfThreads);
}

/// Step j. Returns whether a pivot has failed, in this step or, as `failed` tells, before.
template <class Kernel>
__device__ __forceinline__ bool run_diagonal(const FrontViewOf<typename Kernel::T>& front, int j, bool failed) {
  using Loop = typename Kernel::Loop;
  using T = typename Loop::T;
  const ChainStep<T> step{front, j};
  const ChainMemory<T> memory(Kernel::room());
  const Member me = this_thread();
  typename Loop::Accumulators acc;
  const int columns = me.warp == 0 ? kTileCells / 2 : kTileCells;  // what lies right of the diagonal is not needed
  set_zero<Loop>(acc);
  for (int s = 0; s < kSlabs && step.j > 0; ++s) {
    const T* slab = memory.below + s * kSlabEntries;
    Loop::multiply(acc, slab + me.warp * kWarpSlabEntries, slab, 0, columns, me.lane);
  }
  ptx::named_arrive(kProductBarrier, kThreads);
  subtract_beginning<Loop>(acc, step, 0, 4 * me.warp, me.lane);
  T* rows = memory.diagonal + me.warp * kWarpSlabEntries;
  put<Loop>(acc, rows, 0, columns, me.lane);
  for (int s = 0; s < kSlabs; ++s) {
    if (2 * s < step.width()) eliminate_slab(step, memory, s, failed, me);
    ptx::named_arrive(kSlabBarrier + s, kThreads);  // whatever the width: the other half counts on all
    if (2 * s + 2 >= step.width()) continue;
    update_right<Loop>(rows, memory.diagonal, s, columns, me.lane);
  }
  const TileViewOf<T> tile = step.tile(0);
  for (int c = 0; c < tile.width; c += 2) {
    const int entries = (tile.width - c) * tile.pair_width(c) * kCellEntries;  // of a column that is alone, one cell
    const T* from = memory.diagonal + c / 2 * kSlabEntries + c * kPairEntries;
    T* to = tile.cell(c, c);
    for (int e = me.thread() * kUnit<T>; e < entries; e += kHalfThreads * kUnit<T>) {
      T unit[kUnit<T>];
      load_unit(unit, from + e);
      store_unit(to + e, unit);
    }
  }
  Kernel::publish();
  ptx::named_sync(kHalfBarrier, kHalfThreads);
  if (me.thread() == 0) {
    ptx::release_fence();
    ptx::store_relaxed(state_of(step.front, step.j), kFinished);
  }
  return failed;
}

// ---- the tile below: warps 2 and 3 ----

/// acc += L(j+1,j-1) L(j,j-1)^T in a warp's rows, from global memory by way of its own part of `left`.
template <class Loop>
__device__ __forceinline__ void add_left_product(typename Loop::Accumulators& acc, const ChainStep<typename Loop::T>& step,
                                                 const ChainMemory<typename Loop::T>& memory, int row_cell, const Member& me) {
  typename Loop::T* rows = memory.left + (me.warp - 2) * kWarpSlabEntries;
  wait_warp(step.front.counters + kRows + step.j + 1, slabs_in(step.front, step.j), me.lane);
  const TileViewOf<typename Loop::T> left = tile_of(step.front, step.j + 1, step.j - 1);
  for (int s = 0; s < kSlabs; ++s) {
    copy_slab(rows, left, row_cell, min(4, left.height - row_cell), 2 * s, me.lane, 32);
    ptx::commit_copies();
    ptx::wait_for_copies<0>();
    __syncwarp();
    Loop::multiply(acc, rows, memory.below + s * kSlabEntries, 0, kTileCells, me.lane);
    __syncwarp();
  }
}

/// Step j.
template <class Kernel>
__device__ __forceinline__ void run_below(const FrontViewOf<typename Kernel::T>& front, int j) {
  using Loop = typename Kernel::Loop;
  using T = typename Loop::T;
  const ChainStep<T> step{front, j};
  const ChainMemory<T> memory(Kernel::room());
  const Member me = this_thread();
  const int row_cell = 4 * (me.warp - 2);
  const TileViewOf<T> tile = step.tile(step.has_below() ? 1 : 0);
  const bool active = step.has_below() && row_cell < tile.height;
  typename Loop::Accumulators acc;
  if (active) {
    set_zero<Loop>(acc);
    if (step.j > 0) add_left_product<Loop>(acc, step, memory, row_cell, me);
    subtract_beginning<Loop>(acc, step, 1, row_cell, me.lane);
  }
  ptx::named_sync(kProductBarrier, kThreads);
  T* rows = memory.below + (me.warp - 2) * kWarpSlabEntries;
  if (active) put<Loop>(acc, rows, 0, kTileCells, me.lane);
  for (int s = 0; s < kSlabs; ++s) {
    ptx::named_sync(kSlabBarrier + s, kThreads);
    if (!active || 2 * s >= tile.width) continue;
    T* x = rows + s * kSlabEntries;
    substitute(slab_row(x, me.lane), memory.diagonal + s * kSlabEntries + 2 * s * kPairEntries, memory.reciprocals + s * kSlabColumns);
    __syncwarp();
    store_slab(tile, x, row_cell, 2 * s, me.lane);
    if (2 * s + 2 < tile.width) update_right<Loop>(rows, memory.diagonal, s, kTileCells, me.lane);
    __syncwarp();
  }
  Kernel::publish();
  ptx::named_sync(kHalfBarrier + 1, kHalfThreads);
  if (!step.has_below() || me.thread() != kHalfThreads) return;
  ptx::release_fence();
  ptx::store_relaxed(step.front.counters + kRows + step.j + 1, slabs_in(step.front, step.j + 1));
}

/// The whole chain: the whole team.
template <class Kernel>
__device__ __forceinline__ void run_chain(const FrontViewOf<typename Kernel::T>& front, const Levels& levels) {
  const Member me = this_thread();
  bool failed = false;
  if (front.fills > 0) wait_warp(front.counters + kFilled, front.fills, me.lane);
  if (front.child_count > 0) wait_for_children(front, me.lane);
  for (int j = 0; j < front.cells.pivot_tiles(); ++j) {
    if (me.warp < 2)
      failed = run_diagonal<Kernel>(front, j, failed);
    else
      run_below<Kernel>(front, j);
    Kernel::sync();
  }
  if (me.thread() != 0 || levels.done == nullptr) return;
  ptx::release_fence();
  ptx::add_relaxed(levels.done + front.level, 1);
}

}  // namespace kauri::numeric::cuda::kernels::portable
