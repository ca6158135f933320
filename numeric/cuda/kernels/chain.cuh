// The chain of a front: its diagonal tiles one after another, each factorised with the tile below it, by the four warps of one block.
//
// A 64 x 64 tile is taken in four steps of 16 columns. One warp eliminates a 16 x 16 block with an identity below it, one row per lane, without
// square roots on the way (L D L^T, scaled at the end), which gives L and its inverse at once; everything else is products by mma whose
// accumulators are the next operands. The tile below is solved with the inverses of the 16 x 16 blocks (substitution by blocks), and its square
// updates the next diagonal tile from shared memory: no other block stands in the chain.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/kernels/update.cuh"

namespace kauri::cuda {

inline constexpr int kDiagonalBarrier = 1;  // of the team's barriers
inline constexpr int kBelowBarrier = 2;
inline constexpr int kInverseEntries = 256;  // a 16 x 16 block as 2 x 2 cells, by columns

/// Shared memory of a chain, in place of the ring's stages.
struct ChainMemory {
  double* diagonal;  // 1 tile: D, then L(j,j)
  double* below;     // 1 tile: L(j+1,j)
  double* inverse;   // 4 blocks
};

/// Eliminates block (s,s) of a tile in shared memory: L over it, inv(L) to `inverse`. Returns the first column without a positive pivot, or 16.
/// One warp: lanes 0-15 hold the rows of the block, lanes 16-31 those of the identity.
__device__ inline int eliminate_block(double* tile, double* inverse, int s, int lane) {
  const int row = lane & 15;
  double* cells = tile + (16 * s + 2 * s + (row >> 3)) * kCellEntries + (row & 7) * 8;  // second column cell: + 8 cells
  double a[16];
#pragma unroll
  for (int c = 0; c < 16; c += 2) {
    const double2 pair = *reinterpret_cast<const double2*>(cells + (c >> 3) * 8 * kCellEntries + (c & 7));
    a[c] = lane < 16 ? pair.x : (c == row ? 1.0 : 0.0);
    a[c + 1] = lane < 16 ? pair.y : (c + 1 == row ? 1.0 : 0.0);
  }
  double mine = 1.0;
  int failed = 16;
  double pivot = __shfl_sync(0xffffffffu, a[0], 0);
#pragma unroll
  for (int j = 0; j < 16; ++j) {
    if (!(pivot > 0.0 && pivot < 1e300)) {
      failed = min(failed, j);
      pivot = 1.0;
    }
    if (lane == j) mine = pivot;
    double y, e;
    ptx::reciprocal_parts(pivot, y, e);
    const double scaled = a[j] * y;
    const double factor = fma(scaled, e, scaled);
    if (j < 15) {
      const double next = __shfl_sync(0xffffffffu, a[j], j + 1);
      const double next_diagonal = __shfl_sync(0xffffffffu, a[j + 1], j + 1);
      const double next_scaled = next * y;
      pivot = fma(-fma(next_scaled, e, next_scaled), next, next_diagonal);
#pragma unroll
      for (int c = j + 1; c < 16; ++c) a[c] = fma(-factor, __shfl_sync(0xffffffffu, a[j], c), a[c]);
    }
  }
  const double root = rsqrt(mine);
#pragma unroll
  for (int c = 0; c < 16; ++c) a[c] *= __shfl_sync(0xffffffffu, root, c);
  if (lane < 16) {
#pragma unroll
    for (int c = 0; c < 16; c += 2) {
      *reinterpret_cast<double2*>(cells + (c >> 3) * 8 * kCellEntries + (c & 7)) =
          make_double2(c <= row ? a[c] : 0.0, c + 1 <= row ? a[c + 1] : 0.0);
    }
  } else {
#pragma unroll
    for (int c = 0; c < 16; ++c) inverse[((row >> 3) * 2 + (c >> 3)) * kCellEntries + (c & 7) * 8 + (row & 7)] = a[c];
  }
  return failed;
}

/// B operand from an inverse block: rows 8n.. of inv(L_ss).
__device__ inline void load_inverse(double (&b)[4], const double* inverse, int n, int lane) {
  const double2 first = *reinterpret_cast<const double2*>(inverse + n * kCellEntries + 2 * lane);
  const double2 second = *reinterpret_cast<const double2*>(inverse + (2 + n) * kCellEntries + 2 * lane);
  b[0] = first.x, b[1] = first.y, b[2] = second.x, b[3] = second.y;
}

__device__ inline void set_zero(double (&c)[4]) { c[0] = c[1] = c[2] = c[3] = 0.0; }

__device__ inline void store_block(double* tile, const double (&c)[2][4], int row_block, int column_block, int lane) {
#pragma unroll
  for (int n = 0; n < 2; ++n) {
    store_cell(tile, 2 * row_block, 2 * column_block + n, lane, c[n][0], c[n][1]);
    store_cell(tile, 2 * row_block + 1, 2 * column_block + n, lane, c[n][2], c[n][3]);
  }
}

/// Blocks (r,c), r >= c, of the next diagonal tile: D from global memory minus X X^T, to shared memory. Warp 0 takes block (0,0) alone and goes on.
template <int kBlocks>
__device__ inline void update_blocks(const ChainMemory& memory, const double* source, bool with_product, const int (&rows)[kBlocks],
                                     const int (&columns)[kBlocks], int lane) {
  double c[kBlocks][2][4];
#pragma unroll
  for (int i = 0; i < kBlocks; ++i) {
    load_flipped(c[i][0], source, 2 * rows[i], 2 * columns[i], lane);
    load_flipped(c[i][1], source, 2 * rows[i], 2 * columns[i] + 1, lane);
  }
  if (with_product) {
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
    store_flipped(memory.diagonal, c[i][0], 2 * rows[i], 2 * columns[i], lane);
    store_flipped(memory.diagonal, c[i][1], 2 * rows[i], 2 * columns[i] + 1, lane);
  }
}

__device__ inline void load_diagonal(const ChainMemory& memory, const double* source, bool with_product, int warp, int lane) {
  if (warp == 0) {
    update_blocks<1>(memory, source, with_product, {0}, {0}, lane);
  } else {
    const int rows[3] = {warp == 3 ? 3 : warp == 1 ? 1 : 2, warp == 3 ? 3 : warp == 1 ? 1 : 2, warp == 1 ? 2 : 3};
    const int columns[3] = {warp == 3 ? 1 : warp == 1 ? 0 : 1, warp == 3 ? 2 : warp == 1 ? 1 : 2, warp == 3 ? 3 : 0};
    update_blocks<3>(memory, source, with_product, rows, columns, lane);
  }
}

/// After block (s,s): blocks (r,s) of L for r > s, then the blocks right of them. Warp 0 makes the next diagonal block and goes on at once.
__device__ inline void eliminate_below(const ChainMemory& memory, int s, const Member& me) {
  const int warp = me.warp, lane = me.lane;
  double x[2][4];
  double a[8], b[4];
  const int row = s + 1 + warp;
  if (row < 4) {
    load_a(a, memory.diagonal, 2 * row, 2 * s, lane);
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      load_inverse(b, memory.inverse + s * kInverseEntries, n, lane);
      set_zero(x[n]);
      ptx::mma(x[n], a, b);
    }
    store_block(memory.diagonal, x, row, s, lane);
  }
  me.sync_consumers();
  int index = 0;
  for (int r = s + 1; r < 4; ++r) {
    for (int c = s + 1; c <= r; ++c, ++index) {
      if ((index == 0 ? 0 : 1 + (index - 1) % 3) != warp) continue;
      double product[2][4];
      load_a(a, memory.diagonal, 2 * r, 2 * s, lane);
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        set_zero(product[n]);
        load_b(b, memory.diagonal, 2 * c + n, 2 * s, lane);
        ptx::mma(product[n], a, b);
        const double2 top = load_cell(memory.diagonal, 2 * r, 2 * c + n, lane);
        const double2 bottom = load_cell(memory.diagonal, 2 * r + 1, 2 * c + n, lane);
        store_cell(memory.diagonal, 2 * r, 2 * c + n, lane, top.x - product[n][0], top.y - product[n][1]);
        store_cell(memory.diagonal, 2 * r + 1, 2 * c + n, lane, bottom.x - product[n][2], bottom.y - product[n][3]);
      }
    }
  }
  __syncwarp();
}

/// L(j,j) and its form for solves to global memory: cells of the lower 16 x 16 blocks.
__device__ inline void store_diagonal(const ChainMemory& memory, double* tile, double* solve, int warp, int lane) {
#pragma unroll
  for (int c = 0; c < 2; ++c) {
    const int column = 2 * warp + c;
    for (int row = 2 * warp; row < 8; ++row) {
      const double2 entry = load_cell(memory.diagonal, row, column, lane);
      store_cell(tile, row, column, lane, entry.x, entry.y);
      double2 other = entry;
      if (row < 2 * warp + 2) {
        other = *reinterpret_cast<const double2*>(memory.inverse + warp * kInverseEntries + (c * 2 + row - 2 * warp) * kCellEntries + 2 * lane);
      }
      store_cell(solve, row, column, lane, other.x, other.y);
    }
  }
}

/// Row block `warp`, (16,64), of the tile below: X = (C - P Q^T) L^-T with P = L(j+1,j-1) from global and Q = L(j,j-1) in memory.below.
__device__ inline void make_below(const ChainMemory& memory, double* tile, const double* left, bool with_product,
                                  const Member& me) {
  const int warp = me.warp, lane = me.lane;
  double c[8][4];
#pragma unroll
  for (int n = 0; n < 8; ++n) load_flipped(c[n], tile, 2 * warp, n, lane);
  if (with_product) {
    double a[4][8];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const double2 top = load_cell_global(left, 2 * warp, k, lane);
      const double2 bottom = load_cell_global(left, 2 * warp + 1, k, lane);
      double(&part)[8] = a[k >> 1];
      part[4 * (k & 1)] = top.x, part[4 * (k & 1) + 2] = top.y, part[4 * (k & 1) + 1] = bottom.x, part[4 * (k & 1) + 3] = bottom.y;
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
#pragma unroll
      for (int n = 0; n < 8; ++n) {
        double b[4];
        load_b(b, memory.below, n, 2 * k, lane);
        ptx::mma(c[n], a[k], b);
      }
    }
  }
#pragma unroll
  for (int s = 0; s < 4; ++s) {
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
  me.sync_consumers();  // all warps have read the old memory.below
#pragma unroll
  for (int n = 0; n < 8; ++n) {
    store_flipped(memory.below, c[n], 2 * warp, n, lane);
    store_flipped(tile, c[n], 2 * warp, n, lane);
  }
}

__device__ inline void wait_warp(const int* counter, int value, int lane) {
  if (lane == 0) wait_at_least(counter, value);
  __syncwarp();
}

/// The whole chain: four consumer warps.
__device__ inline void run_chain(const FrontView& front, const ChainMemory& memory, const Member& me) {
  const int warp = me.warp, lane = me.lane;
  int* rows = front.counters + kRows;
  bool failed_before = false;
  for (int j = 0; j < front.pivot_tiles; ++j) {
    double* diagonal = tile_of(front, j, j);
    if (j >= 2) wait_warp(rows + front.row_tiles + j, 1, lane);
    load_diagonal(memory, diagonal, j >= 1, warp, lane);
    __syncwarp();
    for (int s = 0; s < 4; ++s) {
      if (warp == 0) {
        const int failed = eliminate_block(memory.diagonal, memory.inverse + s * kInverseEntries, s, lane);
        if (failed < 16 && !failed_before) {
          failed_before = true;
          if (lane == 0) front.counters[kFailed] = 1 + j * kTile + 16 * s + failed;
        }
      }
      me.sync_consumers();
      if (s < 3) eliminate_below(memory, s, me);
    }
    store_diagonal(memory, diagonal, front.solve + static_cast<std::int64_t>(j) * kTileEntries, warp, lane);
    ptx::proxy_fence();
    ptx::named_arrive(me.barriers + kDiagonalBarrier, kTeamThreads);
    if (j + 1 < front.row_tiles) {
      double* below = diagonal + kTileEntries;
      if (j >= 1) wait_warp(rows + j + 1, j, lane);
      make_below(memory, below, j >= 1 ? tile_of(front, j + 1, j - 1) : nullptr, j >= 1, me);
      ptx::proxy_fence();
    }
    ptx::named_sync(me.barriers + kBelowBarrier, kTeamThreads);
  }
}

/// The producer warp's part in a chain: it announces, so that no consumer waits for its stores.
__device__ inline void announce_chain(const FrontView& front, const Member& me) {
  const int lane = me.lane;
  for (int j = 0; j < front.pivot_tiles; ++j) {
    ptx::named_sync(me.barriers + kDiagonalBarrier, kTeamThreads);
    if (lane == 0) ptx::store_release(front.counters + kDiagonals, j + 1);
    __syncwarp();
    ptx::named_sync(me.barriers + kBelowBarrier, kTeamThreads);
    if (lane == 0 && j + 1 < front.row_tiles) ptx::store_release(front.counters + kRows + j + 1, j + 1);
    __syncwarp();
  }
}

}  // namespace kauri::cuda
