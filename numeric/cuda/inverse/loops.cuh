// Products of slabs in shared memory for the selected inverse: each of four warps computes 32 x 32
// entries of a tile of 64 x 64; the left operand may lie transposed, the right one always does.
//
// A slab is 16 columns of an operand with 64 rows, stored by rows of two cells. A slab of a
// transposed operand holds the cells of 16 of its rows, by columns, and the index that is summed
// over is an entry's row. The entries of a cell lie as in global memory, or, if the operand is
// transposed and of doubles, in an order in which its rows are read without bank conflicts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/tiled/portable/products.cuh"

namespace kauri::numeric::cuda::inverse {

using kernels::kCellEntries;
using kernels::kSlabColumns;
using kernels::kSlabEntries;
using kernels::portable::kPairEntries;
using kernels::portable::kUnit;
using kernels::portable::load_unit;
using symbolic::kCell;
using symbolic::kTile;
using symbolic::kTileCells;

inline constexpr int kThreads = 128;
inline constexpr int kWarpCells = 4;  // cells along each side of the part of a tile that a warp has
/// Number of units of 16 bytes in a cell.
template <class T>
inline constexpr int kCellUnits = kCellEntries / kUnit<T>;

/// Return the first cell row and the first cell column of the part of a tile that a warp computes.
__device__ __forceinline__ int warp_row(int warp) { return warp % 2 * kWarpCells; }
__device__ __forceinline__ int warp_column(int warp) { return warp / 2 * kWarpCells; }

/// Products by FP64 tensor cores, which compute the transpose of each product: loads of 8 bytes
/// then bring rows of the right operand, which is always transposed in memory, into the registers
/// of m16n8k16's left operand, and loads of 16 bytes bring two neighbours of the left operand into
/// the registers of m16n8k16's right one. Without the transposition the code has as many register
/// moves as products. A lane holds, of each of the warp's 4 x 4 cells of the sum, column lane / 4
/// and rows 2 (lane % 4) and the next. Of each cell of an operand it loads columns 2 (lane % 4) and
/// the next, over which it sums, or these rows if the operand is transposed.
struct TensorLoop {
  using T = double;
  using Accumulators = double[kWarpCells / 2][kWarpCells][4];

  /// Returns the place of unit `unit` (2 entries) in a cell of a transposed slab, in units: rows
  /// 2t, and rows 2t + 1, of four columns lie in 16 banks of 8 bytes.
  __device__ static constexpr int transposed_unit(int unit) {
    const int row = unit / 4, part = unit % 4;
    return (row % 2 * 2 + part / 2) * 8 + row / 2 * 2 + part % 2;
  }

  /// transposed_place() returns the place, in entries, in a cell of a transposed slab of the lane's
  /// entry of row 2 (lane % 4), column lane / 4; that of the next row is kNextRow entries behind.
  static constexpr int kNextRow = 32;
  __device__ static constexpr int transposed_place(int lane) {
    return lane / 16 * 16 + lane % 4 * 4 + lane / 4 % 4;
  }

  /// Returns the distance in bytes from the first entry of a cell to the first that the lane loads.
  template <bool kTransposed>
  __device__ static constexpr int place(int lane) {
    return (kTransposed ? transposed_place(lane) : 2 * lane) * static_cast<int>(sizeof(double));
  }

  /// Loads the two entries of the lane in cell h of a row of cells of a slab; x is the address of
  /// the row's first cell, plus place(). The compiler does not move these loads: all of them ahead
  /// of the products would leave no registers for the sums.
  template <bool kTransposed>
  __device__ static __forceinline__ void load(double& first, double& second,
                                              kernels::ptx::SharedAddress x, int h) {
    constexpr int size = sizeof(double);
    if constexpr (kTransposed) {
      kernels::ptx::load_shared(first, x + h * kCellEntries * size);
      kernels::ptx::load_shared(second, x + (h * kCellEntries + kNextRow) * size);
    } else {
      kernels::ptx::load_shared(first, second, x + h * kCellEntries * size);
    }
  }

  /// Computes c += a b; a lane holds its registers of a, b and c as for m16n8k16.
  __device__ static __forceinline__ void multiply(double (&c)[4], const double (&a)[8],
                                                  const double (&b)[4]) {
    kernels::ptx::any_mma(c, a, b);
  }

  /// Computes acc += X W, with X the warp's rows of a slab, which lies transposed if kTransposed,
  /// and W the warp's columns of a transposed slab. x, w: their first cells in shared memory. All
  /// lanes of the warp call it.
  template <bool kTransposed>
  __device__ static __forceinline__ void multiply(Accumulators& acc, const double* x,
                                                  const double* w, int lane) {
    constexpr int next = kPairEntries * static_cast<int>(sizeof(double));
    const auto rows = kernels::ptx::shared_address(x) + place<kTransposed>(lane),
               columns = kernels::ptx::shared_address(w) + place<true>(lane);
    double b[kWarpCells][4];
#pragma unroll
    for (int n = 0; n < kWarpCells; ++n) {
#pragma unroll
      for (int h = 0; h < 2; ++h)
        load<kTransposed>(b[n][2 * h], b[n][2 * h + 1], rows + n * next, h);
    }
#pragma unroll
    for (int i = 0; i < kWarpCells / 2; ++i) {
      double a[8];
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        load<true>(a[4 * h], a[4 * h + 2], columns + 2 * i * next, h);
        load<true>(a[4 * h + 1], a[4 * h + 3], columns + (2 * i + 1) * next, h);
      }
#pragma unroll
      for (int n = 0; n < kWarpCells; ++n) multiply(acc[i][n], a, b[n]);
    }
  }

  /// Calls f(row of cells, row in it, column of cells, column in it, entry) for all entries that
  /// the lane holds.
  template <class F>
  __device__ static __forceinline__ void for_each(const Accumulators& acc, int lane, const F& f) {
#pragma unroll
    for (int i = 0; i < kWarpCells / 2; ++i) {
#pragma unroll
      for (int n = 0; n < kWarpCells; ++n) {
#pragma unroll
        for (int k = 0; k < 4; ++k)
          f(n, lane % 4 * 2 + k % 2, 2 * i + k / 2, lane / 4, acc[i][n][k]);
      }
    }
  }
};

/// Products by fused multiply-adds, with the functions of TensorLoop. A lane holds 8 rows of the
/// warp's part of the sum, row lane % 4 of each half cell, and 4 columns, lane / 4 of each cell.
template <class Scalar>
struct FmaLoop {
  using T = Scalar;
  static constexpr int kRows = 2 * kWarpCells;
  using Accumulators = T[kRows][kWarpCells];

  __device__ static constexpr int transposed_unit(int unit) { return unit; }

  template <bool kTransposed>
  __device__ static __forceinline__ void multiply(Accumulators& acc, const T* x, const T* w,
                                                  int lane) {
    const T* rows = x + (kTransposed ? lane % 4 : lane % 4 * kCell);
    const T* columns = w + lane / 4;
#pragma unroll 1
    for (int k = 0; k < kSlabColumns; k += kUnit<T>) {
      const int cell = k / kCell * kCellEntries;
      T a[kRows][kUnit<T>];
#pragma unroll
      for (int i = 0; i < kRows; ++i) {
        const T* from = rows + i / 2 * kPairEntries + cell;
        if constexpr (kTransposed) {
#pragma unroll
          for (int e = 0; e < kUnit<T>; ++e) a[i][e] = from[i % 2 * 4 + (k % kCell + e) * kCell];
        } else {
          load_unit(a[i], from + i % 2 * 4 * kCell + k % kCell);
        }
      }
#pragma unroll
      for (int n = 0; n < kWarpCells; ++n) {
#pragma unroll
        for (int e = 0; e < kUnit<T>; ++e) {
          const T b = columns[n * kPairEntries + cell + (k % kCell + e) * kCell];
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
        f(i / 2, i % 2 * 4 + lane % 4, n, lane / 4, acc[i][n]);
      }
    }
  }
};

/// The loop of a scalar: double by FP64 tensor cores, which all devices of CUDA from 8.0 on have,
/// fast or not; float by fused multiply-adds.
template <class T>
using LoopOf = std::conditional_t<kernels::ptx::kTensorCores && sizeof(T) == sizeof(double),
                                  TensorLoop, FmaLoop<T>>;

}  // namespace kauri::numeric::cuda::inverse
