// Products of slabs in shared memory for the selected inverse: four warps with 32 x 32 entries of a tile each; either operand may lie
// transposed.
//
// A slab is 16 columns of an operand with 64 rows, by rows of two cells; of a transposed one they are the cells of 16 rows, by columns, and
// an entry's row there is the index that is summed over. Cells themselves lie as in memory, or in an order in which such rows are read
// without bank conflicts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/kernels/portable_loops.cuh"

namespace kauri::numeric::cuda::inverse {

using kernels::kCellEntries;
using kernels::kSlabColumns;
using kernels::kSlabEntries;
using kernels::portable::kPairEntries;
using kernels::portable::kUnit;
using kernels::portable::load_unit;
using kernels::portable::store_beside;
using symbolic::kCell;
using symbolic::kTile;
using symbolic::kTileCells;

inline constexpr int kThreads = 128;
inline constexpr int kWarpCells = 4;  // of a warp's part of a tile, along each side
/// 16 bytes each.
template <class T>
inline constexpr int kCellUnits = kCellEntries / kUnit<T>;

/// Where a warp's part of a tile begins, in cells.
__device__ __forceinline__ int warp_row(int warp) { return warp % 2 * kWarpCells; }
__device__ __forceinline__ int warp_column(int warp) { return warp / 2 * kWarpCells; }

/// A lane holds, of each of the warp's 4 x 4 cells, row lane / 4, columns 2 (lane % 4) and one more, two rows of cells in an accumulator of
/// m16n8k16. Of an operand it has 16 bytes of a cell: columns 2 (lane % 4) and one more of the sum go together, or rows of a transposed
/// one.
struct TensorLoop {
  using T = double;
  static constexpr int kBeside = 2;
  using Accumulators = double[kWarpCells / 2][kWarpCells][4];

  /// Where unit `unit` of a cell of a transposed slab goes: rows 2t, and rows 2t + 1, of four columns lie in 16 banks of 8 bytes.
  __device__ static constexpr int transposed_unit(int unit) {
    const int row = unit / 4, part = unit % 4;
    return (row % 2 * 2 + part / 2) * 8 + row / 2 * 2 + part % 2;
  }

  /// Place in such a cell of the lane's entry of row 2 (lane % 4), column lane / 4; that of the next row is kNextRow behind.
  static constexpr int kNextRow = 32;
  __device__ static constexpr int transposed_place(int lane) { return lane / 16 * 16 + lane % 4 * 4 + lane / 4 % 4; }

  /// The lane's share of a row of cells of a slab, of rows that begin at x.
  template <bool kTransposed>
  __device__ static __forceinline__ void load(double (&a)[2][2], const double* x, int lane) {
    x += kTransposed ? transposed_place(lane) : 2 * lane;
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      if constexpr (kTransposed)
        a[h][0] = x[h * kCellEntries], a[h][1] = x[h * kCellEntries + kNextRow];
      else
        load_unit(a[h], x + h * kCellEntries);
    }
  }

  /// c += the products of two rows of cells and a column.
  __device__ static __forceinline__ void multiply(double (&c)[4], const double (&upper)[2][2], const double (&lower)[2][2],
                                                  const double (&b)[2][2]) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    const double left[8] = {upper[0][0], lower[0][0], upper[0][1], lower[0][1], upper[1][0], lower[1][0], upper[1][1], lower[1][1]};
    const double right[4] = {b[0][0], b[0][1], b[1][0], b[1][1]};
    kernels::ptx::mma(c, left, right);
#else
    double first[2] = {c[0], c[1]}, second[2] = {c[2], c[3]};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      kernels::ptx::mma(first, upper[k / 2][k % 2], b[k / 2][k % 2]);
      kernels::ptx::mma(second, lower[k / 2][k % 2], b[k / 2][k % 2]);
    }
    c[0] = first[0], c[1] = first[1], c[2] = second[0], c[3] = second[1];
#endif
  }

  /// acc += X W, X the warp's rows of a slab, W its columns of a transposed one.
  template <bool kTransposed>
  __device__ static __forceinline__ void multiply(Accumulators& acc, const double* x, const double* w, int lane) {
    double b[kWarpCells][2][2];
#pragma unroll
    for (int n = 0; n < kWarpCells; ++n) load<true>(b[n], w + n * kPairEntries, lane);
#pragma unroll
    for (int i = 0; i < kWarpCells; i += 2) {
      double upper[2][2], lower[2][2];
      load<kTransposed>(upper, x + i * kPairEntries, lane);
      load<kTransposed>(lower, x + (i + 1) * kPairEntries, lane);
#pragma unroll
      for (int n = 0; n < kWarpCells; ++n) multiply(acc[i / 2][n], upper, lower, b[n]);
    }
  }

  /// f(row of cells, row in it, column of cells, column in it, entries) for what the lane holds beside each other.
  template <class F>
  __device__ static __forceinline__ void for_each(const Accumulators& acc, int lane, const F& f) {
#pragma unroll
    for (int i = 0; i < kWarpCells; ++i) {
#pragma unroll
      for (int n = 0; n < kWarpCells; ++n) {
        const double x[2] = {acc[i / 2][n][i % 2 * 2], acc[i / 2][n][i % 2 * 2 + 1]};
        f(i, lane / 4, n, lane % 4 * 2, x);
      }
    }
  }
};

/// A lane holds 8 rows, lane % 4 of each half cell, and 4 columns, lane / 4 of each cell.
struct FloatLoop {
  using T = float;
  static constexpr int kBeside = 1;
  static constexpr int kRows = 2 * kWarpCells;
  using Accumulators = float[kRows][kWarpCells];

  __device__ static constexpr int transposed_unit(int unit) { return unit; }

  template <bool kTransposed>
  __device__ static __forceinline__ void multiply(Accumulators& acc, const float* x, const float* w, int lane) {
    const float* rows = x + (kTransposed ? lane % 4 : lane % 4 * kCell);
    const float* columns = w + lane / 4;
#pragma unroll 1
    for (int k = 0; k < kSlabColumns; k += kUnit<float>) {
      const int cell = k / kCell * kCellEntries;
      float a[kRows][kUnit<float>];
#pragma unroll
      for (int i = 0; i < kRows; ++i) {
        const float* from = rows + i / 2 * kPairEntries + cell;
        if constexpr (kTransposed) {
#pragma unroll
          for (int e = 0; e < kUnit<float>; ++e) a[i][e] = from[i % 2 * 4 + (k % kCell + e) * kCell];
        } else {
          load_unit(a[i], from + i % 2 * 4 * kCell + k % kCell);
        }
      }
#pragma unroll
      for (int n = 0; n < kWarpCells; ++n) {
#pragma unroll
        for (int e = 0; e < kUnit<float>; ++e) {
          const float b = columns[n * kPairEntries + cell + (k % kCell + e) * kCell];
#pragma unroll
          for (int i = 0; i < kRows; ++i) acc[i][n] = fma(a[i][e], b, acc[i][n]);
        }
      }
    }
  }

  template <class F>
  __device__ static __forceinline__ void for_each(const Accumulators& acc, int lane, const F& f) {
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
#pragma unroll
      for (int n = 0; n < kWarpCells; ++n) {
        const float x[1] = {acc[i][n]};
        f(i / 2, i % 2 * 4 + lane % 4, n, lane / 4, x);
      }
    }
  }
};

/// In double by FP64 tensor cores, which are there from 8.0 on, fast or not.
template <class T>
using LoopOf = std::conditional_t<sizeof(T) == sizeof(double), TensorLoop, FloatLoop>;

}  // namespace kauri::numeric::cuda::inverse
