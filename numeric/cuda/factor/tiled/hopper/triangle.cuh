// The first step of a triangular solve by panel tasks alone, in place of a chain: it inverts the 16
// x 16 blocks of finished pivot tiles and sets the tiles' states.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/tiled/update.cuh"

namespace kauri::numeric::cuda::kernels {

inline constexpr int kTriangleThreads = 32 * kSlabs;  // one warp for each block of a tile
inline constexpr int kTriangleShares = 16;  // blocks of threads that share a front's tiles
inline constexpr int kTriangleRow =
    17;  // doubles from row to row of a block in shared memory: odd, since columns are read too

/// Returns the state of a finished pivot tile; `corrected`: 2^s for each block s whose inverse
/// needs a correction.
__device__ inline int finished_state(int corrected) {
  return kFinished | corrected << kProgressBits;
}

/// Loads the 16 x 16 diagonal block s of a pivot tile to `t` by rows, with zeros above the
/// diagonal; a block of 8 pivots is followed by an identity. Called by one warp.
__device__ inline void load_triangle(double (&t)[16][kTriangleRow], const TileView& tile, int s,
                                     int lane) {
  for (int e = lane; e < 256; e += 32) {
    const int r = e / 16, c = e % 16, row = 2 * s + r / symbolic::kCell,
              column = 2 * s + c / symbolic::kCell;
    double value = r == c ? 1.0 : 0.0;
    if (c <= r && tile.has(row, column))
      value = tile.cell(row, column)[r % symbolic::kCell * symbolic::kCell + c % symbolic::kCell];
    t[r][c] = value;
  }
  __syncwarp();
}

/// Inverts the 16 x 16 triangle t by substitution, column c of the inverse in lanes c and 16 + c,
/// and stores it to `inverse` (diagonal_place()). Returns true if products with the inverse need a
/// correction. Called by one warp.
__device__ inline bool invert_triangle(double* inverse, const double (&t)[16][kTriangleRow],
                                       int lane) {
  const int column = lane & 15;
  double x[16], square = 0.0;
#pragma unroll
  for (int r = 0; r < 16; ++r) {
    double sum = r == column ? 1.0 : 0.0;
#pragma unroll
    for (int k = 0; k < r; ++k) sum = fma(-t[r][k], x[k], sum);
    x[r] = sum / t[r][r];
  }
#pragma unroll
  for (int r = 0; r < 16; ++r) {
    square = fma(t[column][r], t[column][r], square);
    if (lane < 16) inverse[symbolic::FrontCells::diagonal_place(r, column)] = x[r];
  }
  return is_nearly_singular(x, square, 16, lane);
}

/// Sets the `ticket_count` tickets to zero. For each front, whose panel holds L, sets the inverses
/// of the 16 x 16 blocks, the states of pivot tiles, and the counters of tile rows: those of pivots
/// are finished, those below not begun. kTriangleShares blocks of threads for each front.
__global__ void __launch_bounds__(kTriangleThreads)
    prepare_triangles(const FrontView* fronts, int* tickets, int ticket_count) {
  __shared__ double triangle[kSlabs][16][kTriangleRow];
  __shared__ int corrected[kSlabs];
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int share = static_cast<int>(blockIdx.x) % kTriangleShares;
  const FrontView front = fronts[blockIdx.x / kTriangleShares];
  const int pivot_tiles = front.cells.pivot_tiles();
  for (int k = static_cast<int>(threadIdx.x); blockIdx.x == 0 && k < ticket_count;
       k += kTriangleThreads)
    tickets[k] = 0;
  for (int i = share * kTriangleThreads + static_cast<int>(threadIdx.x);
       i < front.cells.row_tiles(); i += kTriangleShares * kTriangleThreads)
    front.counters[kRows + i] = i < pivot_tiles ? slabs_in(front, i) : 0;
  for (int k = share; k < pivot_tiles; k += kTriangleShares) {
    const TileView tile = tile_of(front, k, k);
    bool corrects = false;
    if (2 * warp < tile.width) {
      load_triangle(triangle[warp], tile, warp, lane);
      const int pivot = k * kTile + warp * kSlabColumns;
      corrects =
          invert_triangle(front.inverses + symbolic::FrontCells::diagonal_place(pivot, pivot),
                          triangle[warp], lane);
    }
    if (lane == 0) corrected[warp] = corrects ? 1 << warp : 0;
    __syncthreads();
    if (threadIdx.x == 0)
      *state_of(front, k) =
          finished_state(corrected[0] | corrected[1] | corrected[2] | corrected[3]);
    __syncthreads();
  }
}

}  // namespace kauri::numeric::cuda::kernels
