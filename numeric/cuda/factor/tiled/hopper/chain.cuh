// The chain of a front: its diagonal tiles one after another, each factorised with the tile below
// it, by the warps of one team.
//
// Warp 0 eliminates, and the other warps are arranged so that it waits as little as possible. Warps
// 1-3 make the tile below, 16 columns behind warp 0 (substitution by blocks, with their inverses).
// The product of the tile below and its transpose is subtracted from the next diagonal tile, from
// shared memory. The producer stores and announces finished columns and tiles. The fetcher copies
// other teams' tiles.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/tiled/hopper/diagonal_tile.cuh"

namespace kauri::numeric::cuda::kernels {

/// Stores block column k of L(j,j), 16 columns, and the inverse of block k to global memory, and
/// announces them: other teams may read them then. Called by one thread, the producer.
__device__ inline void announce_columns(const FrontView& front, const ChainMemory& memory, int j,
                                        int k) {
  const TileView tile = tile_of(front, j, j);
  const int cells = tile.pair_width(2 * k) == 2 ? 2 * (tile.height - 2 * k) : 1;
  ptx::bulk_store(front.inverses + (j * kSlabs + k) * kInverseEntries,
                  memory.inverse + k * kInverseEntries, kInverseEntries * 8);
  ptx::bulk_store(tile.cell(2 * k, 2 * k), memory.diagonal + shared_cell(2 * k, 2 * k),
                  cells * kCellEntries * 8);
  ptx::finish_stores();
  ptx::proxy_fence();
  ptx::store_release(state_of(front, j), kFirstBlock + k + (memory.corrected[k] << kProgressBits));
}

/// Begins the store of a tile below the diagonal from shared to global memory; ptx::finish_stores()
/// completes it. Called by one thread, the producer.
__device__ inline void store_tile(const double* shared, const TileView& tile) {
  for (int column = 0; column < tile.width; column += 2) {
    if (tile.pair_width(column) == 2) {
      ptx::bulk_store(tile.cell(0, column), shared + shared_cell(0, column),
                      2 * tile.height * kCellEntries * 8);
    } else {
      for (int r = 0; r < tile.height; ++r)
        ptx::bulk_store(tile.cell(r, column), shared + shared_cell(r, column), kCellEntries * 8);
    }
  }
}

/// Entries of the tile below that one of warps 1-3 holds: its 16 rows in c[0]. Warp 3 solves for
/// the last 16 rows too, in c[1]; warps 1 and 2 add the products of these rows, half of the columns
/// each, in `last`.
struct BelowRows {
  static constexpr int kLastRow = symbolic::kTileCells - 2;
  double c[2][8][4];
  double last[4][4];

  /// load_rows() loads the 16 rows of this warp, 1 to 3, into c[0]; load_last() loads half of the
  /// last 16 rows into `last`: the right half in warp 2, else the left one. Where the tile has no
  /// cell, they load zeros. Every warp calls both, also if it does not use what they load: a
  /// register set in one branch and used in another takes registers from all other code.
  __device__ void load_rows(const TileView& tile, const Member& me) {
    load_cells(c[0], tile, tile.whole(), 2 * (me.warp - 1), 0, me.lane);
  }
  __device__ void load_last(const TileView& tile, const Member& me) {
    load_cells(last, tile, tile.whole(), kLastRow, me.warp == 2 ? 4 : 0, me.lane);
  }
};

/// Replaces start.c[0], the entries of 16 rows of the tile below from cell row `row` on, by P Q^T
/// minus these entries and, if step.pulls, minus the children's; P = L(j+1,j-1), Q = L(j,j-1), and
/// P Q^T only if step.has_product. Products of earlier columns have been subtracted in memory.
/// kHalf 0 or 1, for warps 1 and 2: does so for that half of start.last, too, and stores it to
/// memory.left. kHalf -1, for warp 3: leaves start.last.
template <int kHalf>
__device__ inline void multiply_below(BelowRows& start, const ChainMemory& memory,
                                      const FrontView& front, const ChainStep& step, int row,
                                      const Member& me) {
  constexpr bool kLast = kHalf >= 0;
  constexpr int kFrom = kHalf == 1 ? 4 : 0, kRow = BelowRows::kLastRow;
  const int lane = me.lane;
  double(&c)[8][4] = start.c[0];
  double(&d)[4][4] = start.last;
  flip(c);
  if constexpr (kLast) flip(d);
  if (step.pulls) {
    gather<1, 8>(&c, front, step.row + 8 * row, step.column, lane);
    if constexpr (kLast)
      gather<1, 4>(&d, front, step.row + 8 * kRow, step.column + 8 * kFrom, lane);
  }
  ptx::barrier_wait(&memory.barriers->left, step.phase);
  if (step.has_product) {
#pragma unroll 2
    for (int k = 0; k < 8; k += 2) {
      double a[8], a_last[8], b[4];
      load_a(a, memory.left, row, k, lane);
      if constexpr (kLast) load_a(a_last, memory.left, kRow, k, lane);
#pragma unroll
      for (int n = 0; n < 8; ++n) {
        load_b(b, memory.below, n, k, lane);
        ptx::mma(c[n], a, b);
        if constexpr (kLast)
          if (n / 4 == kFrom / 4) ptx::mma(d[n % 4], a_last, b);
      }
    }
  }
  if (!step.whole()) {  // columns beyond the tile's width hold products with rows that L(j,j-1)
                        // lacks, whose contents are unspecified
#pragma unroll
    for (int n = 0; n < 8; ++n) {
      if (n < step.diagonal.width) continue;
      set_zero(c[n]);
      if constexpr (kLast)
        if (n / 4 == kFrom / 4) set_zero(d[n % 4]);
    }
  }
  if constexpr (kLast) {
    ptx::named_sync(me.barriers + kLastRowsBarrier, kPair);  // both warps have read the last rows
                                                             // of memory.left, which are
                                                             // overwritten now
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      store_cell(memory.left, kRow, kFrom + n, lane, d[n][0], d[n][1]);
      store_cell(memory.left, kRow + 1, kFrom + n, lane, d[n][2], d[n][3]);
    }
  }
}

/// Solves X L(j,j)^T = C for kRowBlocks blocks of 16 rows from cell row `row` on, with minus C in
/// `c`, and stores X to memory.below: 16 columns at a time, once those of L(j,j) are complete; then
/// moves `c` 16 columns left. If kRowBlocks is 1, adds X X^T to `square`. `blocks`: number along
/// the side of L(j,j). Called by one warp; `next` as in make_below().
template <int kRowBlocks>
__device__ inline void solve_below(double (&c)[2][8][4], double (&square)[2][4],
                                   const ChainMemory& memory, const ChainStep& step, int blocks,
                                   bool next, int row, const Member& me) {
  const int lane = me.lane;
#pragma unroll 1
  for (int s = 0; s < blocks; ++s) {
    if (s == kSlabs - 1 && next && me.warp != 1)
      ptx::named_arrive(me.barriers + kSquareBarrier, kConsumers);
    ptx::barrier_wait(memory.barriers->column + s, step.phase);
    const bool corrects = (memory.corrected[s] >> s & 1) != 0;
    double a[kRowBlocks][8];
#pragma unroll
    for (int r = 0; r < kRowBlocks; ++r) {
      as_operand(a[r], c[r][0], c[r][1]);
      multiply_inverse(memory, c[r][0], c[r][1], a[r], s, corrects, lane);
    }
    if (kRowBlocks == 1) {
      const double x[2][4] = {{c[0][0][0], c[0][0][1], c[0][0][2], c[0][0][3]},
                              {c[0][1][0], c[0][1][1], c[0][1][2], c[0][1][3]}};
      add_square(square, x);
    }
#pragma unroll
    for (int r = 0; r < kRowBlocks; ++r) {
#pragma unroll
      for (int n = 0; n < 2; ++n)
        store_flipped(memory.below, c[r][n], row + 2 * r, 2 * s + n, lane);
      flipped_operand(a[r], c[r][0], c[r][1]);
    }
#pragma unroll
    for (int n = 2; n < 8; ++n) {
      if (n % 2 == 0 && n + 2 * s >= symbolic::kTileCells) break;
      double b[4];
      load_b(b, memory.diagonal, 2 * s + n, 2 * s, lane);
#pragma unroll
      for (int r = 0; r < kRowBlocks; ++r) ptx::mma(c[r][n - 2], a[r], b, c[r][n]);
    }
  }
}

/// Makes the tile below in memory.below, by warps 1-3, 16 columns behind warp 0: 16 rows each, and
/// warp 3 also the last 16 rows, whose products warps 1 and 2 have added. `next`: step j + 1
/// follows, for which warp 1 stores the square of the first 16 rows to memory.square.
__device__ inline void make_below(BelowRows& start, const ChainMemory& memory,
                                  const ChainStep& step, int blocks, bool next, const Member& me) {
  const int lane = me.lane, row = 2 * (me.warp - 1);
  double square[2][4];
  set_zero(square[0]), set_zero(square[1]);
  // After the barrier warps 1-3 have read L(j,j-1) in memory.below, which is overwritten now, and
  // warps 1 and 2 have written the last 16 rows to memory.left, where warp 3 reads them.
  ptx::named_sync(me.barriers + kBelowBarrier, kHelpers);
  if (me.warp < 3) {
    solve_below<1>(start.c, square, memory, step, blocks, next, row, me);
  } else {
    double(&last)[8][4] = start.c[1];
#pragma unroll
    for (int n = 0; n < 8; ++n) {
      const double2 top = load_cell(memory.left, 6, n, lane),
                    bottom = load_cell(memory.left, 7, n, lane);
      last[n][0] = top.x, last[n][1] = top.y, last[n][2] = bottom.x, last[n][3] = bottom.y;
    }
    solve_below<2>(start.c, square, memory, step, blocks, next, row, me);
  }
  if (!next || me.warp != 1) return;
  double2* to = reinterpret_cast<double2*>(memory.square) + lane;
#pragma unroll
  for (int i = 0; i < 4; ++i)
    to[32 * i] = make_double2(square[i / 2][i % 2 * 2], square[i / 2][i % 2 * 2 + 1]);
  __syncwarp();
  ptx::named_arrive(me.barriers + kSquareBarrier, kConsumers);
}

__device__ inline bool has_below(const FrontView& front, int j) {
  return j + 1 < front.cells.row_tiles();
}

/// Returns tile (j + 1, j) in global memory; a tile without cells if the front has none.
__device__ inline TileView tile_below(const FrontView& front, int j) {
  TileView tile = tile_of(front, has_below(front, j) ? j + 1 : j, j);
  if (!has_below(front, j)) tile.height = 0;
  return tile;
}

/// Returns step j of a chain. `steps`: number of steps in the team's earlier chains.
__device__ inline ChainStep chain_step(const FrontView& front, int j, unsigned steps) {
  return {tile_of(front, j, j),
          j >= 1,
          j < 2 && front.child_count > 0,
          has_below(front, j) ? front.cells.first_cell(j + 1) * symbolic::kCell : 0,
          j * kTile,
          (steps + j) & 1};
}

/// Factorises all diagonal tiles of a front, each with the tile below. Called by the four consumer
/// warps; the producer calls announce_chain() and the fetcher fetch_for_chain() for the same front.
__device__ inline void run_chain(const FrontView& front, ptx::SharedAddress stages,
                                 ChainBarriers& barriers, const Member& member) {
  const unsigned steps = barriers.steps;
  bool failed_before = false;
  ptx::named_sync(member.barriers + kBegunBarrier,
                  kChainThreads);  // no warp reads stages of the task before
  if (front.fills > 0)
    wait_warp(front.counters + kFilled, front.fills, Awaited::filled, member.lane);
  if (front.child_count > 0) wait_for_children(front, member.lane);
  for (int j = 0; j < front.cells.pivot_tiles(); ++j) {
    const Member me = member.again();
    const ChainMemory memory = chain_memory(stages, &barriers);
    const int warp = me.warp, lane = me.lane;
    const ChainStep step = chain_step(front, j, steps);
    const int blocks = blocks_of(front, j);
    if (warp == 0) {
      load_first(memory, front, step, me);
      eliminate_tile(front, memory, j, blocks, me, failed_before);
      continue;
    }
    ptx::barrier_wait(&memory.barriers->first, step.phase);
    BelowRows below;
    load_others(memory, front, step, blocks, me,
                [&] { below.load_rows(tile_below(front, j), me); });
    below.load_last(tile_below(front, j), me);
    if (warp == 3 && lane == 0)  // arrives for block columns 2 and 3 only to say that this step has
                                 // begun: the producer and the fetcher are in it too
      ptx::barrier_arrive(memory.barriers->column + 2),
          ptx::barrier_arrive(memory.barriers->column + 3);
    const bool next = j + 1 < front.cells.pivot_tiles(), makes_below = has_below(front, j);
    if (warp == 3 && makes_below)
      multiply_below<-1>(below, memory, front, step, 4,
                         me);  // warp 3's part of the diagonal tile is due later
    if (blocks > 1)
      help_below(memory, step, blocks, me);
    else
      help_nothing(memory, me);
    if (warp == 1 && makes_below) multiply_below<0>(below, memory, front, step, 0, me);
    if (warp == 2 && makes_below) multiply_below<1>(below, memory, front, step, 2, me);
    if (makes_below)
      make_below(below, memory, step, blocks, next, me);
    else
      ptx::barrier_wait(&memory.barriers->left,
                        step.phase);  // the producer and the fetcher have seen the end of the step
                                      // before
    ptx::shared_proxy_fence();
    __syncwarp();
    if (lane == 0) ptx::barrier_arrive(&memory.barriers->below);
    if (next)
      ptx::named_sync(me.barriers + kBelowBarrier,
                      kHelpers);  // all of the tile below is in shared memory for the warps that
                                  // read it in the next step
  }
}

// ---- the fetcher: one thread ----

/// Copies tiles that other teams made, and that the steps of a chain read, to shared memory. Called
/// by one thread, the fetcher, which is not the producer since each of the two waits for other
/// threads.
__device__ inline void fetch_for_chain(const FrontView& front, ptx::SharedAddress stages,
                                       ChainBarriers& barriers) {
  const unsigned steps = barriers.steps;
  if (front.fills > 0) wait_at_least(front.counters + kFilled, front.fills, Awaited::filled);
  for (int j = 0; j < front.cells.pivot_tiles(); ++j) {
    const ChainMemory memory = chain_memory(stages, &barriers);
    const unsigned before = (steps + j - 1) & 1;
    if (j >= 2) wait_at_least(state_of(front, j), kPrepared, Awaited::prepared);
    if (j >= 1)
      ptx::barrier_wait(barriers.column, before);  // warp 0 has read memory.first of the
                                                   // step before
    ptx::proxy_fence();
    const TileView diagonal = tile_of(front, j, j);
    const int bytes = diagonal.width == symbolic::kTileCells ? 4 * kCellEntries * 8 : 0;
    ptx::barrier_arrive_expecting(&barriers.first, bytes);
    if (bytes > 0) ptx::bulk_copy(memory.first, diagonal.cell(0, 0), bytes, &barriers.first);
    if (j >= 1) ptx::barrier_wait(&barriers.left, before);
    if (j == 0 || !has_below(front, j)) {
      ptx::barrier_arrive(&barriers.left);
      continue;
    }
    ptx::barrier_wait(&barriers.below, before);
    wait_at_least(front.counters + kRows + j + 1, slabs_in(front, j), Awaited::slabs);
    ptx::proxy_fence();
    const TileView left = tile_of(front, j + 1, j - 1);
    ptx::barrier_arrive_expecting(&barriers.left,
                                  symbolic::kTileCells * left.height * kCellEntries * 8);
    for (int c = 0; c < symbolic::kTileCells; c += 2)
      ptx::bulk_copy(memory.left + c / 2 * kSlabEntries, left.cell(0, c),
                     2 * left.height * kCellEntries * 8, &barriers.left);
  }
}

// ---- the producer: one thread ----

/// Stores and announces the results of a chain: the diagonal tiles by block columns, so that other
/// teams solve with finished ones; then counts the chain in its level. Called by one thread, the
/// producer.
__device__ inline void announce_chain(const FrontView& front, ptx::SharedAddress stages,
                                      ChainBarriers& barriers, const Levels& levels) {
  const unsigned steps = barriers.steps;
  const int tiles = front.cells.pivot_tiles();
  ptx::barrier_arrive(&barriers.first), ptx::barrier_arrive(&barriers.diagonal),
      ptx::barrier_arrive(&barriers.left);
  for (int j = 0; j < tiles; ++j) {
    const ChainMemory memory = chain_memory(stages, &barriers);
    const unsigned phase = (steps + j) & 1;
    const bool next = j + 1 < tiles;
    for (int k = 0; k < kSlabs; ++k) {
      ptx::barrier_wait(barriers.column + k, phase);
      if (k < blocks_of(front, j)) announce_columns(front, memory, j, k);
      if (next && k == 2)
        ptx::barrier_arrive(&barriers.first);  // block columns 0-2 are stored: the next step
                                               // overwrites them first
    }
    if (next) ptx::barrier_arrive(&barriers.diagonal);
    ptx::barrier_wait(&barriers.below, phase);
    if (has_below(front, j)) {
      store_tile(memory.below, tile_of(front, j + 1, j));
      ptx::finish_stores();
      ptx::proxy_fence();
      ptx::store_release(front.counters + kRows + j + 1, slabs_in(front, j + 1));
    }
    if (next) ptx::barrier_arrive(&barriers.left);
  }
  barriers.steps = steps + tiles;
  if (levels.done == nullptr) return;
  ptx::release_fence();
  ptx::add_relaxed(levels.done + front.level, 1);
}

}  // namespace kauri::numeric::cuda::kernels
