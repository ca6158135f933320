// Partial Cholesky of a packed front in shared memory, by one warp or by the warps of a block, 16
// columns at a time.
//
// One warp eliminates a diagonal block with an identity below it, which gives the column operations
// (the inverse transposed) too; all other products are by mma, with accumulators in bit-reversed
// order (packed_blocks.cuh). In the last block column of pivots the same operations update the
// columns right of the pivots, and later products leave these columns out: p needs no rounding up.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

#include "numeric/cuda/factor/small/packed_blocks.cuh"
#include "numeric/cuda/factor/tiled/correction.cuh"
#include "numeric/cuda/factor/tiled/eliminate.cuh"

namespace kauri::numeric::cuda::kernels {

inline constexpr int kOperationsPart =
    72;  // entries of an 8 x 8 part of the column operations (rows of one parity, columns of one
         // parity): 64, and 8 that keep rows of different parity in different banks
inline constexpr int kOperationsEntries = 4 * kOperationsPart;

/// Stores the column operations (the inverse transposed, 16 x 16) to `operations`,
/// kOperationsEntries of shared memory, as operand B of apply_operations(). Called by lanes 16-31,
/// each with row `lane & 15` of the column operations in `a`.
__device__ inline void store_operations(double* operations, const double (&a)[16], int lane) {
  const int k = lane & 15;
  double* mine = operations + (k & 1) * kOperationsPart + 2 * ((k >> 2 & 1) + (k & 2)) + (k >> 3);
#pragma unroll
  for (int n = 0; n < 16; ++n)
    mine[(n & 1) * 2 * kOperationsPart + 8 * ((n >> 3) + 2 * (n >> 2 & 1) + 4 * (n >> 1 & 1))] =
        a[n];
}

/// Sets x to minus acc times the column operations that store_operations() stored. Called by one
/// warp.
template <class Core>
__device__ inline void apply_operations(BlockAccumulator& x, const BlockAccumulator& acc,
                                        const double* operations, int lane) {
  double a[8];
  flipped_operand(a, acc[0], acc[1]);
#pragma unroll
  for (int n = 0; n < 2; ++n) {
    const double2* half =
        reinterpret_cast<const double2*>(operations + n * 2 * kOperationsPart) + lane;
    const double2 first = half[0], second = half[kOperationsPart / 2];
    const double b[4] = {first.x, first.y, second.x, second.y};
    x[n][0] = x[n][1] = x[n][2] = x[n][3] = 0.0;
    Core::multiply(x[n], a, b);
  }
}

/// Result of a diagonal block: the first column of the front without an ordinary pivot
/// (is_ordinary()), or -1; and whether products with its column operations need a correction.
struct EliminatedDiagonal {
  int failed_column;
  bool corrects;
};

/// Eliminates diagonal block j, from which earlier columns have been subtracted: writes L over it,
/// and the inverse of L transposed, as column operations, to `operations`. `exchange`:
/// kExchangeEntries of shared memory, which may be those of `operations`. Called by one warp.
template <class Core>
__device__ inline EliminatedDiagonal eliminate_diagonal(const LaneFrontOf<Core>& front, int pivots,
                                                        double* operations, double* exchange,
                                                        int j) {
  const int first = kBlock * j, lane = front.lane, row = first + (lane & 15),
            width = min(kBlock, pivots - first);
  const double diagonal = front.packed[row < pivots ? packed_column(row, front.rows) + row : 0];
  double a[16];
  load_row(a, front, first, row);
  if (lane >= 16) {
#pragma unroll
    for (int c = 0; c < 16; ++c) a[c] = c == lane - 16 ? 1.0 : 0.0;
  }
  const int failed = eliminate(a, exchange, width, lane);
  if (lane < 16) {
    store_row(a, front, first, row);
  } else {
    store_operations(operations, a, lane);
  }
  const bool corrects = is_nearly_singular(a, diagonal, width, lane);
  __syncwarp();
  return {failed < 0 ? -1 : first + failed, corrects};
}

/// Loads a triangle G as operand B by rows. A column of G is that of diagonal block j of L if it is
/// a pivot, else that of the identity; block column j's column operations are G^-T.
template <class Core>
__device__ inline void load_triangle(double (&g)[8], const LaneFrontOf<Core>& front, int pivots,
                                     int j, const LaneColumns& columns) {
  const int row = kBlock * j + front.lane_row;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int column = columns.column(i >> 1), r = row + (i & 1);
    const bool there = column < pivots && column <= r && r < front.rows;
    g[i] = front.packed[there ? columns.place[i >> 1] + r : 0];
    if (!there) g[i] = column >= pivots && column == r ? 1.0 : 0.0;
  }
}

/// Adds (C - x G^T) G^-T to x = C G^-T, which apply_operations() computed (tiled/correction.cuh);
/// G: load_triangle(). acc: minus C on entry, and changed. Called by one warp.
template <class Core>
__device__ inline void correct_block(BlockAccumulator& x, BlockAccumulator& acc,
                                     const LaneFrontOf<Core>& front, int pivots, int j,
                                     const LaneColumns& columns, const double* operations) {
  double g[8], a[8];
  load_triangle(g, front, pivots, j, columns);
  as_operand(a, x[0], x[1]);
  mask_pivots(a, columns, front.rows);  // sets columns that the front lacks to zero
  multiply_block<Core>(acc, a, g);
  BlockAccumulator change;
  apply_operations<Core>(change, acc, operations, front.lane);
#pragma unroll
  for (int n = 0; n < 2; ++n) {
#pragma unroll
    for (int i = 0; i < 4; ++i) x[n][i] += change[n][i];
  }
}

/// Adds the sum of L(i,k) L(j,k)^T over block columns k in [begin, end) to acc; columns that are
/// not pivots count as zeros. Called by one warp.
template <class Core>
__device__ inline void add_products(BlockAccumulator& acc, const LaneFrontOf<Core>& front,
                                    int pivots, int i, int j, int begin, int end) {
  for (int k = begin; k < end; ++k) {
    const LaneColumns left(front, k);
    double a[8];
    load_block(a, front, i, left);
    if (kBlock * (k + 1) > pivots) mask_pivots(a, left, pivots);
    if (i == j) {
      multiply_block<Core>(acc, a, a);
    } else {
      double b[8];
      load_block(b, front, j, left);
      multiply_block<Core>(acc, a, b);
    }
  }
}

/// Subtracts the sum of L(i,k) L(j,k)^T over block columns k in [begin, end) from block (i,j) in
/// shared memory; columns that are not pivots count as zeros. Called by one warp.
template <class Core>
__device__ inline void update_block(const LaneFrontOf<Core>& front, int pivots, int i, int j,
                                    int begin, int end) {
  const LaneColumns columns(front, j);
  BlockAccumulator acc;
  load_minus(acc, front, i, j, columns);
  add_products(acc, front, pivots, i, j, begin, end);
  store_block<true>(acc, front, i, j, columns);
}

/// Multiplies block (i,j), from which earlier columns have been subtracted, by the column
/// operations of block column j, which makes it L(i,j): in place and in x; with a correction if
/// `corrects`. Called by one warp.
template <class Core>
__device__ inline void solve_block(BlockAccumulator& x, const LaneFrontOf<Core>& front, int pivots,
                                   int i, int j, const LaneColumns& columns,
                                   const double* operations, bool corrects) {
  BlockAccumulator acc;
  load_minus(acc, front, i, j, columns);
  apply_operations<Core>(x, acc, operations, front.lane);
  if (corrects) correct_block(x, acc, front, pivots, j, columns, operations);
  store_block<false>(x, front, i, j, columns);
}

/// Subtracts the products of the first `panels` block columns, the pivots, from all blocks right of
/// them. Called by one warp.
template <class Core>
__device__ inline void update_contribution(const LaneFrontOf<Core>& front, int pivots, int panels) {
  const int blocks = front.blocks();
  for (int j = panels; j < blocks; ++j)
    for (int i = j; i < blocks; ++i) update_block(front, pivots, i, j, 0, panels);
}

/// Factorises a front of up to 32 rows, a row per lane, without column operations. `exchange`:
/// kExchangeEntries of shared memory. Returns the first column without an ordinary pivot
/// (is_ordinary()), or -1. Called by one warp.
template <class Core>
__device__ inline int factor_by_rows(const LaneFrontOf<Core>& front, int pivots, double* exchange) {
  for (int first = 0; first < pivots; first += kBlock) {
    double a[16];
    load_row(a, front, first, first + front.lane);
    const int failed = eliminate(a, exchange, min(kBlock, pivots - first), front.lane);
    if (failed >= 0) return first + failed;
    store_row(a, front, first, first + front.lane);
    __syncwarp();
    if (first == 0 && front.rows > kBlock) update_block(front, pivots, 1, 1, 0, 1);
    __syncwarp();
  }
  return -1;
}

/// Factorises a front of up to 64 rows by one warp, left-looking: a block column stays in
/// accumulators while its diagonal block is eliminated. `operations` and `exchange`: as for
/// eliminate_diagonal(). Returns the first column without an ordinary pivot, or -1.
template <class Core>
__device__ inline int factor_by_warp(const LaneFrontOf<Core>& front, int pivots, double* operations,
                                     double* exchange) {
  constexpr int kBlocks = 4;
  const int blocks = front.blocks(), panels = (pivots + kBlock - 1) / kBlock;
  for (int j = 0; j < panels; ++j) {
    const LaneColumns columns(front, j);
    BlockAccumulator acc[kBlocks];
#pragma unroll
    for (int b = 0; b < kBlocks; ++b) {
      if (j + b < blocks) load_minus(acc[b], front, j + b, j, columns);
    }
    for (int k = 0; k < j; ++k) {
      const LaneColumns left(front, k);
      double top[8];
      load_block(top, front, j, left);
      multiply_block<Core>(acc[0], top, top);
#pragma unroll
      for (int b = 1; b < kBlocks; ++b) {
        if (j + b >= blocks) continue;
        double a[8];
        load_block(a, front, j + b, left);
        multiply_block<Core>(acc[b], a, top);
      }
    }
    if (j > 0) store_block<true>(acc[0], front, j, j, columns);
    __syncwarp();
    const EliminatedDiagonal done = eliminate_diagonal(front, pivots, operations, exchange, j);
    if (done.failed_column >= 0) return done.failed_column;
#pragma unroll
    for (int b = 1; b < kBlocks; ++b) {
      if (j + b >= blocks) continue;
      BlockAccumulator x;
      apply_operations<Core>(x, acc[b], operations, front.lane);
      if (done.corrects) correct_block(x, acc[b], front, pivots, j, columns, operations);
      store_block<false>(x, front, j + b, j, columns);
    }
    __syncwarp();
  }
  update_contribution(front, pivots, panels);
  __syncwarp();
  return -1;
}

/// Factorises a front column by column with divisions and roots, for pivots of any magnitude.
/// Returns the first column whose pivot is not positive and finite, with that pivot left in place,
/// or -1. Called by one warp.
template <class Loop>
__device__ inline int factor_exactly(const LaneFrontOf<Loop>& front, int pivots) {
  using LoopScalar = typename Loop::LoopScalar;
  constexpr LoopScalar kLargest = std::numeric_limits<LoopScalar>::max();
  LoopScalar* a = front.packed;
  for (int j = 0; j < pivots; ++j) {
    LoopScalar* column = a + packed_column(j, front.rows);
    const LoopScalar pivot = column[j];
    if (!(pivot > LoopScalar(0) && pivot <= kLargest)) return j;
    const LoopScalar root = sqrt(pivot);
    __syncwarp();
    for (int r = j + front.lane; r < front.rows; r += 32)
      column[r] = r == j ? root : column[r] / root;
    __syncwarp();
    for (int c = j + 1; c < front.rows; ++c)
      for (int r = c + front.lane; r < front.rows; r += 32)
        a[packed_column(c, front.rows) + r] -= column[r] * column[c];
    __syncwarp();
  }
  return -1;
}

}  // namespace kauri::numeric::cuda::kernels
