// The chain of a front: its diagonal tiles one after another, each factorised with the tile below it, by the four warps of one block.
//
// A 64 x 64 tile is taken in four steps of 16 columns. One warp eliminates a 16 x 16 block with an identity below it, one row per lane,
// without square roots on the way (L D L^T, scaled at the end), which gives L and its inverse at once; everything else is products by mma
// whose accumulators are the next operands. The tile below is solved with the inverses of the 16 x 16 blocks (substitution by blocks), and
// its square updates the next diagonal tile from shared memory: no other block stands in the chain.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/kernels/eliminate.cuh"
#include "numeric/cuda/kernels/update.cuh"

namespace kauri::numeric::cuda::kernels {

// Of the team's barriers. Warps 1-3 and the producer work ahead of warp 0, which waits for the least that it needs of them.
inline constexpr int kDiagonalBarrier = 1;  // all: L(j,j) and what is subtracted from the tile below are there
inline constexpr int kBelowBarrier = 2;     // all: the tile below is there, L(j,j) has been read
inline constexpr int kColumnBarrier = 3;    // warps 1-3 wait for a column of blocks
inline constexpr int kUpdatedBarrier = 4;   // warp 0 waits for what warps 1-3 have subtracted
inline constexpr int kProductBarrier = 5;   // warps 1-3 wait for the producer's copy of the tile below
/// Warps 1-3 wait for an eliminated block. In turn: warp 0 may be one ahead.
__device__ constexpr int block_barrier(int s) { return s % 2 == 0 ? 0 : 6; }

/// Shared memory of a chain, in place of the ring's stages.
struct ChainMemory {
  double* diagonal;  // 1 tile: D, then L(j,j)
  double* below;     // 1 tile: L(j,j-1), then L(j+1,j)
  double* product;   // 1 tile: A(j+1,j) without the products of columns before j - 1; then minus that without all before j
  double* inverse;   // 4 blocks
  double* columns;   // kExchangeEntries
  double* first;     // 4 cells: block (0,0) of D, if *fetched
  int* fetched;
};
inline constexpr int kChainEntries = 3 * kTileEntries + 4 * kInverseEntries + kExchangeEntries + 4 * kCellEntries + 16;

/// Positive and finite.
__device__ inline bool is_pivot(double x) { return x > 0.0 && x <= 1.7976931348623157e308; }

/// The first pivot of a block that is not positive and finite: its column (16: none), and what it was.
struct BadPivot {
  int column = 16;
  double value = 0.0;
};

/// Rows of a 16 x 16 block and of the identity below it, one row per lane.
__device__ inline void load_rows(double (&a)[16], const double* cells, int lane) {
  const int row = lane & 15;
#pragma unroll
  for (int c = 0; c < 16; c += 2) {
    const double2 pair = *reinterpret_cast<const double2*>(cells + (c >> 3) * kCellEntries + (c & 7));
    a[c] = lane < 16 ? pair.x : (c == row ? 1.0 : 0.0);
    a[c + 1] = lane < 16 ? pair.y : (c + 1 == row ? 1.0 : 0.0);
  }
}

/// The same as eliminate() of 16 columns for pivots of any size: one column at a time, by roots. Pivots that are not positive and finite
/// become 1, and the first of them is returned.
__device__ inline BadPivot eliminate_guarded(double (&a)[16], double* column, int lane) {
  BadPivot bad;
#pragma unroll
  for (int k = 0; k < 16; ++k) {
    if (lane < 16) column[lane] = a[k];
    __syncwarp();
    double pivot = column[k];
    if (!is_pivot(pivot)) {
      if (bad.column == 16) bad = {k, pivot};
      pivot = 1.0;
    }
    const double over_root = 1.0 / sqrt(pivot);  // a normal number, whatever the pivot
    a[k] *= over_root;
#pragma unroll
    for (int c = k + 1; c < 16; ++c) a[c] = fma(-a[k], column[c] * over_root, a[c]);
    __syncwarp();
  }
  return bad;
}

/// Eliminates block (s,s) of a tile in shared memory: L over it, inv(L) to `inverse`. One warp.
__device__ inline BadPivot eliminate_block(double* tile, double* inverse, double* columns, int s, int lane) {
  const int row = lane & 15;
  double* cells = tile + shared_cell(2 * s + (row >> 3), 2 * s) + (row & 7) * 8;
  BadPivot bad;
  double a[16];
  load_rows(a, cells, lane);
  if (eliminate(a, columns, 16, lane) >= 0) {
    load_rows(a, cells, lane);
    bad = eliminate_guarded(a, columns, lane);
  }
  if (lane < 16) {
#pragma unroll
    for (int c = 0; c < 16; c += 2) {
      *reinterpret_cast<double2*>(cells + (c >> 3) * kCellEntries + (c & 7)) =
          make_double2(c <= row ? a[c] : 0.0, c + 1 <= row ? a[c + 1] : 0.0);
    }
  } else {
#pragma unroll
    for (int c = 0; c < 16; ++c) inverse[((c >> 3) * 2 + (row >> 3)) * kCellEntries + (c & 7) * 8 + (row & 7)] = a[c];
  }
  __syncwarp();
  return bad;
}

/// B operand from an inverse block: rows 8n.. of inv(L_ss).
__device__ inline void load_inverse(double (&b)[4], const double* inverse, int n, int lane) {
  const double2 first = *reinterpret_cast<const double2*>(inverse + 2 * n * kCellEntries + 2 * lane);
  const double2 second = *reinterpret_cast<const double2*>(inverse + (2 * n + 1) * kCellEntries + 2 * lane);
  b[0] = first.x, b[1] = first.y, b[2] = second.x, b[3] = second.y;
}

__device__ inline void store_block(double* tile, const double (&c)[2][4], int row_block, int column_block, int lane) {
#pragma unroll
  for (int n = 0; n < 2; ++n) {
    store_cell(tile, 2 * row_block, 2 * column_block + n, lane, c[n][0], c[n][1]);
    store_cell(tile, 2 * row_block + 1, 2 * column_block + n, lane, c[n][2], c[n][3]);
  }
}

/// Where the tiles of step j of a chain come from.
struct ChainStep {
  TileView diagonal;  // (j, j)
  TileView below;     // (j + 1, j), if there is one
  bool has_product;   // L(j, j-1) X = L(j, j-1)^T is still to be taken from (j, j), and L(j+1, j-1) L(j, j-1)^T from (j+1, j)
  bool pulls;         // children too
  int row, column;    // first padded row of the tile below, of the diagonal tile
};

/// c = minus block (0,0) of D, which the producer has brought.
__device__ inline void load_first(double (&c)[2][4], const double* first, int lane) {
  const double2* cells = reinterpret_cast<const double2*>(first) + lane;  // (0,0), (0,1), which is above the diagonal, (1,0), (1,1)
  const double2 top = cells[0], left = cells[kCellEntries], right = cells[3 * kCellEntries / 2];
  c[0][0] = ptx::flipped(top.x), c[0][1] = ptx::flipped(top.y), c[0][2] = ptx::flipped(left.x), c[0][3] = ptx::flipped(left.y);
  c[1][0] = 0.0, c[1][1] = 0.0, c[1][2] = ptx::flipped(right.x), c[1][3] = ptx::flipped(right.y);
}

/// Blocks (r,c), r >= c, of the next diagonal tile: D from global memory and the children minus X X^T, to shared memory. Missing cells
/// become those of an identity. `fetched`: the only block is the first.
template <int kBlocks>
__device__ inline void update_blocks(const ChainMemory& memory, const FrontView& front, const ChainStep& step, const int (&rows)[kBlocks],
                                     const int (&columns)[kBlocks], bool fetched, int lane) {
  double c[kBlocks][2][4];
#pragma unroll
  for (int i = 0; i < kBlocks; ++i) {
    if (fetched) {
      load_first(c[i], memory.first, lane);
    } else {
      load_flipped(c[i][0], step.diagonal, 2 * rows[i], 2 * columns[i], lane);
      load_flipped(c[i][1], step.diagonal, 2 * rows[i], 2 * columns[i] + 1, lane);
    }
    if (step.pulls) gather<1, 2>(c + i, front, step.column + 16 * rows[i], step.column + 16 * columns[i], lane);
  }
  if (step.has_product) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
#pragma unroll
      for (int i = 0; i < kBlocks; ++i) {
        double a[8], b[2][4];
        load_a(a, memory.below, 2 * rows[i], 2 * k, lane);
        load_b(b[0], memory.below, 2 * columns[i], 2 * k, lane);
        load_b(b[1], memory.below, 2 * columns[i] + 1, 2 * k, lane);
        ptx::mma(c[i][0], a, b[0]);
        ptx::mma(c[i][1], a, b[1]);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < kBlocks; ++i) {
#pragma unroll
    for (int n = 0; n < 2; ++n) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int r = 2 * rows[i] + half, column = 2 * columns[i] + n;
        const bool real = r < step.diagonal.width && column < step.diagonal.width;
        const double unit = r == column ? -1.0 : 0.0;
        const double x = real ? c[i][n][2 * half] : (lane >> 2) == 2 * (lane & 3) ? unit : 0.0;
        const double y = real ? c[i][n][2 * half + 1] : (lane >> 2) == 2 * (lane & 3) + 1 ? unit : 0.0;
        store_cell(memory.diagonal, r, column, lane, ptx::flipped(x), ptx::flipped(y));
      }
    }
  }
}

/// Warp 0 takes the first block and goes on; it needs the blocks that warp 1 takes first next. `blocks`: along the side of L(j,j).
__device__ inline void load_diagonal(const ChainMemory& memory, const FrontView& front, const ChainStep& step, int blocks,
                                     const Member& me) {
  const int warp = me.warp, lane = me.lane;
  if (warp == 0) {
    update_blocks<1>(memory, front, step, {0}, {0}, *memory.fetched != 0, lane);
    return;
  }
  if (warp == 1 && blocks > 1) update_blocks<2>(memory, front, step, {1, 1}, {0, 1}, false, lane);
  if (warp > 1 && warp < blocks) update_blocks<3>(memory, front, step, {warp, warp, warp}, {0, warp - 1, warp}, false, lane);
  if (blocks > 1) ptx::named_arrive(me.barriers + kUpdatedBarrier, kConsumers);
  if (warp == 1 && blocks > 3) update_blocks<1>(memory, front, step, {3}, {1}, false, lane);
}

/// Block (r,c) of the diagonal tile -= x y^T, x an operand, y the rows of two cells each as operands.
__device__ inline void subtract_product(const ChainMemory& memory, const double (&x)[8], const double (&y)[2][4], int r, int c, int lane) {
#pragma unroll
  for (int n = 0; n < 2; ++n) {
    double product[4];
    set_zero(product);
    ptx::mma(product, x, y[n]);
    const double2 top = load_cell(memory.diagonal, 2 * r, 2 * c + n, lane);
    const double2 bottom = load_cell(memory.diagonal, 2 * r + 1, 2 * c + n, lane);
    store_cell(memory.diagonal, 2 * r, 2 * c + n, lane, top.x - product[0], top.y - product[1]);
    store_cell(memory.diagonal, 2 * r + 1, 2 * c + n, lane, bottom.x - product[2], bottom.y - product[3]);
  }
}

/// Block (row,s) of L. One warp.
__device__ inline void solve_block(const ChainMemory& memory, double (&x)[2][4], int row, int s, int lane) {
  double a[8], b[4];
  load_a(a, memory.diagonal, 2 * row, 2 * s, lane);
#pragma unroll
  for (int n = 0; n < 2; ++n) {
    load_inverse(b, memory.inverse + s * kInverseEntries, n, lane);
    set_zero(x[n]);
    ptx::mma(x[n], a, b);
  }
  store_block(memory.diagonal, x, row, s, lane);
}

/// After block (s,s): block (r,s) of L, r = s + 1 + warp; then the blocks right of column s. Warp 0 makes the next diagonal block from its
/// own and goes on at once; the others wait for one another.
__device__ inline void eliminate_below(const ChainMemory& memory, int s, int blocks, const Member& me) {
  const int warp = me.warp, lane = me.lane, row = s + 1 + warp;
  double a[8], x[2][4];
  if (warp == 0) {
    ptx::named_arrive(me.barriers + block_barrier(s), kConsumers);
    ptx::named_sync(me.barriers + kUpdatedBarrier, kConsumers);
    solve_block(memory, x, row, s, lane);
    ptx::named_arrive(me.barriers + kColumnBarrier, kConsumers);
    as_operand(a, x[0], x[1]);
    const double own[2][4] = {{x[0][0], x[0][1], x[1][0], x[1][1]}, {x[0][2], x[0][3], x[1][2], x[1][3]}};
    subtract_product(memory, a, own, row, row, lane);
    __syncwarp();
    return;
  }
  ptx::named_sync(me.barriers + block_barrier(s), kConsumers);
  if (row < blocks) solve_block(memory, x, row, s, lane);
  ptx::named_sync(me.barriers + kColumnBarrier, kConsumers);
  int index = 0;
  for (int r = s + 2; r < blocks; ++r) {
    load_a(a, memory.diagonal, 2 * r, 2 * s, lane);
    for (int c = s + 1; c <= r; ++c, ++index) {
      if (index % 3 + 1 != warp) continue;
      double y[2][4];
      load_b(y[0], memory.diagonal, 2 * c, 2 * s, lane);
      load_b(y[1], memory.diagonal, 2 * c + 1, 2 * s, lane);
      subtract_product(memory, a, y, r, c, lane);
    }
  }
  __syncwarp();
  if (s + 2 < blocks) ptx::named_arrive(me.barriers + kUpdatedBarrier, kConsumers);
}

/// What triangular solves with L(j,j) need: the inverses of its 16 x 16 diagonal blocks, and what is below these. One thread's bulk copies.
__device__ inline void store_for_solves(const ChainMemory& memory, double* inverses, const TileView& tile) {
  for (int k = 0; 2 * k < tile.width; ++k) {
    ptx::bulk_store(inverses + k * kInverseEntries, memory.inverse + k * kInverseEntries, kInverseEntries * 8);
    const int below = tile.height - 2 * k - 2;
    if (below > 0)
      ptx::bulk_store(tile.cell(2 * k + 2, 2 * k), memory.diagonal + shared_cell(2 * k + 2, 2 * k), 2 * below * kCellEntries * 8);
  }
  ptx::finish_stores();
}

/// The diagonal blocks themselves; they have been read when this returns.
__device__ inline void store_diagonal_blocks(const double* shared, const TileView& tile) {
  for (int c = 0; c < tile.width; c += 2)
    ptx::bulk_store(tile.cell(c, c), shared + shared_cell(c, c), (tile.pair_width(c) == 2 ? 4 : 1) * kCellEntries * 8);
  ptx::finish_store_reads();
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
__device__ inline void multiply_unit(const ChainMemory& memory, const FrontView& front, const ChainStep& step, const TileView& left,
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
/// of the last 16 rows. L(j+1, j-1) is tested for, and waited for only at the end.
struct BelowWork {
  const FrontView& front;
  const ChainStep& step;
  TileView left;  // L(j+1, j-1), if step.has_product
  const int* ready;
  int value;
  int parts;  // still to be made

  /// One part, if it can be made without waiting, or `wait`.
  __device__ void run(const ChainMemory& memory, bool wait, const Member& me) {
    if (parts == 0) return;
    if (parts == 2) {  // the first
      if (step.has_product && !wait &&
          __shfl_sync(0xffffffffu, me.lane == 0 ? static_cast<int>(ptx::load_acquire(ready) >= value) : 0, 0) == 0)
        return;
      if (step.has_product && wait) wait_warp(ready, value, me.lane);
      __syncwarp();  // what lane 0 saw is there for all lanes
      multiply_unit<8>(memory, front, step, left, 2 * (me.warp - 1), 0, me.lane);
    } else if (me.warp < 3) {
      multiply_unit<4>(memory, front, step, left, 6, 4 * (me.warp - 1), me.lane);
    }
    --parts;
  }
};

/// Row block `warp`, (16,64), of the tile below: X = C L^-T with minus C in memory.product; to memory.below.
/// `blocks`: 16 x 16 blocks along the side of L(j,j); what lies right of its columns is not stored.
__device__ inline void make_below(const ChainMemory& memory, int blocks, const Member& me) {
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
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      set_zero(c[2 * s + n]);
      load_inverse(b, memory.inverse + s * kInverseEntries, n, lane);
      ptx::mma(c[2 * s + n], a, b);
    }
    flipped_operand(a, c[2 * s], c[2 * s + 1]);
#pragma unroll
    for (int n = 2 * s + 2; n < 8; ++n) {
      load_b(b, memory.diagonal, n, 2 * s, lane);
      ptx::mma(c[n], a, b);
    }
  }
#pragma unroll
  for (int n = 0; n < 8; ++n) store_flipped(memory.below, c[n], 2 * warp, n, lane);
}

/// Blocks of 16 along the side of L(j,j).
__device__ inline int blocks_of(const FrontView& front, int j) { return (front.cells.cells_of(j) + 1) / 2; }

__device__ inline ChainStep chain_step(const FrontView& front, int j) {
  const bool has_below = j + 1 < front.cells.row_tiles();
  return {tile_of(front, j, j),
          tile_of(front, has_below ? j + 1 : j, j),
          j >= 1,
          j < 2 && front.child_count > 0,
          has_below ? front.cells.first_cell(j + 1) * symbolic::kCell : 0,
          j * kTile};
}

/// L(j,j), and the tile below but for the solve with it.
__device__ inline void eliminate_tile(const FrontView& front, const ChainMemory& memory, int j, BelowWork& below, const Member& me,
                                      bool& failed_before) {
  const int blocks = blocks_of(front, j);
  for (int s = 0;; ++s) {
    if (s == 1 && below.parts > 0)
      ptx::named_sync(me.barriers + kProductBarrier, kConsumers);  // all at one place: others wait for one another
    if (s > 0) below.run(memory, s >= blocks, me);
    if (s >= blocks && below.parts == 0) return;
    if (s >= blocks) continue;
    if (me.warp == 0) {
      const BadPivot bad = eliminate_block(memory.diagonal, memory.inverse + s * kInverseEntries, memory.columns, s, me.lane);
      if (bad.column < 16 && !failed_before) {
        failed_before = true;
        if (me.lane == 0) front.counters[kFailed] = 1 + j * kTile + 16 * s + bad.column, *front.failed_pivot = bad.value;
      }
    }
    if (s + 1 < blocks) eliminate_below(memory, s, blocks, me);
  }
}

/// Tile (j,j) and the one below are there but for the last product. The chain's warps.
__device__ inline void wait_until_prepared(const FrontView& front, int j, int lane) {
  if (j >= 2) wait_warp(front.counters + kRows + front.cells.row_tiles() + j, 1, lane);
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
    if (*memory.fetched == 0) wait_until_prepared(front, j, lane);
    load_diagonal(memory, front, step, blocks_of(front, j), me);
    __syncwarp();
    const bool has_below = j + 1 < front.cells.row_tiles();
    BelowWork below{front,
                    step,
                    tile_of(front, step.has_product && has_below ? j + 1 : j, j >= 1 ? j - 1 : 0),
                    front.counters + kRows + j + 1,
                    j,
                    has_below && warp > 0 ? 2 : 0};
    eliminate_tile(front, memory, j, below, me, failed_before);
    ptx::shared_proxy_fence();
    ptx::named_sync(me.barriers + kDiagonalBarrier, kTeamThreads);
    if (has_below) {
      make_below(memory, blocks_of(front, j), me);
      ptx::shared_proxy_fence();
    }
    ptx::named_sync(me.barriers + kBelowBarrier, kTeamThreads);
  }
}

/// The first block of tile (j,j), if it is there already: warp 0 would wait for it where all others wait for warp 0. The producer's warp.
__device__ inline void fetch_first(const FrontView& front, const ChainMemory& memory, int j, int lane) {
  const int* prepared = front.counters + kRows + front.cells.row_tiles() + j;
  int there = 1;
  if (lane == 0 && j >= 2) there = static_cast<int>(ptx::load_acquire(prepared) >= 1);
  there = __shfl_sync(0xffffffffu, there, 0);
  const TileView tile = tile_of(front, j, j);
  if (tile.width < 2) there = 0;
  if (there != 0) {
    const double2* from = reinterpret_cast<const double2*>(tile.cell(0, 0)) + lane;
    double2* to = reinterpret_cast<double2*>(memory.first) + lane;
#pragma unroll
    for (int i = 0; i < 4; ++i)
      if (i != 1) to[32 * i] = __ldcg(from + 32 * i);
  }
  if (lane == 0) *memory.fetched = there;
}

/// The tile below (j,j) to memory.product; cells that it lacks become zeros. The producer's warp.
__device__ inline void fetch_below(const FrontView& front, const ChainMemory& memory, int j, int lane) {
  wait_until_prepared(front, j, lane);
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

/// The producer's part in a chain: brings what the consumers need next, stores tiles and announces them.
__device__ inline void announce_chain(const FrontView& front, const ChainMemory& memory, const Levels& levels, const Member& me) {
  ptx::named_sync(me.barriers + kDiagonalBarrier, kTeamThreads);
  if (front.fills > 0) wait_warp(front.counters + kFilled, front.fills, me.lane);
  for (int j = 0; j < front.cells.pivot_tiles(); ++j) {
    const bool has_below = j + 1 < front.cells.row_tiles();
    if (has_below) {
      fetch_below(front, memory, j, me.lane);
      ptx::named_arrive(me.barriers + kProductBarrier, kConsumers);
    }
    ptx::named_sync(me.barriers + kDiagonalBarrier, kTeamThreads);
    if (me.lane == 0) {
      const TileView tile = tile_of(front, j, j);
      store_for_solves(memory, front.inverses + symbolic::FrontCells::inverse_place(j * kTile, j * kTile), tile);
      ptx::proxy_fence();
      ptx::store_release(front.counters + kDiagonals, j + 1);
      store_diagonal_blocks(memory.diagonal, tile);
    }
    __syncwarp();
    if (j + 1 < front.cells.pivot_tiles()) fetch_first(front, memory, j + 1, me.lane);
    ptx::named_sync(me.barriers + kBelowBarrier, kTeamThreads);
    if (me.lane == 0) {
      if (has_below) store_tile(memory.below, tile_of(front, j + 1, j));
      ptx::finish_stores();
      if (has_below) {
        ptx::proxy_fence();
        ptx::store_release(front.counters + kRows + j + 1, j + 1);
      }
    }
    __syncwarp();
  }
  if (me.lane == 0 && levels.done != nullptr) {
    ptx::release_fence();
    ptx::add_relaxed(levels.done + front.level, 1);
  }
}

}  // namespace kauri::numeric::cuda::kernels
