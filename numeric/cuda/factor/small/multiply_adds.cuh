// Partial Cholesky of a packed front in shared memory by one warp and fused multiply-adds, 16
// columns at a time, left-looking. It needs no tensor cores and no column operations.
//
// A block column first takes the products of all columns left of it: a lane holds eight rows and
// four columns of it, and loads at most ten numbers for each column of L. Then its rows are
// eliminated, one or two in a lane. So all rows of L are solved with the diagonal block itself, not
// with its inverse, and no product needs a correction.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/small/packed_blocks.cuh"
#include "numeric/cuda/factor/tiled/eliminate.cuh"

namespace kauri::numeric::cuda::kernels {

/// Subtracts the products of the first `end` columns of L, end <= 16 j, or end = pivots if block
/// column j has none, from the first kCount blocks of block column j, from its diagonal on; the
/// front must have these. Reads up to 15 places behind the triangle. Called by one warp.
template <int kCount, class Loop>
__device__ inline void subtract_columns(const LaneFrontOf<Loop>& front, int j, int end) {
  using LoopScalar = typename Loop::LoopScalar;
  const LaneColumns columns(front, j);
  BlockSums<LoopScalar> sum[kCount];
#pragma unroll
  for (int b = 0; b < kCount; ++b) load_sums<false>(sum[b], front, j + b, j, columns);
  const LoopScalar* rows = front.packed + kBlock * j + front.lane_row;
  const LoopScalar* tops = front.packed + columns.first;
  int step = front.rows - 1;
#pragma unroll 4
  for (int k = 0; k < end; ++k) {
    LoopScalar top[4];
#pragma unroll
    for (int c = 0; c < 4; ++c) top[c] = tops[8 * (c & 1) + (c >> 1)];
#pragma unroll
    for (int b = 0; b < kCount; ++b) {
      const LoopScalar upper = rows[kBlock * b], lower = rows[kBlock * b + 1];
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        LoopScalar(&half)[4] = sum[b][c >> 1];
        half[c & 1] = fma(-upper, top[c], half[c & 1]);
        half[2 + (c & 1)] = fma(-lower, top[c], half[2 + (c & 1)]);
      }
    }
    rows += step, tops += step, --step;
  }
  __syncwarp();  // what lanes have read behind the triangle's columns may be entries of this block
                 // column
#pragma unroll
  for (int b = 0; b < kCount; ++b) store_block<false>(sum[b], front, j + b, j, columns);
}

/// Calls subtract_columns() for all blocks of block column j, at most kMost: 1 or 3.
template <int kMost, class Loop>
__device__ inline void update_column(const LaneFrontOf<Loop>& front, int j, int end) {
  if constexpr (kMost == 3) {
    const int count = front.blocks() - j;
    if (count == 3) return subtract_columns<3>(front, j, end);
    if (count == 2) return subtract_columns<2>(front, j, end);
  } else {
    static_assert(kMost == 1);
  }
  subtract_columns<1>(front, j, end);
}

/// Eliminates the pivots of block column j, kHeld rows a lane: all rows from the diagonal on, at
/// most 32 kHeld. `exchange`: kExchangeEntries of shared memory. Returns the first of these columns
/// without an ordinary pivot, counted from the front's first column, or -1. Called by one warp.
template <int kHeld, class Loop>
__device__ inline int eliminate_column(const LaneFrontOf<Loop>& front, int pivots,
                                       typename Loop::LoopScalar* exchange, int j) {
  const int first = kBlock * j;
  typename Loop::LoopScalar a[kHeld][16];
#pragma unroll
  for (int h = 0; h < kHeld; ++h) load_row(a[h], front, first, first + 32 * h + front.lane);
  const int failed =
      eliminate_rows<kHeld, false>(a, exchange, min(kBlock, pivots - first), front.lane);
  if (failed >= 0) return first + failed;
#pragma unroll
  for (int h = 0; h < kHeld; ++h) store_row(a[h], front, first, first + 32 * h + front.lane);
  return -1;
}

/// Factorises a front of up to 16 kBlocks rows, kBlocks 2 or 4. `exchange`: kExchangeEntries of
/// shared memory. Returns the first column without an ordinary pivot (is_ordinary()), or -1. Called
/// by one warp.
template <int kBlocks, class Loop>
__device__ inline int factor_by_columns(const LaneFrontOf<Loop>& front, int pivots,
                                        typename Loop::LoopScalar* exchange) {
  const int blocks = front.blocks();
#pragma unroll 1
  for (int j = 0; j < blocks; ++j) {
    const int first = kBlock * j;
    if (j > 0) update_column<kBlocks - 1>(front, j, min(first, pivots));
    __syncwarp();
    if (first >= pivots) continue;
    const int failed = kBlocks > 2 && front.rows > first + 32
                           ? eliminate_column<2>(front, pivots, exchange, j)
                           : eliminate_column<1>(front, pivots, exchange, j);
    if (failed >= 0) return failed;
    __syncwarp();
  }
  return -1;
}

}  // namespace kauri::numeric::cuda::kernels
