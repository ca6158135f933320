// A front's tiles in memory and in the registers of a warp: cells as operands and results of
// mma.m16n8k16.f64, and copies of 16 or 32 rows between both, by few instructions for whole tiles
// and cell by cell for others.
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
/// tile; pair 0 has `rows` cell rows. `diagonal`: the tile lies on the front's diagonal and has
/// lower cells only.
template <class T>
struct TileViewOf {
  T* first;
  int rows;
  int above;
  int height;
  int width;
  bool diagonal;
  bool odd;  // the last column of cells is stored alone

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

/// Returns this lane's two entries, 2 lane and 2 lane + 1, of cell (row_cell, column_cell) of a
/// tile in shared memory.
__device__ inline double2 load_cell(const double* tile, int row_cell, int column_cell, int lane) {
  return *reinterpret_cast<const double2*>(tile + shared_cell(row_cell, column_cell) + 2 * lane);
}

__device__ inline void store_cell(double* tile, int row_cell, int column_cell, int lane, double x,
                                  double y) {
  *reinterpret_cast<double2*>(tile + shared_cell(row_cell, column_cell) + 2 * lane) =
      make_double2(x, y);
}

/// Returns this lane's two entries, 2 lane and 2 lane + 1, of cell (row_cell, column_cell) of a
/// tile in global memory; zeros if the tile has no cell there. Another block may have written it in
/// this launch, so the load bypasses L1.
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

/// Turns the accumulators of the left and the right half of (16,16) into an A operand with the sign
/// flipped.
__device__ inline void flipped_operand(double (&a)[8], const double (&left)[4],
                                       const double (&right)[4]) {
  a[0] = ptx::flipped(left[0]), a[2] = ptx::flipped(left[1]), a[1] = ptx::flipped(left[2]),
  a[3] = ptx::flipped(left[3]);
  a[4] = ptx::flipped(right[0]), a[6] = ptx::flipped(right[1]), a[5] = ptx::flipped(right[2]),
  a[7] = ptx::flipped(right[3]);
}

/// Turns the accumulators of the left and the right half of (16,16) into an A operand.
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

/// Accumulators of one warp, (32,64): its rows of one of the task's two tiles, sign flipped;
/// acc[16-row block][8-column block][entry of the lane].
using Accumulators = double[2][8][4];

/// This warp's 32 rows, from cell row row_cell on, of pair s of a tile's columns, as this lane
/// accesses them, in units of 16 bytes: cell row r, column cell 2s + n at first + 32 (width r + n).
struct PairView {
  double2* first;
  int width;     // 2, or 1: a front's last column alone
  int rows;      // rows of cells of the tile from the warp's first one on
  int above[2];  // number of these rows above the diagonal, in each of the two columns; all of them
                 // if the tile lacks the column
};
__device__ inline PairView pair_of(const TileView& tile, int s, int row_cell, int lane) {
  const int width = tile.pair_width(2 * s);
  const int rows = tile.height - row_cell;
  const auto above = [&](int n) {
    return 2 * s + n >= tile.width ? rows : tile.diagonal ? 2 * s + n - row_cell : 0;
  };
  double* cell = tile.first + kCellEntries * (2 * (s * tile.rows - s * (s - 1)) +
                                              (tile.above + row_cell - 2 * s) * width);
  return {reinterpret_cast<double2*>(cell) + lane, width, rows, {above(0), above(1)}};
}

/// Returns the address of this lane's first entries in pair s of a tile that has all its columns,
/// from cell row row_cell on, in units of 16 bytes: cell row r, column cell 2s + n lies 32 (2 r +
/// n) units further.
__device__ inline double2* whole_pair(const TileView& tile, int s, int row_cell, int lane) {
  return reinterpret_cast<double2*>(tile.first +
                                    2 * kCellEntries *
                                        (s * tile.rows - s * (s + 1) + tile.above + row_cell)) +
         lane;
}

/// Loads (16, 8 kCells) of the tile in memory from cell (row, column) on, column even, as
/// accumulators; zeros where the tile has no cell.
template <int kCells>
__device__ inline void load_cells(double (&c)[kCells][4], const TileView& tile, int row, int column,
                                  int lane) {
#pragma unroll
  for (int n = 0; n < kCells; ++n) {
    const PairView pair = pair_of(tile, (column + n) / 2, row, lane);
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      double2 cell = make_double2(0.0, 0.0);
      if (r >= pair.above[n % 2] && r < pair.rows)
        cell = __ldcg(pair.first + 32 * (r * pair.width + n % 2));
      c[n][2 * r] = cell.x, c[n][2 * r + 1] = cell.y;
    }
  }
}

/// Loads (16, 8 kCells) like load_cells(), of a tile that has all these cells, in a fifth of the
/// instructions. In a diagonal tile, cells above the diagonal beside one on it become unspecified.
template <int kCells>
__device__ inline void load_whole_cells(double (&c)[kCells][4], const TileView& tile, int row,
                                        int column, int lane) {
#pragma unroll
  for (int n = 0; n < kCells; ++n) {
    const double2* pair = whole_pair(tile, (column + n) / 2, row, lane) + 32 * (n % 2);
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const double2 cell = __ldcg(pair + 64 * r);
      c[n][2 * r] = cell.x, c[n][2 * r + 1] = cell.y;
    }
  }
}

/// Stores minus the accumulators of the 8-column blocks `first` and first + 1 to column cells 2 s
/// and 2 s + 1 of the tile, from cell row row_cell on; leaves out cells that the tile lacks.
__device__ inline void store_pair(const TileView& tile, int s, const Accumulators& acc, int first,
                                  int row_cell, int lane) {
  const PairView pair = pair_of(tile, s, row_cell, lane);
#pragma unroll
  for (int n = 0; n < 2; ++n) {
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const double(&part)[4] = acc[r / 2][first + n];
      if (r >= pair.above[n] && r < pair.rows)
        pair.first[32 * (r * pair.width + n)] =
            make_double2(ptx::flipped(part[r % 2 * 2]), ptx::flipped(part[r % 2 * 2 + 1]));
    }
  }
}

/// Loads cells by load_whole_cells() if `whole`, which requires that the tile has all of them; else
/// by load_cells(), with zeros for cells that the tile lacks.
template <int kCells>
__device__ inline void load_cells(double (&c)[kCells][4], const TileView& tile, bool whole, int row,
                                  int column, int lane) {
  if (whole)
    load_whole_cells(c, tile, row, column, lane);
  else
    load_cells(c, tile, row, column, lane);
}

template <int kCells>
__device__ inline void flip(double (&c)[kCells][4]) {
#pragma unroll
  for (int n = 0; n < kCells; ++n) {
#pragma unroll
    for (int i = 0; i < 4; ++i) c[n][i] = ptx::flipped(c[n][i]);
  }
}

/// Sets acc to minus 32 rows, from cell row row_cell on, of the tile in memory. Whole tiles take
/// few instructions, which saves room in the instruction cache.
__device__ inline void load_accumulators(Accumulators& acc, const TileView& tile, int row_cell,
                                         int lane) {
#pragma unroll
  for (int h = 0; h < 2; ++h) load_cells(acc[h], tile, tile.whole(), row_cell + 2 * h, 0, lane);
  flip(acc[0]), flip(acc[1]);
}

/// Stores minus acc to 32 rows, from cell row row_cell on, of the tile in memory; leaves out cells
/// that the tile lacks.
__device__ inline void store_accumulators(const Accumulators& acc, const TileView& tile,
                                          int row_cell, int lane) {
  if (!tile.whole()) {
#pragma unroll
    for (int s = 0; s < kSlabs; ++s) store_pair(tile, s, acc, 2 * s, row_cell, lane);
    return;
  }
#pragma unroll
  for (int n = 0; n < 8; ++n) {
    double2* pair = whole_pair(tile, n / 2, row_cell, lane) + 32 * (n % 2);
#pragma unroll
    for (int r = 0; r < 4; ++r)
      pair[64 * r] = make_double2(ptx::flipped(acc[r / 2][n][r % 2 * 2]),
                                  ptx::flipped(acc[r / 2][n][r % 2 * 2 + 1]));
  }
}

/// Subtracts 32 rows, from cell row row_cell on, of the tile in memory from acc; cells that the
/// tile lacks count as zeros.
__device__ inline void subtract_tile(Accumulators& acc, const TileView& tile, int row_cell,
                                     int lane) {
#pragma unroll
  for (int n = 0; n < 8; ++n) {
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const double2 cell = load_cell(tile, row_cell + r, n, lane);
      acc[r / 2][n][r % 2 * 2] -= cell.x, acc[r / 2][n][r % 2 * 2 + 1] -= cell.y;
    }
  }
}

}  // namespace kauri::numeric::cuda::kernels
