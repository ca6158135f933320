// Copies of a front's tiles between memory and the registers of a warp, 32 rows or 16: whole tiles
// by few instructions, other tiles by their shape.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/tiled/fragment.cuh"

namespace kauri::numeric::cuda::kernels {

/// Accumulators of one warp, (32,64), of the task's tiles, sign flipped: acc[16-row block][8-column
/// block].
using Accumulators = double[2][8][4];

/// This warp's 32 rows of pair s of a tile's columns, in units of 16 bytes: row cell r, column cell
/// 2s + n at 32 (width r + n).
struct PairView {
  double2* first;
  int width;     // 2, or 1: a front's last column alone
  int rows;      // rows of cells from the warp's first one on
  int above[2];  // number of these above the diagonal, in each column; all of them if the tile
                 // lacks the column
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
/// in units of 16 bytes: row cell r, column cell 2s + n at 32 (2 r + n).
__device__ inline double2* whole_pair(const TileView& tile, int s, int row_cell, int lane) {
  return reinterpret_cast<double2*>(tile.first +
                                    2 * kCellEntries *
                                        (s * tile.rows - s * (s + 1) + tile.above + row_cell)) +
         lane;
}

/// Loads (16, 8 kCells) of the tile in memory from cells (row, column) on, column even; zeros where
/// the tile has no cell.
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

/// Stores -acc[.][first] and -acc[.][first + 1] to pair s of the tile, from cell row row_cell on.
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

/// Loads cells by load_whole_cells() if `whole`, which is right if the tile has all of them, else
/// as above, with zeros for cells that it lacks.
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

/// Stores minus acc to the tile in memory.
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

/// Subtracts the tile in memory from acc.
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
