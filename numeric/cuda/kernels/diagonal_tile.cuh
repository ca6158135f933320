// A diagonal tile of a front: 64 columns factorised by the four warps of a team in shared memory.
//
// A 64 x 64 tile is taken in four steps of 16 columns. One warp eliminates a 16 x 16 block with an identity below it, one row per lane,
// without square roots on the way (L D L^T, scaled at the end), which gives L and its inverse at once; everything else is products by mma
// whose accumulators are the next operands. This warp is what the others wait for, so it does all but the widest of that itself.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/kernels/eliminate.cuh"
#include "numeric/cuda/kernels/update.cuh"

namespace kauri::numeric::cuda::kernels {

// Of the team's barriers. Warps 1-3 and the producer work ahead of warp 0, which waits for the least that it needs of them.
inline constexpr int kLoadedBarrier = 0;    // warp 0 waits for the blocks that warp 3 loads first
inline constexpr int kDiagonalBarrier = 1;  // all: L(j,j), and the tile below but for the solve with it
inline constexpr int kBelowBarrier = 2;     // all: the tile below is there, L(j,j) has been read
inline constexpr int kColumnBarrier = 3;    // warps 1-3 wait for the first column of blocks
inline constexpr int kUpdatedBarrier = 4;   // warp 0 waits for what warps 1-3 have subtracted
inline constexpr int kProductBarrier = 5;   // warps 1-3 wait for the producer's copy of the tile below
inline constexpr int kBlockBarrier = 6;     // warps 1 and 2 wait for the first block

/// Shared memory of a chain, in place of the ring's stages.
struct ChainMemory {
  double* diagonal;  // 1 tile: D, then L(j,j)
  double* below;     // 1 tile: L(j,j-1), then L(j+1,j)
  double* product;   // 1 tile: A(j+1,j) without the products of columns before j - 1; then minus that without all before j
  double* inverse;   // 4 blocks
  double* columns;   // kExchangeEntries
  double* first;     // 4 cells: block (0,0) of the next D, if *fetched
  double* square;    // accumulators: what is subtracted from that block
  int* fetched;
};
inline constexpr int kChainEntries = 3 * kTileEntries + 4 * kInverseEntries + kExchangeEntries + 8 * kCellEntries + 16;

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

/// c = minus block (row, column) of D, and of the children's.
__device__ inline void load_block(double (&c)[2][4], const FrontView& front, const ChainStep& step, int row, int column, int lane) {
  load_flipped(c[0], step.diagonal, 2 * row, 2 * column, lane);
  load_flipped(c[1], step.diagonal, 2 * row, 2 * column + 1, lane);
  if (step.pulls) gather<1, 2>(&c, front, step.column + 16 * row, step.column + 16 * column, lane);
}

/// Minus c to block (row, column) of the diagonal tile; cells that D lacks become those of an identity.
__device__ inline void put_block(const ChainMemory& memory, const ChainStep& step, const double (&c)[2][4], int row, int column, int lane) {
#pragma unroll
  for (int n = 0; n < 2; ++n) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int r = 2 * row + half, k = 2 * column + n;
      double x = ptx::flipped(c[n][2 * half]), y = ptx::flipped(c[n][2 * half + 1]);
      if (r >= step.diagonal.width || k >= step.diagonal.width) {
        x = r == k && (lane >> 2) == 2 * (lane & 3) ? 1.0 : 0.0;
        y = r == k && (lane >> 2) == 2 * (lane & 3) + 1 ? 1.0 : 0.0;
      }
      store_cell(memory.diagonal, r, k, lane, x, y);
    }
  }
}

/// Blocks (row, columns) of the next diagonal tile, to shared memory: D and the children minus X X^T.
template <int kBlocks>
__device__ inline void update_blocks(const ChainMemory& memory, const FrontView& front, const ChainStep& step, int row,
                                     const int (&columns)[kBlocks], int lane) {
  double c[kBlocks][2][4];
#pragma unroll
  for (int i = 0; i < kBlocks; ++i) load_block(c[i], front, step, row, columns[i], lane);
  if (step.has_product) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      double a[8], b[2][4];
      load_a(a, memory.below, 2 * row, 2 * k, lane);
#pragma unroll
      for (int i = 0; i < kBlocks; ++i) {
        load_b(b[0], memory.below, 2 * columns[i], 2 * k, lane);
        load_b(b[1], memory.below, 2 * columns[i] + 1, 2 * k, lane);
        ptx::mma(c[i][0], a, b[0]);
        ptx::mma(c[i][1], a, b[1]);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < kBlocks; ++i) put_block(memory, step, c[i], row, columns[i], lane);
}

/// Block (0,0), whose product make_below() has left. Warp 0.
__device__ inline void load_first(const ChainMemory& memory, const FrontView& front, const ChainStep& step, int lane) {
  double c[2][4];
  if (*memory.fetched != 0) {
    const double2* cells = reinterpret_cast<const double2*>(memory.first) + lane;  // (0,0), (0,1), which is not used, (1,0), (1,1)
    const double2 top = cells[0], left = cells[kCellEntries], right = cells[3 * kCellEntries / 2];
    c[0][0] = ptx::flipped(top.x), c[0][1] = ptx::flipped(top.y), c[0][2] = ptx::flipped(left.x), c[0][3] = ptx::flipped(left.y);
    c[1][0] = 0.0, c[1][1] = 0.0, c[1][2] = ptx::flipped(right.x), c[1][3] = ptx::flipped(right.y);
    if (step.pulls) gather<1, 2>(&c, front, step.column, step.column, lane);
  } else {
    load_block(c, front, step, 0, 0, lane);
  }
  if (step.has_product) {
    const double2* square = reinterpret_cast<const double2*>(memory.square) + lane;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const double2 pair = square[32 * i];
      c[i / 2][i % 2 * 2] += pair.x, c[i / 2][i % 2 * 2 + 1] += pair.y;
    }
  }
  put_block(memory, step, c, 0, 0, lane);
  __syncwarp();
}

/// The other blocks. Warps 1 and 2 take a row of blocks each, all but the last of which they alone write and read until warp 0 has it from
/// them; warp 3 takes what warp 0 needs first, then block (3,2). `blocks`: along the side of L(j,j).
__device__ inline void load_others(const ChainMemory& memory, const FrontView& front, const ChainStep& step, int blocks, const Member& me) {
  const int row = me.warp + 1, lane = me.lane;
  if (me.warp < 3) {
    if (row < blocks) update_blocks<3>(memory, front, step, row, {0, 1, row}, lane);
  } else {
    if (blocks > 1) {
      update_blocks<2>(memory, front, step, 1, {0, 1}, lane);
      ptx::named_arrive(me.barriers + kLoadedBarrier, 64);
    }
    if (blocks > 3) update_blocks<1>(memory, front, step, 3, {2}, lane);
  }
  __syncwarp();
}

/// Block (row,column) of the diagonal tile -= a product.
__device__ inline void subtract(const ChainMemory& memory, const double (&product)[2][4], int row, int column, int lane) {
#pragma unroll
  for (int n = 0; n < 2; ++n) {
    const double2 top = load_cell(memory.diagonal, 2 * row, 2 * column + n, lane);
    const double2 bottom = load_cell(memory.diagonal, 2 * row + 1, 2 * column + n, lane);
    store_cell(memory.diagonal, 2 * row, 2 * column + n, lane, top.x - product[n][0], top.y - product[n][1]);
    store_cell(memory.diagonal, 2 * row + 1, 2 * column + n, lane, bottom.x - product[n][2], bottom.y - product[n][3]);
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

/// product += x y^T of blocks as accumulators.
__device__ inline void add_product(double (&product)[2][4], const double (&x)[2][4], const double (&y)[2][4]) {
  double left[8];
  as_operand(left, x[0], x[1]);
  const double top[4] = {y[0][0], y[0][1], y[1][0], y[1][1]}, bottom[4] = {y[0][2], y[0][3], y[1][2], y[1][3]};
  ptx::mma(product[0], left, top);
  ptx::mma(product[1], left, bottom);
}

__device__ inline void multiply_blocks(double (&product)[2][4], const double (&x)[2][4], const double (&y)[2][4]) {
  set_zero(product[0]), set_zero(product[1]);
  add_product(product, x, y);
}

/// Block (row,s) of L; block (row,row) minus its square. One warp.
__device__ inline void take_row(const ChainMemory& memory, int row, int s, int lane) {
  double x[2][4], product[2][4];
  solve_block(memory, x, row, s, lane);
  multiply_blocks(product, x, x);
  subtract(memory, product, row, row, lane);
  __syncwarp();
}

/// The same of the last two rows, and block (3,2) minus the product of both.
__device__ inline void take_two_rows(const ChainMemory& memory, int s, int lane) {
  double x[2][4], y[2][4], xx[2][4], yx[2][4], yy[2][4];
  solve_block(memory, x, 2, s, lane);
  solve_block(memory, y, 3, s, lane);
  multiply_blocks(xx, x, x);
  multiply_blocks(yx, y, x);
  multiply_blocks(yy, y, y);
  subtract(memory, xx, 2, 2, lane);
  subtract(memory, yx, 3, 2, lane);
  subtract(memory, yy, 3, 3, lane);
  __syncwarp();
}

/// Block (row,column) minus the product of blocks (row,0) and (column,0) of L.
__device__ inline void subtract_blocks(const ChainMemory& memory, int row, int column, int lane) {
  double left[8], right[4], product[2][4];
  load_a(left, memory.diagonal, 2 * row, 0, lane);
#pragma unroll
  for (int n = 0; n < 2; ++n) {
    load_b(right, memory.diagonal, 2 * column + n, 0, lane);
    set_zero(product[n]);
    ptx::mma(product[n], left, right);
  }
  subtract(memory, product, row, column, lane);
  __syncwarp();
}

/// After block (0,0), warps 1-3: the blocks below it but the first, and what is right of them.
__device__ inline void help_first_column(const ChainMemory& memory, int blocks, const Member& me) {
  const int row = me.warp + 1;
  if (me.warp < 3) {
    ptx::named_sync(me.barriers + kBlockBarrier, 96);
    if (row < blocks) take_row(memory, row, 0, me.lane);
  }
  ptx::named_sync(me.barriers + kColumnBarrier, kConsumers);
  if (me.warp == 3 && blocks > 3) subtract_blocks(memory, 3, 2, me.lane);
  if (me.warp < 3 && row < blocks) subtract_blocks(memory, row, 1, me.lane);
  if (blocks > 2) ptx::named_arrive(me.barriers + kUpdatedBarrier, kConsumers);
}

/// After block (s,s), warp 0: what is below and right of it; of the first column, the first block alone.
__device__ inline void eliminate_below(const ChainMemory& memory, int s, int blocks, const Member& me) {
  if (s == 0) {
    ptx::named_arrive(me.barriers + kBlockBarrier, 96);
    ptx::named_sync(me.barriers + kLoadedBarrier, 64);
    double x[2][4], product[2][4];
    solve_block(memory, x, 1, 0, me.lane);
    ptx::named_arrive(me.barriers + kColumnBarrier, kConsumers);
    multiply_blocks(product, x, x);
    subtract(memory, product, 1, 1, me.lane);
    __syncwarp();
    return;
  }
  if (s == 1) ptx::named_sync(me.barriers + kUpdatedBarrier, kConsumers);
  if (s == 1 && blocks > 3)
    take_two_rows(memory, s, me.lane);
  else
    take_row(memory, s + 1, s, me.lane);
}

/// L(j,j). Warp 0.
__device__ inline void eliminate_tile(const FrontView& front, const ChainMemory& memory, int j, int blocks, const Member& me,
                                      bool& failed_before) {
  for (int s = 0; s < blocks; ++s) {
    const BadPivot bad = eliminate_block(memory.diagonal, memory.inverse + s * kInverseEntries, memory.columns, s, me.lane);
    if (bad.column < 16 && !failed_before) {
      failed_before = true;
      if (me.lane == 0) front.counters[kFailed] = 1 + j * kTile + 16 * s + bad.column, *front.failed_pivot = bad.value;
    }
    if (s + 1 < blocks) eliminate_below(memory, s, blocks, me);
  }
}

}  // namespace kauri::numeric::cuda::kernels
