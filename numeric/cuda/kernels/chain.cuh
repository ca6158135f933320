// The chain of a front: its diagonal tiles one after another, each factorised with the tile below it, by the four warps of one block.
//
// The tile below is solved with the inverses of the 16 x 16 blocks (substitution by blocks), and its square updates the next diagonal tile
// from shared memory: no other block stands in the chain.
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

/// Cells (row, column), (row, column + 1), (row + 1, column), (row + 1, column + 1) of a tile below the diagonal in global memory as an A
/// operand; column even. One place for all, since each costs more to compute than to load.
__device__ inline void load_operand(double (&a)[8], const TileView& tile, int row, int column, int lane) {
  const int width = tile.pair_width(column);
  const double* at =
      tile.first + kCellEntries * (column * tile.rows - column * (column - 2) / 2 + (tile.above + row - column) * width) + 2 * lane;
  if (tile.whole()) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const double2 cell = __ldcg(reinterpret_cast<const double2*>(at + kCellEntries * (i % 2 * 2 + i / 2)));
      a[4 * (i / 2) + i % 2] = cell.x, a[4 * (i / 2) + i % 2 + 2] = cell.y;
    }
    return;
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    double2 cell = make_double2(0.0, 0.0);
    if (row + i % 2 < tile.height && column + i / 2 < tile.width)
      cell = __ldcg(reinterpret_cast<const double2*>(at + kCellEntries * (i % 2 * width + i / 2)));
    a[4 * (i / 2) + i % 2] = cell.x, a[4 * (i / 2) + i % 2 + 2] = cell.y;
  }
}

/// c = minus (16, 8 kCells) of memory.product.
template <int kCells>
__device__ inline void load_part(double (&c)[kCells][4], const ChainMemory& memory, int row, int first, int lane) {
#pragma unroll
  for (int n = 0; n < kCells; ++n) {
    const double2 top = load_cell(memory.product, row, first + n, lane), bottom = load_cell(memory.product, row + 1, first + n, lane);
    c[n][0] = ptx::flipped(top.x), c[n][1] = ptx::flipped(top.y), c[n][2] = ptx::flipped(bottom.x), c[n][3] = ptx::flipped(bottom.y);
  }
}

/// Part of the tile below, (16, 8 kCells) at cells (row, first): C - P Q^T with C in memory.product, P = L(j+1,j-1) from global memory and
/// Q = L(j,j-1) in memory.below; minus that to memory.product.
template <int kCells>
__device__ inline void multiply_part(const ChainMemory& memory, const FrontView& front, const ChainStep& step, const TileView& left,
                                     int row, int first, int lane) {
  double c[kCells][4];
  if (step.has_product) {  // all loads before all uses
    double a[4][8];
#pragma unroll
    for (int k = 0; k < 4; ++k) load_operand(a[k], left, row, 2 * k, lane);
    load_part<kCells>(c, memory, row, first, lane);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
#pragma unroll
      for (int n = 0; n < kCells; ++n) {
        double b[4];
        load_b(b, memory.below, first + n, 2 * k, lane);
        ptx::mma(c[n], a[k], b);
      }
    }
  } else {
    load_part<kCells>(c, memory, row, first, lane);
  }
  if (step.pulls) gather<1, kCells>(&c, front, step.row + 8 * row, step.column + 8 * first, lane);
#pragma unroll
  for (int n = 0; n < kCells; ++n) {
    store_cell(memory.product, row, first + n, lane, c[n][0], c[n][1]);
    store_cell(memory.product, row + 1, first + n, lane, c[n][2], c[n][3]);
  }
}

/// The tile below without all products of columns before j, made by warps 1-3 while warp 0 eliminates: 16 rows each, then two of them half
/// of the last 16 rows.
__device__ inline void multiply_below(const ChainMemory& memory, const FrontView& front, const ChainStep& step, int j, const Member& me) {
  const TileView left = tile_of(front, step.has_product ? j + 1 : j, step.has_product ? j - 1 : 0);
  if (step.has_product) wait_warp(front.counters + kRows + j + 1, j, me.lane);
  ptx::named_sync(me.barriers + kProductBarrier, kConsumers);
  multiply_part<8>(memory, front, step, left, 2 * (me.warp - 1), 0, me.lane);
  if (me.warp < 3) multiply_part<4>(memory, front, step, left, 6, 4 * (me.warp - 1), me.lane);
}

/// Row block `warp`, (16,64), of the tile below: X = C L^-T with minus C in memory.product; to memory.below.
/// `blocks`: 16 x 16 blocks along the side of L(j,j); what lies right of its columns is not stored. `squares`: of the first 16 rows too.
/// kCorrects: some of `corrected` is set (apart, so that all else need not branch).
template <bool kCorrects>
__device__ inline void make_below(const ChainMemory& memory, int blocks, bool squares, int corrected, const Member& me) {
  const int warp = me.warp, lane = me.lane;
  double c[8][4];
#pragma unroll
  for (int n = 0; n < 8; ++n) {
    const double2 top = load_cell(memory.product, 2 * warp, n, lane);
    const double2 bottom = load_cell(memory.product, 2 * warp + 1, n, lane);
    c[n][0] = top.x, c[n][1] = top.y, c[n][2] = bottom.x, c[n][3] = bottom.y;
  }
#pragma unroll
  for (int s = 0; s < 4; ++s) {
    if (s >= blocks) break;
    double a[8], b[4];
    as_operand(a, c[2 * s], c[2 * s + 1]);
    multiply_inverse(memory, c[2 * s], c[2 * s + 1], a, s, kCorrects && (corrected >> s & 1) != 0, lane);
    flipped_operand(a, c[2 * s], c[2 * s + 1]);
#pragma unroll
    for (int n = 2 * s + 2; n < 8; ++n) {
      load_b(b, memory.diagonal, n, 2 * s, lane);
      ptx::mma(c[n], a, b);
    }
  }
#pragma unroll
  for (int n = 0; n < 8; ++n) store_flipped(memory.below, c[n], 2 * warp, n, lane);
  if (warp != 0 || !squares) return;
  double square[2][4];
  set_zero(square[0]), set_zero(square[1]);
#pragma unroll
  for (int s = 0; s < 4; ++s) {
    const double x[2][4] = {{c[2 * s][0], c[2 * s][1], c[2 * s][2], c[2 * s][3]},
                            {c[2 * s + 1][0], c[2 * s + 1][1], c[2 * s + 1][2], c[2 * s + 1][3]}};
    add_square(square, x);
  }
  double2* to = reinterpret_cast<double2*>(memory.square) + lane;
#pragma unroll
  for (int i = 0; i < 4; ++i) to[32 * i] = make_double2(square[i / 2][i % 2 * 2], square[i / 2][i % 2 * 2 + 1]);
}

/// Blocks of 16 along the side of L(j,j).
__device__ inline int blocks_of(const FrontView& front, int j) { return (front.cells.cells_of(j) + 1) / 2; }

__device__ inline ChainStep chain_step(const FrontView& front, int j) {
  const bool has_below = j + 1 < front.cells.row_tiles();
  return {tile_of(front, j, j), j >= 1, j < 2 && front.child_count > 0, has_below ? front.cells.first_cell(j + 1) * symbolic::kCell : 0,
          j * kTile};
}

/// Tile (j,j) and the one below are there but for the last product. The chain's warps.
__device__ inline void wait_until_prepared(const FrontView& front, int j, int lane) {
  if (j >= 2) wait_warp(state_of(front, j), kPrepared, lane);
}

/// The whole chain: four consumer warps.
__device__ inline void run_chain(const FrontView& front, const ChainMemory& memory, const Member& me) {
  const int warp = me.warp, lane = me.lane;
  bool failed_before = false;
  me.sync_consumers();                                                                         // no warp reads stages of the task before
  for (int e = 32 * warp + lane; e < kTileEntries; e += kConsumers) memory.diagonal[e] = 0.0;  // above the diagonal it stays so
  if (warp == 0 && lane == 0) *memory.fetched = 0;
  ptx::named_sync(me.barriers + kDiagonalBarrier, kTeamThreads);  // the producer may write to the stages
  if (front.fills > 0) wait_warp(front.counters + kFilled, front.fills, lane);
  if (front.child_count > 0) wait_for_children(front, lane);
  for (int j = 0; j < front.cells.pivot_tiles(); ++j) {
    const ChainStep step = chain_step(front, j);
    if (*memory.fetched == 0 && (warp == 0 || !step.whole())) wait_until_prepared(front, j, lane);
    const bool has_below = j + 1 < front.cells.row_tiles();
    const int blocks = blocks_of(front, j);
    if (warp == 0) {
      load_first(memory, front, step, lane);
      eliminate_tile(front, memory, j, blocks, me, failed_before);
    } else {
      load_others(memory, front, step, blocks, me);
      if (blocks > 1)
        help_below(memory, blocks, me);
      else
        finish_column(memory, me.warp / 3, lane);
    }
    ptx::shared_proxy_fence();
    ptx::named_arrive(me.barriers + kDiagonalBarrier, kTeamThreads);  // others wait for L(j,j), the sooner the better
    if (warp > 0 && has_below) multiply_below(memory, front, step, j, me);
    ptx::named_sync(me.barriers + kThereBarrier, kConsumers);  // not kLoadedBarrier, where warp 3 may wait for warp 0 still
    if (has_below) {
      const bool squares = j + 1 < front.cells.pivot_tiles();
      const int corrected = memory.corrected[blocks - 1];
      if (corrected != 0)
        make_below<true>(memory, blocks, squares, corrected, me);
      else
        make_below<false>(memory, blocks, squares, 0, me);
      ptx::shared_proxy_fence();
    }
    ptx::named_sync(me.barriers + kBelowBarrier, kTeamThreads);
  }
}

inline constexpr int kLooks = 6;  // some 700 clocks each

/// The first block of tile (j,j), if it is there before the consumers have done with the tile before, roughly; returned: warp 0 would wait
/// for it where all others wait for warp 0. The producer's warp.
__device__ inline bool fetch_first(const FrontView& front, const ChainMemory& memory, int j, int lane) {
  int there = 1;
  if (lane == 0 && j >= 2) {
    there = 0;
    for (int look = 0; look < kLooks && there == 0; ++look) there = static_cast<int>(ptx::load_acquire(state_of(front, j)) >= kPrepared);
  }
  there = __shfl_sync(0xffffffffu, there, 0);
  __syncwarp();  // what lane 0 saw is there for all lanes
  const TileView tile = tile_of(front, j, j);
  if (tile.width < 2) there = 0;
  if (there != 0) {
    const double2* from = reinterpret_cast<const double2*>(tile.cell(0, 0)) + lane;
    double2* to = reinterpret_cast<double2*>(memory.first) + lane;
#pragma unroll
    for (int i = 0; i < 4; ++i) to[32 * i] = __ldcg(from + 32 * i);
  }
  if (lane == 0) *memory.fetched = there;
  return there != 0;
}

/// The tile below (j,j) to memory.product; cells that it lacks become zeros. The producer's warp.
__device__ inline void fetch_below(const FrontView& front, const ChainMemory& memory, int j, int lane) {
  const TileView tile = tile_of(front, j + 1, j);
  for (int c = 0; c < symbolic::kTileCells; ++c) {
#pragma unroll 2
    for (int r = 0; r < symbolic::kTileCells; ++r) {
      const bool there = tile.has(r, c);
      ptx::copy_16_async(memory.product + shared_cell(r, c) + 2 * lane, (there ? tile.cell(r, c) : tile.first) + 2 * lane, there);
    }
  }
  ptx::finish_async_copies();
}

/// Blocks of the diagonal tile but the first to memory.diagonal, if it is whole. The producer's warp.
__device__ inline void fetch_diagonal(const FrontView& front, const ChainMemory& memory, int j, int lane) {
  if (front.cells.cells_of(j) < symbolic::kTileCells) return;
  const TileView tile = tile_of(front, j, j);
#pragma unroll 1
  for (int c = 0; c < symbolic::kTileCells; c += 2) {
    const int r = c == 0 ? 2 : c;
    const double* from = tile.cell(r, c) + 2 * lane;
    double* to = memory.diagonal + shared_cell(r, c) + 2 * lane;
    for (int e = 0; e < 2 * (symbolic::kTileCells - r); e += 4) {
#pragma unroll
      for (int i = e; i < e + 4; ++i) ptx::copy_16_async(to + i * kCellEntries, from + i * kCellEntries, true);
    }
  }
}

/// They are there.
__device__ inline void announce_diagonal(const FrontView& front, int j, const Member& me) {
  if (front.cells.cells_of(j) < symbolic::kTileCells) return;
  ptx::finish_async_copies();
  ptx::named_arrive(me.barriers + kThereBarrier, kConsumers);
}

/// The producer's part in a chain: brings what the consumers need next, stores tiles and announces them, the diagonal ones by columns, so
/// that others solve with those that are there. `steps`: diagonal tiles that this team has made.
__device__ inline void announce_chain(const FrontView& front, const ChainMemory& memory, const Levels& levels, unsigned& steps,
                                      const Member& me) {
  ptx::named_sync(me.barriers + kDiagonalBarrier, kTeamThreads);
  if (front.fills > 0) wait_warp(front.counters + kFilled, front.fills, me.lane);
  bool there = false;
  for (int j = 0; j < front.cells.pivot_tiles(); ++j) {
    const bool has_below = j + 1 < front.cells.row_tiles();
    if (!there) {
      wait_until_prepared(front, j, me.lane);
      fetch_diagonal(front, memory, j, me.lane);
      announce_diagonal(front, j, me);
    }
    if (has_below) {
      fetch_below(front, memory, j, me.lane);
      ptx::named_arrive(me.barriers + kProductBarrier, kConsumers);
    }
    const int blocks = blocks_of(front, j);
    for (int k = 0; k < kSlabs - 1; ++k) {
      ptx::barrier_wait(memory.column + k, steps & 1);
      if (me.lane == 0 && k + 1 < blocks) announce_columns(front, memory, j, k);
      __syncwarp();
    }
    ++steps;
    ptx::named_sync(me.barriers + kDiagonalBarrier, kTeamThreads);
    if (me.lane == 0) announce_columns(front, memory, j, blocks - 1);
    __syncwarp();
    there = j + 1 < front.cells.pivot_tiles() && fetch_first(front, memory, j + 1, me.lane);
    ptx::named_sync(me.barriers + kBelowBarrier, kTeamThreads);
    if (there) fetch_diagonal(front, memory, j + 1, me.lane);
    if (me.lane == 0 && has_below) store_tile(memory.below, tile_of(front, j + 1, j));
    if (there) announce_diagonal(front, j + 1, me);
    if (me.lane == 0) ptx::finish_stores();
    if (me.lane == 0 && has_below) {
      ptx::proxy_fence();
      ptx::store_release(front.counters + kRows + j + 1, j + 1);
    }
    __syncwarp();
  }
  if (me.lane == 0 && levels.done != nullptr) {
    ptx::release_fence();
    ptx::add_relaxed(levels.done + front.level, 1);
  }
}

}  // namespace kauri::numeric::cuda::kernels
