// The chain of a front: its diagonal tiles one after another, each factorised with the tile below it, by the warps of one team.
//
// Warp 0 eliminates, and all others see to it that it never waits: warps 1-3 make the tile below, columns of 16 behind warp 0 (substitution
// by blocks, with their inverses), whose square updates the next diagonal tile from shared memory; the producer brings the next tiles, and
// stores and announces what is finished. No other team stands in the chain.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/kernels/diagonal_tile.cuh"

namespace kauri::numeric::cuda::kernels {

/// Columns k of L(j,j), 16 of them, and the inverse of block k to global memory, where others may read them then. One thread.
__device__ inline void announce_columns(const FrontView& front, const ChainMemory& memory, int j, int k) {
  const TileView tile = tile_of(front, j, j);
  double* inverses = front.inverses + symbolic::FrontCells::inverse_place(j * kTile, j * kTile);
  const int cells = tile.pair_width(2 * k) == 2 ? 2 * (tile.height - 2 * k) : 1;
  ptx::bulk_store(inverses + k * kInverseEntries, memory.inverse + k * kInverseEntries, kInverseEntries * 8);
  ptx::bulk_store(tile.cell(2 * k, 2 * k), memory.diagonal + shared_cell(2 * k, 2 * k), cells * kCellEntries * 8);
  ptx::finish_stores();
  ptx::proxy_fence();
  ptx::store_release(state_of(front, j), kFirstBlock + k + (memory.corrected[k] << kProgressBits));
}

/// A tile below the diagonal in shared memory to global memory, once ptx::finish_stores() has been called.
__device__ inline void store_tile(const double* shared, const TileView& tile) {
  for (int column = 0; column < tile.width; column += 2) {
    if (tile.pair_width(column) == 2) {
      ptx::bulk_store(tile.cell(0, column), shared + shared_cell(0, column), 2 * tile.height * kCellEntries * 8);
    } else {
      for (int r = 0; r < tile.height; ++r) ptx::bulk_store(tile.cell(r, column), shared + shared_cell(r, column), kCellEntries * 8);
    }
  }
}

/// Cells (row, column), (row, column + 1), (row + 1, column), (row + 1, column + 1) of a tile below the diagonal in global memory, whose
/// columns are all there, as an A operand; column even.
__device__ inline void load_operand(double (&a)[8], const TileView& tile, int row, int column, int lane) {
  const double2* at = reinterpret_cast<const double2*>(tile.cell(row, column)) + lane;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    double2 cell = make_double2(0.0, 0.0);
    if (row + i / 2 < tile.height) cell = __ldcg(at + 32 * i);
    a[4 * (i % 2) + i / 2] = cell.x, a[4 * (i % 2) + i / 2 + 2] = cell.y;
  }
}

/// c = minus (16,32) of the tile below at cells (row, column): in memory.product, or, if it is not whole, in global memory.
__device__ inline void load_part(double (&c)[4][4], const ChainMemory& memory, const TileView& tile, int row, int column, int lane) {
#pragma unroll
  for (int n = 0; n < 4; ++n) {
    if (!tile.whole()) {
      load_flipped(c[n], tile, row, column + n, lane);
      continue;
    }
    const double2 top = load_cell(memory.product, row, column + n, lane), bottom = load_cell(memory.product, row + 1, column + n, lane);
    c[n][0] = ptx::flipped(top.x), c[n][1] = ptx::flipped(top.y), c[n][2] = ptx::flipped(bottom.x), c[n][3] = ptx::flipped(bottom.y);
  }
}

__device__ inline void store_part(const double (&c)[4][4], const ChainMemory& memory, int row, int column, int lane) {
#pragma unroll
  for (int n = 0; n < 4; ++n) {
    store_cell(memory.product, row, column + n, lane, c[n][0], c[n][1]);
    store_cell(memory.product, row + 1, column + n, lane, c[n][2], c[n][3]);
  }
}

/// (16, 8 (end - begin)) of the tile below from cells (row, begin) on, four columns of cells at a time: minus (C - P Q^T) to
/// memory.product, C as load_part() finds it, P = L(j+1,j-1) from global memory and Q = L(j,j-1) in memory.below.
__device__ inline void multiply_parts(const ChainMemory& memory, const FrontView& front, const ChainStep& step, int j, int row, int begin,
                                      int end, int lane) {
  const TileView left = tile_of(front, j + 1, j - 1), tile = tile_of(front, j + 1, j);
  double a[4][8];  // defined here and used below under one condition: under two it cost the products' loop registers
#pragma unroll
  for (int k = 0; k < 4; ++k) load_operand(a[k], left, row, 2 * k, lane);
#pragma unroll 1
  for (int column = begin; column < end; column += 4) {
    double c[4][4];
    load_part(c, memory, tile, row, column, lane);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      double b[4][4];
#pragma unroll
      for (int n = 0; n < 4; ++n) load_b(b[n], memory.below, column + n, 2 * k, lane);
#pragma unroll
      for (int n = 0; n < 4; ++n) ptx::mma(c[n], a[k], b[n]);
    }
    if (step.pulls) gather<1, 4>(&c, front, step.row + 8 * row, step.column + 8 * column, lane);
    store_part(c, memory, row, column, lane);
  }
}

/// The same where there is no column before j.
__device__ inline void copy_parts(const ChainMemory& memory, const FrontView& front, const ChainStep& step, int j, int row, int begin,
                                  int end, int lane) {
  const TileView tile = tile_of(front, j + 1, j);
#pragma unroll 1
  for (int column = begin; column < end; column += 4) {
    double c[4][4];
    load_part(c, memory, tile, row, column, lane);
    if (step.pulls) gather<1, 4>(&c, front, step.row + 8 * row, step.column + 8 * column, lane);
    store_part(c, memory, row, column, lane);
  }
}

/// Row blocks of 16, kRows of them from cell `row` on, of X, X L(j,j)^T = C with minus C in memory.product, to memory.below, each 16
/// columns as soon as these of L(j,j) are there, accumulators moving up as in solve(). `square`: += that of the first row block.
template <int kRows>
__device__ inline void solve_below(double (&square)[2][4], const ChainMemory& memory, const ChainStep& step, int blocks, bool next, int row,
                                   const Member& me) {
  const int lane = me.lane;
  double c[kRows][8][4];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
#pragma unroll
    for (int n = 0; n < 8; ++n) {
      const double2 top = load_cell(memory.product, row + 2 * r, n, lane), bottom = load_cell(memory.product, row + 2 * r + 1, n, lane);
      c[r][n][0] = top.x, c[r][n][1] = top.y, c[r][n][2] = bottom.x, c[r][n][3] = bottom.y;
    }
  }
#pragma unroll 1
  for (int s = 0; s < blocks; ++s) {
    if (s == kSlabs - 1 && next && me.warp != 1) ptx::named_arrive(me.barriers + kSquareBarrier, kConsumers);
    ptx::barrier_wait(memory.barriers->column + s, step.phase);
    const bool corrects = (memory.corrected[s] >> s & 1) != 0;
    double a[kRows][8];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      as_operand(a[r], c[r][0], c[r][1]);
      multiply_inverse(memory, c[r][0], c[r][1], a[r], s, corrects, lane);
    }
    if (kRows == 1) {
      const double x[2][4] = {{c[0][0][0], c[0][0][1], c[0][0][2], c[0][0][3]}, {c[0][1][0], c[0][1][1], c[0][1][2], c[0][1][3]}};
      add_square(square, x);
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
      for (int n = 0; n < 2; ++n) store_flipped(memory.below, c[r][n], row + 2 * r, 2 * s + n, lane);
      flipped_operand(a[r], c[r][0], c[r][1]);
    }
#pragma unroll
    for (int n = 2; n < 8; ++n) {
      if (n % 2 == 0 && n + 2 * s >= symbolic::kTileCells) break;
      double b[4];
      load_b(b, memory.diagonal, 2 * s + n, 2 * s, lane);
#pragma unroll
      for (int r = 0; r < kRows; ++r) ptx::mma(c[r][n - 2], a[r], b, c[r][n]);
    }
  }
}

/// The tile below, by warps 1-3, 16 columns behind warp 0: 16 rows each, and of the last 16 rows warps 1 and 2 make the products, warp 3
/// the solution. Loops, not unrolled: a multiprocessor holds some 2000 instructions, and others come from afar. `next`: there is a next
/// step, which needs the square of the first 16 rows.
__device__ inline void make_below(const ChainMemory& memory, const FrontView& front, const ChainStep& step, int j, int blocks, bool next,
                                  const Member& me) {
  const int lane = me.lane, row = 2 * (me.warp - 1);
  if (step.has_product) wait_warp(front.counters + kRows + j + 1, j, lane);
  ptx::barrier_wait(&memory.barriers->product, step.phase);
#pragma unroll 1
  for (int pass = me.warp < 3 ? 0 : 1; pass < 2; ++pass) {
    const int from = pass == 0 ? 6 : row, begin = pass == 0 ? 2 * row : 0, end = pass == 0 ? begin + 4 : 2 * blocks;
    if (step.has_product)
      multiply_parts(memory, front, step, j, from, begin, end, lane);
    else
      copy_parts(memory, front, step, j, from, begin, end, lane);
  }
  ptx::named_sync(me.barriers + kBelowBarrier, kHelpers);  // all have read L(j,j-1), and written the last rows' products
  double square[2][4];
  set_zero(square[0]), set_zero(square[1]);
  if (me.warp == 3)
    solve_below<2>(square, memory, step, blocks, next, row, me);
  else
    solve_below<1>(square, memory, step, blocks, next, row, me);
  if (!next || me.warp != 1) return;
  double2* to = reinterpret_cast<double2*>(memory.square) + lane;
#pragma unroll
  for (int i = 0; i < 4; ++i) to[32 * i] = make_double2(square[i / 2][i % 2 * 2], square[i / 2][i % 2 * 2 + 1]);
  __syncwarp();
  ptx::named_arrive(me.barriers + kSquareBarrier, kConsumers);
}

/// Blocks of 16 along the side of L(j,j).
__device__ inline int blocks_of(const FrontView& front, int j) { return (front.cells.cells_of(j) + 1) / 2; }

__device__ inline bool has_below(const FrontView& front, int j) { return j + 1 < front.cells.row_tiles(); }

/// `steps`: of chains before.
__device__ inline ChainStep chain_step(const FrontView& front, int j, unsigned steps) {
  return {tile_of(front, j, j),
          j >= 1,
          j < 2 && front.child_count > 0,
          has_below(front, j) ? front.cells.first_cell(j + 1) * symbolic::kCell : 0,
          j * kTile,
          (steps + j) & 1};
}

/// Warp 3's part in columns 2 and 3 of the tile: this step has begun. (Where it helps with columns, more than that.)
__device__ inline void enter_step(const ChainMemory& memory, const ChainStep& step, int lane) {
  ptx::barrier_wait(&memory.barriers->diagonal, step.phase);  // the producer is in this step too
  if (lane == 0) ptx::barrier_arrive(memory.barriers->column + 2), ptx::barrier_arrive(memory.barriers->column + 3);
}

/// The whole chain: four consumer warps.
__device__ inline void run_chain(const FrontView& front, const ChainMemory& memory, const Member& me) {
  const int warp = me.warp, lane = me.lane;
  const unsigned steps = memory.barriers->steps;
  bool failed_before = false;
  me.sync_consumers();                                                                         // no warp reads stages of the task before
  for (int e = 32 * warp + lane; e < kTileEntries; e += kConsumers) memory.diagonal[e] = 0.0;  // above the diagonal it stays so
  ptx::shared_proxy_fence();
  ptx::named_sync(me.barriers + kBegunBarrier, kTeamThreads);
  if (front.fills > 0) wait_warp(front.counters + kFilled, front.fills, lane);
  if (front.child_count > 0) wait_for_children(front, lane);
  for (int j = 0; j < front.cells.pivot_tiles(); ++j) {
    const ChainStep step = chain_step(front, j, steps);
    const int blocks = blocks_of(front, j);
    if (warp == 0) {
      load_first(memory, front, step, me);
      eliminate_tile(front, memory, j, blocks, me, failed_before);
      continue;
    }
    load_others(memory, front, step, blocks, me);
    if (warp == 3) enter_step(memory, step, lane);
    if (blocks > 1)
      help_below(memory, blocks, me);
    else
      finish_column(memory, warp / 3, lane);
    const bool next = j + 1 < front.cells.pivot_tiles();
    if (has_below(front, j)) make_below(memory, front, step, j, blocks, next, me);
    ptx::shared_proxy_fence();
    __syncwarp();
    if (lane == 0) ptx::barrier_arrive(&memory.barriers->below);
    if (next) ptx::named_sync(me.barriers + kBelowBarrier, kHelpers);  // who reads the tile below now reads all of it
  }
}

// ---- producer: one thread ----

/// Tile (j,j) and the one below are there but for the last product.
__device__ inline bool is_prepared(const FrontView& front, int j) { return j < 2 || ptx::load_acquire(state_of(front, j)) >= kPrepared; }

/// Block (0,0) of D to memory.first, if D is whole; otherwise says only that it is there, and so do the other two.
__device__ inline void bring_first(const FrontView& front, const ChainMemory& memory, int j) {
  ptx::proxy_fence();
  const TileView tile = tile_of(front, j, j);
  const int bytes = tile.width == symbolic::kTileCells ? 4 * kCellEntries * 8 : 0;
  ptx::barrier_arrive_expecting(&memory.barriers->first, bytes);
  if (bytes > 0) ptx::bulk_copy(memory.first, tile.cell(0, 0), bytes, &memory.barriers->first);
}

/// The other blocks of D to memory.diagonal.
__device__ inline void bring_diagonal(const FrontView& front, const ChainMemory& memory, int j) {
  const TileView tile = tile_of(front, j, j);
  std::uint64_t* there = &memory.barriers->diagonal;
  if (tile.width < symbolic::kTileCells) return ptx::barrier_arrive(there);
  constexpr int kCells = 2 * (6 + 6 + 4 + 2);
  ptx::barrier_arrive_expecting(there, kCells * kCellEntries * 8);
  for (int c = 0; c < symbolic::kTileCells; c += 2) {
    const int r = max(c, 2);
    ptx::bulk_copy(memory.diagonal + shared_cell(r, c), tile.cell(r, c), 2 * (symbolic::kTileCells - r) * kCellEntries * 8, there);
  }
}

/// The tile below to memory.product.
__device__ inline void bring_below(const FrontView& front, const ChainMemory& memory, int j) {
  std::uint64_t* there = &memory.barriers->product;
  if (!has_below(front, j)) return ptx::barrier_arrive(there);
  const TileView tile = tile_of(front, j + 1, j);
  if (!tile.whole()) return ptx::barrier_arrive(there);
  ptx::barrier_arrive_expecting(there, kTileEntries * 8);
  for (int c = 0; c < symbolic::kTileCells; c += 2) copy_slab(memory.product + c / 2 * kSlabEntries, tile, c, 2, there);
}

/// L(j,j) to global memory, by columns. In between, block (0,0) of the next tile, if it is prepared; returned.
__device__ inline bool announce_tile(const FrontView& front, const ChainMemory& memory, int j, unsigned phase) {
  const int blocks = blocks_of(front, j);
  bool brought = false;
  for (int k = 0; k < kSlabs; ++k) {
    ptx::barrier_wait(memory.barriers->column + k, phase);
    if (k < blocks) announce_columns(front, memory, j, k);
    if (k < 2 || brought || j + 1 >= front.cells.pivot_tiles() || !is_prepared(front, j + 1)) continue;
    bring_first(front, memory, j + 1);  // warp 0 has read this tile's, and columns 0 to 2 of L(j,j), which it writes over, are stored
    brought = true;
  }
  return brought;
}

/// The producer's part in a chain.
__device__ inline void announce_chain(const FrontView& front, const ChainMemory& memory, const Levels& levels) {
  ChainBarriers& barriers = *memory.barriers;
  const unsigned steps = barriers.steps;
  const int tiles = front.cells.pivot_tiles();
  if (front.fills > 0) wait_at_least(front.counters + kFilled, front.fills);
  for (int j = 0; j < tiles; ++j) {
    const unsigned phase = (steps + j) & 1;
    if (j == 0) {
      bring_first(front, memory, 0), bring_diagonal(front, memory, 0), bring_below(front, memory, 0);
      ptx::barrier_arrive(&barriers.product);
    }
    const bool next = j + 1 < tiles;
    const bool brought = announce_tile(front, memory, j, phase);
    ptx::barrier_wait(&barriers.below, phase);
    if (brought) bring_diagonal(front, memory, j + 1), bring_below(front, memory, j + 1);
    if (has_below(front, j)) store_tile(memory.below, tile_of(front, j + 1, j));
    ptx::finish_stores();
    if (has_below(front, j)) {
      ptx::proxy_fence();
      ptx::store_release(front.counters + kRows + j + 1, j + 1);
    }
    if (!next) break;
    ptx::barrier_arrive(&barriers.product);
    if (brought) continue;
    if (j + 1 >= 2) wait_at_least(state_of(front, j + 1), kPrepared);
    bring_first(front, memory, j + 1), bring_diagonal(front, memory, j + 1), bring_below(front, memory, j + 1);
  }
  barriers.steps = steps + tiles;
  if (levels.done == nullptr) return;
  ptx::release_fence();
  ptx::add_relaxed(levels.done + front.level, 1);
}

}  // namespace kauri::numeric::cuda::kernels
