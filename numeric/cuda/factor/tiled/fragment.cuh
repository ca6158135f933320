// Fragments of mma.m16n8k16.f64 as cells: loads, stores and operands of one lane.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/plan/front_view.hpp"
#include "numeric/cuda/runtime/kernel/ptx.cuh"

namespace kauri::numeric::cuda::kernels {

inline constexpr int kTile = symbolic::kTile;
inline constexpr int kTileEntries = kTile * kTile;
inline constexpr int kCellEntries = symbolic::kCellEntries;
inline constexpr int kInverseEntries = symbolic::kInverseEntries;
inline constexpr int kSlabColumns = 16;  // k of one mma: two columns of cells
inline constexpr int kSlabEntries =
    kTile *
    kSlabColumns;  // entries of a slab of a tile in shared memory, where all tiles are whole
inline constexpr int kSlabs = kTile / kSlabColumns;

/// A tile of a front in global memory: cells [0, height) of `width` columns. Pair j of columns lies
/// at first + 2 kCellEntries (j rows - j (j - 1)), and begins `above` - 2 j cell rows above the
/// tile.
template <class T>
struct TileViewOf {
  T* first;
  int rows;
  int above;
  int height;
  int width;
  bool diagonal;
  bool odd;  // the last column is alone

  __device__ int pair_width(int c) const { return odd && c == width - 1 ? 1 : 2; }
  __device__ T* cell(int r, int c) const {
    const int j = c / 2;
    return first + kCellEntries *
                       (2 * (j * rows - j * (j - 1)) + (above + r - 2 * j) * pair_width(c) + c % 2);
  }
  __device__ bool has(int r, int c) const {
    return r < height && c < width && (!diagonal || r >= c);
  }
  __device__ bool whole() const {
    return height == symbolic::kTileCells && width == symbolic::kTileCells && !diagonal;
  }
};
using TileView = TileViewOf<double>;

/// Returns tile (i, k), i >= k, of L, or of the contribution block if k is beyond the pivots.
template <class T>
__device__ inline TileViewOf<T> tile_of(const FrontViewOf<T>& front, int i, int k) {
  const symbolic::FrontCells cells = front.cells;
  const bool below = k >= cells.pivot_tiles();
  const symbolic::CellLayout layout = below ? cells.block() : cells.panel();
  const int skipped = below ? cells.pivot_cells() : 0;
  const int row = cells.first_cell(i) - skipped, column = cells.first_cell(k) - skipped,
            width = cells.cells_of(k);
  return {(below ? front.block : front.panel) + layout.pair(column / 2),
          layout.rows - column,
          row - column,
          cells.cells_of(i),
          width,
          i == k,
          !below && width % 2 != 0};
}

/// Returns the index of the first entry of a cell of a whole tile in shared memory.
__device__ constexpr int shared_cell(int row_cell, int column_cell) {
  return ((column_cell >> 1) * 16 + 2 * row_cell + (column_cell & 1)) * kCellEntries;
}

/// Returns this lane's two entries of cell (row_cell, column_cell) of a tile in shared memory.
__device__ inline double2 load_cell(const double* tile, int row_cell, int column_cell, int lane) {
  return *reinterpret_cast<const double2*>(tile + shared_cell(row_cell, column_cell) + 2 * lane);
}

__device__ inline void store_cell(double* tile, int row_cell, int column_cell, int lane, double x,
                                  double y) {
  *reinterpret_cast<double2*>(tile + shared_cell(row_cell, column_cell) + 2 * lane) =
      make_double2(x, y);
}

/// Returns this lane's two entries of a cell in global memory, zeros if the tile has no such cell.
/// Another block may have written it in this launch, so the load bypasses L1.
__device__ inline double2 load_cell(const TileView& tile, int row_cell, int column_cell, int lane) {
  if (!tile.has(row_cell, column_cell)) return make_double2(0.0, 0.0);
  return __ldcg(reinterpret_cast<const double2*>(tile.cell(row_cell, column_cell) + 2 * lane));
}

/// Loads an A operand, (16,16), from shared memory: this lane's part of 2 x 2 cells. Loads of 8
/// bytes go directly to the operand's registers: loads of 16 would need as many registers again for
/// a moment, and the accumulators leave none.
__device__ inline void load_a(double (&a)[8], ptx::SharedAddress address) {
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int offset = ((i >> 2) + 2 * (i & 1)) * kCellEntries * 8 + ((i >> 1) & 1) * 8;
    ptx::load_shared(a[i], address + offset);
  }
}

/// Loads an A operand from a tile: rows from 8 row_cell, columns from 8 column_cell (even).
__device__ inline void load_a(double (&a)[8], const double* tile, int row_cell, int column_cell,
                              int lane) {
  load_a(a, ptx::shared_address(tile + shared_cell(row_cell, column_cell) + 2 * lane));
}

/// Loads a B operand, (16,8), the transpose of 8 rows of a tile: B(k,n) = tile(8 row_cell + n, 8
/// column_cell + k).
__device__ inline void load_b(double (&b)[4], const double* tile, int row_cell, int column_cell,
                              int lane) {
  const double2 first = load_cell(tile, row_cell, column_cell, lane);
  const double2 second = load_cell(tile, row_cell, column_cell + 1, lane);
  b[0] = first.x, b[1] = first.y, b[2] = second.x, b[3] = second.y;
}

/// Turns two accumulators, (16,16), into an A operand with the sign flipped.
__device__ inline void flipped_operand(double (&a)[8], const double (&left)[4],
                                       const double (&right)[4]) {
  a[0] = ptx::flipped(left[0]), a[2] = ptx::flipped(left[1]), a[1] = ptx::flipped(left[2]),
  a[3] = ptx::flipped(left[3]);
  a[4] = ptx::flipped(right[0]), a[6] = ptx::flipped(right[1]), a[5] = ptx::flipped(right[2]),
  a[7] = ptx::flipped(right[3]);
}

/// Turns two accumulators, (16,16), into an A operand.
__device__ inline void as_operand(double (&a)[8], const double (&left)[4],
                                  const double (&right)[4]) {
  a[0] = left[0], a[2] = left[1], a[1] = left[2], a[3] = left[3];
  a[4] = right[0], a[6] = right[1], a[5] = right[2], a[7] = right[3];
}

__device__ inline void set_zero(double (&c)[4]) { c[0] = c[1] = c[2] = c[3] = 0.0; }

/// Stores -c, two cells, to rows of cells row_cell and row_cell + 1 of a tile in shared memory.
__device__ inline void store_flipped(double* tile, const double (&c)[4], int row_cell,
                                     int column_cell, int lane) {
  store_cell(tile, row_cell, column_cell, lane, ptx::flipped(c[0]), ptx::flipped(c[1]));
  store_cell(tile, row_cell + 1, column_cell, lane, ptx::flipped(c[2]), ptx::flipped(c[3]));
}

}  // namespace kauri::numeric::cuda::kernels
