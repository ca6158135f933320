// The chain of a front on any device from sm_80 on. Warps 0 and 1 of a team factorise one diagonal
// tile after another; warps 2 and 3, 16 columns behind, make the tile below each, and alone read
// tiles of L of other teams. All wait for `prepare` tasks. Warps 0 and 1 multiply the tile below by
// its transpose, for the next diagonal tile.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/tiled/portable/block.cuh"

namespace kauri::numeric::cuda::kernels::portable {

// Named barriers: one for each half of the team (warps 0 and 1: the diagonal tile; 2 and 3: the
// tile below), and those between the halves and announcers.
inline constexpr int kHalfBarrier = 1;     // for warps 0 and 1; the next one for 2 and 3
inline constexpr int kProductBarrier = 3;  // warps 0 and 1 no longer read L(j,j-1)
inline constexpr int kSlabBarrier = 4;  // and the next three: columns 16 s.. of L(j,j) are complete
inline constexpr int kBelowBarrier =
    8;  // and the next three: columns 16 s.. of L(j+1,j) are complete, for the next step
inline constexpr int kReadBarrier = 12;  // announcers have read L(j,j)
inline constexpr int kMadeBarrier = 13;  // L(j+1,j) is in memory, for announcers
inline constexpr int kLastRowsBarrier =
    14;  // warp 1 has updated the last rows of L(j,j), so warp 0 may solve for its rows among them
inline constexpr int kHalfThreads = kThreads / 2;

/// Shared memory of a chain.
template <class T>
struct ChainMemory {
  T* diagonal;     // slabs of L(j,j), each at place()
  T* below;        // slabs of L(j,j-1), then of L(j+1,j)
  T* left;         // rows of two warps in slabs of L(j+1,j-1): kLeftSlabs slabs each
  T* reciprocals;  // kTile: reciprocals of L(j,j)'s diagonal
  T* exchange;     // kExchangeEntries: scratch of eliminate_block()

  __device__ explicit ChainMemory(const Room<T>& room)
      : diagonal(room.work),
        below(room.work + kDiagonalEntries),
        left(room.left),
        reciprocals(room.reciprocals),
        exchange(room.exchange) {}
  __device__ static constexpr int place(int slab) { return slab_place<kPacksDiagonal>(slab); }
};
static_assert(kDiagonalEntries + kTileEntries <= kWorkEntries);

/// Step j of a chain: diagonal tile (j,j) of a front and the tile below it, (j+1,j).
template <class T>
struct ChainStep {
  const FrontViewOf<T>& front;
  int j;

  __device__ bool has_below() const { return j + 1 < front.cells.row_tiles(); }
  __device__ bool pulls() const {
    return j < 2 && front.child_count > 0;
  }  // in later steps the `prepare` task has pulled the children's blocks
  __device__ int width() const { return front.cells.cells_of(j); }
  __device__ TileViewOf<T> tile(int below) const { return tile_of(front, j + below, j); }
};

/// Sets acc to minus (tile (j + below, j) in memory, from cell row row_cell on, plus the children's
/// entries if step.pulls()); first waits for the `prepare` task of step j. In memory the tile lacks
/// only the products of tile column j - 1. Called by any warp of the team.
template <class Loop>
__device__ __forceinline__ void read_beginning(typename Loop::Accumulators& acc,
                                               const ChainStep<typename Loop::T>& step, int below,
                                               int row_cell, int lane) {
  const auto& cells = step.front.cells;
  set_zero<Loop>(acc);
  if (step.j >= 2) wait_warp(state_of(step.front, step.j), kPrepared, Awaited::prepared, lane);
  subtract_tile<Loop>(acc, step.tile(below), row_cell, lane);
  if (step.pulls())
    gather<Loop>(acc, step.front, (cells.first_cell(step.j + below) + row_cell) * kCell,
                 cells.first_cell(step.j) * kCell, lane);
}
/// Writes the result of read_beginning() to `there`, in local memory.
template <class Loop>
__device__ __noinline__ void load_beginning(typename Loop::Accumulators& there,
                                            const ChainStep<typename Loop::T>& step, int below,
                                            int row_cell, int lane) {
  typename Loop::Accumulators acc;
  read_beginning<Loop>(acc, step, below, row_cell, lane);
  copy<Loop>(there, acc);
}
/// Calls read_beginning(). Inlined in a kernel of doubles, it would take registers from the
/// products, whose accumulators would be spilled; called in the streamed kernel, it would make
/// ptxas wait for each group of products.
template <class Kernel, class Loop = typename Kernel::Loop>
__device__ __forceinline__ void begin(typename Loop::Accumulators& acc,
                                      const ChainStep<typename Loop::T>& step, int below,
                                      int row_cell, int lane) {
  if constexpr (Kernel::kAnnouncers > 0) {
    read_beginning<Loop>(acc, step, below, row_cell, lane);
  } else {
    typename Loop::Accumulators there;
    load_beginning<Loop>(there, step, below, row_cell, lane);
    copy<Loop>(acc, there);
  }
}

/// Updates C -= X_s T_s^T in a warp's rows, which begin at `rows` in the slabs: slab s holds X_s,
/// the cell columns behind it, up to `columns`, hold C. `triangle`: slabs of T = L(j,j). Keeps no
/// registers between calls, so loops over s need not be unrolled. kPacked: the rows are the last
/// ones of `triangle` itself, and s is 0.
template <class Loop, bool kPacked = false>
__device__ __forceinline__ void update_right(typename Loop::T* rows,
                                             const typename Loop::T* triangle, int s, int columns,
                                             int lane) {
  typename Loop::Accumulators acc;
  take<Loop, kPacked>(acc, rows, 2 * s + 2, columns, lane);
  Loop::InTile::multiply(acc, rows + s * kSlabEntries, triangle + slab_place<kPacksDiagonal>(s),
                         2 * s + 2, columns, lane);
  put<Loop, kPacked>(acc, rows, 2 * s + 2, columns, lane, kTileCells / 2);
}

// ---- The diagonal tile: warps 0 and 1 hold 32 rows each. Then warp 0 eliminates the blocks of 16
// columns and solves for the rows of the next block, since it waits for no others; meanwhile warp 1
// solves for the rows below these and updates them. ----

/// Factorises diagonal block s of L(j,j) in its slab, where only the products of slab s - 1 are
/// still to be subtracted. Records a failed pivot in the front unless failed_before, then sets
/// that.
template <class T>
__device__ __forceinline__ void eliminate(const ChainStep<T>& step, const ChainMemory<T>& memory,
                                          int s, bool& failed_before, int lane) {
  const int column = step.j * kTile + s * kSlabColumns;
  T* rows = memory.diagonal + 2 * s * kPairEntries;
  T* inverse = step.front.inverses + symbolic::FrontCells::diagonal_place(column, column);
  const FailedPivot<T> failed =
      eliminate_block(rows + memory.place(s), s > 0 ? rows + memory.place(s - 1) : nullptr,
                      2 * s + 1 == step.width(), inverse, memory.reciprocals + s * kSlabColumns,
                      memory.exchange, lane);
  if (failed.column == kSlabColumns || failed_before) return;
  failed_before = true;
  if (lane == 0)
    step.front.counters[kFailed] = 1 + column + failed.column,
    *step.front.failed_pivot = static_cast<double>(failed.value);
}

/// Solves for row first + lane of slab s of L(j,j), if there is one, in place, by block (s,s).
template <class T>
__device__ __forceinline__ void solve_rows(const ChainStep<T>& step, const ChainMemory<T>& memory,
                                           int s, int first, int lane) {
  T* slab = memory.diagonal + memory.place(s);
  if (first + lane < step.width() * kCell)
    substitute(slab_row(slab, first + lane), slab + 2 * s * kPairEntries,
               memory.reciprocals + s * kSlabColumns);
  __syncwarp();
}

/// Subtracts the products of slab 1 from columns 32-63 of the last 16 rows of L(j,j). Called by one
/// warp: 16 columns of a row per lane.
template <class T>
__device__ __forceinline__ void update_last(const ChainMemory<T>& memory, int lane) {
  const int row = kTile - kSlabColumns + lane % 16, block = 2 + lane / 16;
  const T* slab = memory.diagonal + memory.place(1);
  T* target = slab_row(memory.diagonal + memory.place(block), row);
  T a[kSlabColumns], x[kSlabColumns];
  load_row(a, target), load_row(x, slab_row(slab, row));
#pragma unroll
  for (int c = 0; c < kSlabColumns; ++c) {
    T other[kSlabColumns];
    load_row(other, slab_row(slab, block * kSlabColumns + c));
#pragma unroll
    for (int k = 0; k < kSlabColumns; ++k) a[c] = fma(-x[k], other[k], a[c]);
  }
  store_row(target, a);
  __syncwarp();
}

/// Does warp 0's part of L(j,j): factorises each diagonal block and solves for the 16 rows below
/// it. Returns true if a pivot has failed, now or, if `failed`, before.
template <class Kernel, class T = typename Kernel::T>
__device__ __forceinline__ bool eliminate_tile(const ChainStep<T>& step,
                                               const ChainMemory<T>& memory, bool failed,
                                               int lane) {
  const int blocks = (step.width() + 1) / 2;
#pragma unroll 1
  for (int s = 0; s < kSlabs; ++s) {
    if (s < blocks) eliminate(step, memory, s, failed, lane);
    if (s + 1 < blocks) {
      if (s > 0) ptx::named_sync(kLastRowsBarrier, kHalfThreads);
      solve_rows(step, memory, s, lane < 16 ? (s + 1) * kSlabColumns : kTile, lane);
    }
    if (s + 2 < blocks) ptx::named_arrive(kHalfBarrier, kHalfThreads);
    ptx::named_arrive(kSlabBarrier + s,
                      kThreads + Kernel::kAnnouncers);  // for every width: warps 2 and 3 wait
  }
  return failed;
}

/// Does warp 1's part of L(j,j): solves for the rows that warp 0 leaves, and updates them.
template <class Kernel, class Loop = typename Kernel::Loop, class T = typename Kernel::T>
__device__ __forceinline__ void finish_last_rows(const ChainStep<T>& step,
                                                 const ChainMemory<T>& memory, int lane) {
  const int blocks = (step.width() + 1) / 2;
#pragma unroll 1
  for (int s = 0; s < kSlabs; ++s) {
    const bool works = s + 2 < blocks;
    if (works) {
      ptx::named_sync(kHalfBarrier, kHalfThreads);  // warp 0 has made block s and the rows below
      solve_rows(step, memory, s, s == 0 || lane >= 16 ? kTile / 2 : kTile, lane);
    }
    ptx::named_arrive(kSlabBarrier + s, kThreads + Kernel::kAnnouncers);
    if (!works) continue;
    if (s == 0)
      update_right<Loop, kPacksDiagonal>(memory.diagonal + kWarpSlabEntries, memory.diagonal, 0,
                                         kTileCells, lane);
    else
      update_last(memory, lane);
    __syncwarp();
    ptx::named_arrive(kLastRowsBarrier, kHalfThreads);
  }
}

/// Stores slab s of L(j,j) in `diagonal`, from its diagonal block down, to the tile in global
/// memory.
template <class T>
__device__ __forceinline__ void store_columns(const TileViewOf<T>& tile, const T* diagonal, int s,
                                              int thread, int threads) {
  const int c = 2 * s, entries = (tile.width - c) * tile.pair_width(c) *
                                 kCellEntries;  // a single column: one cell
  const T* from = diagonal + slab_place<kPacksDiagonal>(s) + c * kPairEntries;
  T* to = tile.cell(c, c);
  for (int e = thread * kUnit<T>; e < entries; e += threads * kUnit<T>) {
    T unit[kUnit<T>];
    load_unit(unit, from + e);
    store_unit(to + e, unit);
  }
}

/// Computes L(j,j); stores it if no announcers do. Called by warps 0 and 1. Returns true if a pivot
/// has failed, in this step or, if `failed`, before.
template <class Kernel>
__device__ __forceinline__ bool run_diagonal(const FrontViewOf<typename Kernel::T>& front, int j,
                                             bool failed) {
  using Loop = typename Kernel::Loop;
  using T = typename Loop::T;
  const ChainStep<T> step{front, j};
  const ChainMemory<T> memory(Kernel::room());
  const Member me = this_thread();
  typename Loop::Accumulators acc;
  const int columns =
      me.warp == 0 ? kTileCells / 2 : kTileCells;  // entries right of the diagonal are not needed
  begin<Kernel>(acc, step, 0, 4 * me.warp, me.lane);
#pragma unroll 1
  for (int s = 0; s < kSlabs && step.j > 0; ++s) {
    ptx::named_sync(kBelowBarrier + s, kThreads);
    const T* slab = memory.below + s * kSlabEntries;
    Loop::multiply(acc, slab + me.warp * kWarpSlabEntries, slab, 0, columns, me.lane);
  }
  ptx::named_arrive(kProductBarrier, kThreads);
  if (Kernel::kAnnouncers > 0 && step.j > 0)
    ptx::named_sync(kReadBarrier, kHalfThreads + Kernel::kAnnouncers);
  put<Loop, kPacksDiagonal>(acc, memory.diagonal + me.warp * kWarpSlabEntries, 0, columns, me.lane,
                            4 * me.warp);
  __syncwarp();
  if (me.warp == 0)
    failed = eliminate_tile<Kernel>(step, memory, failed, me.lane);
  else
    finish_last_rows<Kernel>(step, memory, me.lane);
  if constexpr (Kernel::kAnnouncers == 0) {
    ptx::named_sync(kHalfBarrier, kHalfThreads);
    for (int s = 0; 2 * s < step.width(); ++s)
      store_columns(step.tile(0), memory.diagonal, s, me.thread(), kHalfThreads);
    Kernel::publish();
    ptx::named_sync(kHalfBarrier, kHalfThreads);
    if (me.thread() == 0) {
      ptx::release_fence();
      ptx::store_relaxed(state_of(step.front, step.j), kFinished);
    }
  }
  return failed;
}

// ---- the tile below: warps 2 and 3 ----

/// Adds L(j+1,j-1) L(j,j-1)^T to acc in a warp's rows; the former comes from global memory by way
/// of the warp's part of memory.left, 16 columns after 16 as soon as another team has announced
/// them, since the next step waits for the last of them; the latter lies in memory.below.
template <class Kernel, class Loop = typename Kernel::Loop>
__device__ __forceinline__ void add_left_product(typename Loop::Accumulators& acc,
                                                 const ChainStep<typename Loop::T>& step,
                                                 const ChainMemory<typename Loop::T>& memory,
                                                 int row_cell, const Member& me) {
  constexpr int kAtOnce = Kernel::kLeftSlabs;
  typename Loop::T* rows = memory.left + (me.warp - 2) * kAtOnce * kWarpSlabEntries;
  const TileViewOf<typename Loop::T> left = tile_of(step.front, step.j + 1, step.j - 1);
  const int before = slabs_in(step.front, step.j - 1);
  int ready = 0, loaded = 0;  // slabs of L(j+1,j-1), from the first
#pragma unroll 1
  for (int s = 0; s < kSlabs; ++s) {
    if (ready <= s)
      ready = count_for_warp(step.front.counters + kRows + step.j + 1, before + s + 1,
                             Awaited::slabs, me.lane) -
              before;
    if (loaded <= s) {
      loaded = min(ready, (s / kAtOnce + 1) * kAtOnce);
#pragma unroll 1
      for (int k = s; k < loaded; ++k)
        copy_slab(rows + k % kAtOnce * kWarpSlabEntries, left, row_cell,
                  min(4, left.height - row_cell), 2 * k, me.lane, 32);
      ptx::commit_copies();
      ptx::wait_for_copies<0>();
      __syncwarp();
    }
    Loop::multiply(acc, rows + s % kAtOnce * kWarpSlabEntries, memory.below + s * kSlabEntries, 0,
                   kTileCells, me.lane);
    __syncwarp();
  }
}

/// Computes L(j+1,j), if the front has it. Called by warps 2 and 3. `next`: step j + 1 follows.
template <class Kernel>
__device__ __forceinline__ void run_below(const FrontViewOf<typename Kernel::T>& front, int j,
                                          bool next) {
  using Loop = typename Kernel::Loop;
  using T = typename Loop::T;
  const ChainStep<T> step{front, j};
  const ChainMemory<T> memory(Kernel::room());
  const Member me = this_thread();
  const int row_cell = 4 * (me.warp - 2);
  const TileViewOf<T> tile = step.tile(step.has_below() ? 1 : 0);
  const bool active = step.has_below() && row_cell < tile.height;
  typename Loop::Accumulators acc;
  if (active) begin<Kernel>(acc, step, 1, row_cell, me.lane);
  ptx::named_sync(kHalfBarrier + 1,
                  kHalfThreads);  // the other warp's rows of L(j,j-1) are complete, too
  if (active && step.j > 0) add_left_product<Kernel>(acc, step, memory, row_cell, me);
  ptx::named_sync(kProductBarrier, kThreads);
  T* rows = memory.below + (me.warp - 2) * kWarpSlabEntries;
  if (active) put<Loop>(acc, rows, 0, kTileCells, me.lane);
  for (int s = 0; s < kSlabs; ++s) {
    ptx::named_sync(kSlabBarrier + s, kThreads + Kernel::kAnnouncers);
    const bool solves = active && 2 * s < tile.width;
    T* x = rows + s * kSlabEntries;
    if (solves)
      substitute(slab_row(x, me.lane), memory.diagonal + memory.place(s) + 2 * s * kPairEntries,
                 memory.reciprocals + s * kSlabColumns);
    __syncwarp();
    if (next) ptx::named_arrive(kBelowBarrier + s, kThreads);
    if (!solves) continue;
    if (2 * s + 2 < tile.width) update_right<Loop>(rows, memory.diagonal, s, kTileCells, me.lane);
    store_slab(tile, x, row_cell, 2 * s, me.lane);
    __syncwarp();
  }
  Kernel::publish();
  if constexpr (Kernel::kAnnouncers > 0) {
    ptx::named_arrive(kMadeBarrier, kHalfThreads + Kernel::kAnnouncers);
  } else {
    ptx::named_sync(kHalfBarrier + 1, kHalfThreads);
    if (!step.has_below() || me.thread() != kHalfThreads) return;
    ptx::release_fence();
    ptx::store_relaxed(step.front.counters + kRows + step.j + 1, slabs_in(step.front, step.j + 1));
  }
}

/// Factorises all diagonal tiles of the front, each with the tile below. Called by the whole team.
template <class Kernel>
__device__ __forceinline__ void run_chain(const FrontViewOf<typename Kernel::T>& front,
                                          const Levels& levels) {
  const Member me = this_thread();
  const int tiles = front.cells.pivot_tiles();
  bool failed = false;
  Kernel::sync();  // a warp may still read, for the task before, the memory of the first tiles
  if (front.fills > 0) wait_warp(front.counters + kFilled, front.fills, Awaited::filled, me.lane);
  if (front.child_count > 0) wait_for_children(front, me.lane);
  for (int j = 0; j < tiles; ++j) {
    if (me.warp < 2)
      failed = run_diagonal<Kernel>(front, j, failed);
    else
      run_below<Kernel>(front, j, j + 1 < tiles);
  }
  Kernel::sync();
  if (Kernel::kAnnouncers > 0 || me.thread() != 0 || levels.done == nullptr) return;
  ptx::release_fence();
  ptx::add_relaxed(levels.done + front.level, 1);
}

/// Stores the diagonal tiles of a chain and announces its results: by columns, so that other teams
/// solve with finished columns. Called by the announcer, a warp beside the team.
template <class Kernel, class T = typename Kernel::T>
__device__ __forceinline__ void announce_chain(const FrontViewOf<T>& front, const Levels& levels,
                                               int lane) {
  static_assert(Kernel::kAnnouncers == 32);
  const ChainMemory<T> memory(Kernel::room());
  const int tiles = front.cells.pivot_tiles();
  for (int j = 0; j < tiles; ++j) {
    const ChainStep<T> step{front, j};
    const TileViewOf<T> tile = step.tile(0);
    for (int s = 0; s < kSlabs; ++s) {
      ptx::named_sync(kSlabBarrier + s, kThreads + Kernel::kAnnouncers);
      const bool there = 2 * s < tile.width, last = 2 * s + 2 >= tile.width;
      if (there) store_columns(tile, memory.diagonal, s, lane, 32);
      __syncwarp();
      if (s == kSlabs - 1 && j + 1 < tiles)
        ptx::named_arrive(kReadBarrier, kHalfThreads + Kernel::kAnnouncers);
      if (there) {
        Kernel::publish();
        __syncwarp();
        if (lane == 0) {
          ptx::release_fence();
          ptx::store_relaxed(state_of(front, j), last ? kFinished : kFirstBlock + s);
        }
        __syncwarp();
      }
    }
    ptx::named_sync(kMadeBarrier, kHalfThreads + Kernel::kAnnouncers);
    if (step.has_below() && lane == 0) {
      ptx::release_fence();
      ptx::store_relaxed(front.counters + kRows + j + 1, slabs_in(front, j + 1));
    }
    __syncwarp();
  }
  if (lane > 0 || levels.done == nullptr) return;
  ptx::release_fence();
  ptx::add_relaxed(levels.done + front.level, 1);
}

}  // namespace kauri::numeric::cuda::kernels::portable
