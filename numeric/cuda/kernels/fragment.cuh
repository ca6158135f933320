// Fragments of mma.m16n8k16.f64 as cells of a tile: what one lane loads, stores, multiplies.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/kernels/ptx.cuh"
#include "numeric/cuda/kernels/tile.hpp"

namespace kauri::cuda {

/// This lane's share of cell (row_cell, column_cell) of a tile or of a part of one that starts at column cell 0.
__device__ inline double2 load_cell(const double* tile, int row_cell, int column_cell, int lane) {
  return *reinterpret_cast<const double2*>(tile + (column_cell * 8 + row_cell) * kCellEntries + 2 * lane);
}

/// The same from global memory that another block may have written in this launch: never from L1.
__device__ inline double2 load_cell_global(const double* tile, int row_cell, int column_cell, int lane) {
  return __ldcg(reinterpret_cast<const double2*>(tile + (column_cell * 8 + row_cell) * kCellEntries + 2 * lane));
}

__device__ inline void store_cell(double* tile, int row_cell, int column_cell, int lane, double x, double y) {
  *reinterpret_cast<double2*>(tile + (column_cell * 8 + row_cell) * kCellEntries + 2 * lane) = make_double2(x, y);
}

/// A operand, (16,16), from shared memory: rows from 8 row_cell, columns from 8 column_cell. Loads of 8 bytes, whose registers are the
/// operand's: loads of 16 would cost as many registers again for a moment, and the accumulators leave no room.
__device__ inline void load_a(double (&a)[8], const double* tile, int row_cell, int column_cell, int lane) {
  const std::uint32_t address = ptx::shared_address(tile + (column_cell * 8 + row_cell) * kCellEntries + 2 * lane);
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int offset = ((i >> 2) * 8 + (i & 1)) * kCellEntries * 8 + ((i >> 1) & 1) * 8;
    asm volatile("ld.volatile.shared.f64 %0, [%1];" : "=d"(a[i]) : "r"(address + offset) : "memory");
  }
}

/// B operand, (16,8), the transpose of 8 rows of a tile: B(k,n) = tile(8 row_cell + n, 8 column_cell + k).
__device__ inline void load_b(double (&b)[4], const double* tile, int row_cell, int column_cell, int lane) {
  const double2 first = load_cell(tile, row_cell, column_cell, lane);
  const double2 second = load_cell(tile, row_cell, column_cell + 1, lane);
  b[0] = first.x, b[1] = first.y, b[2] = second.x, b[3] = second.y;
}

/// Two accumulators, (16,16), as an A operand with the sign flipped.
__device__ inline void flipped_operand(double (&a)[8], const double (&left)[4], const double (&right)[4]) {
  a[0] = ptx::flipped(left[0]), a[2] = ptx::flipped(left[1]), a[1] = ptx::flipped(left[2]), a[3] = ptx::flipped(left[3]);
  a[4] = ptx::flipped(right[0]), a[6] = ptx::flipped(right[1]), a[5] = ptx::flipped(right[2]), a[7] = ptx::flipped(right[3]);
}

/// Two accumulators, (16,16), as an A operand.
__device__ inline void as_operand(double (&a)[8], const double (&left)[4], const double (&right)[4]) {
  a[0] = left[0], a[2] = left[1], a[1] = left[2], a[3] = left[3];
  a[4] = right[0], a[6] = right[1], a[5] = right[2], a[7] = right[3];
}

/// c = minus the (16,8) block at the given cells of a tile in global memory.
__device__ inline void load_flipped(double (&c)[4], const double* tile, int row_cell, int column_cell, int lane) {
  const double2 top = load_cell_global(tile, row_cell, column_cell, lane);
  const double2 bottom = load_cell_global(tile, row_cell + 1, column_cell, lane);
  c[0] = ptx::flipped(top.x), c[1] = ptx::flipped(top.y), c[2] = ptx::flipped(bottom.x), c[3] = ptx::flipped(bottom.y);
}

/// Stores minus c.
__device__ inline void store_flipped(double* tile, const double (&c)[4], int row_cell, int column_cell, int lane) {
  store_cell(tile, row_cell, column_cell, lane, ptx::flipped(c[0]), ptx::flipped(c[1]));
  store_cell(tile, row_cell + 1, column_cell, lane, ptx::flipped(c[2]), ptx::flipped(c[3]));
}

}  // namespace kauri::cuda
