// The tiled storage of a front: 64 x 64 tiles, each contiguous, block column by block column; and the order of entries inside a tile.
//
// A front has m rows and p pivots. Its pivots fill pivot_tiles block columns (the last one padded: unit diagonal, zeros elsewhere), its
// other rows fill the tiles after them (padded with zeros). Tile (i,k), i >= k, holds rows 64i.. and columns 64k.. of the padded front;
// tiles of one block column follow each other from the diagonal down. Above the diagonal of a diagonal tile the content is unspecified
// before the factorisation and in the contribution block, zero in L.
//
// Inside a tile: 8 x 8 cells of 8 x 8 entries, cells by columns, entries of a cell by rows. A cell is 512 bytes, and lane 4g + t of a warp
// that reads its own 16 bytes of it (row g, columns 2t, 2t+1) holds at once: half an A fragment, half a B fragment (of the transpose) and
// half an accumulator of mma.m16n8k16.f64 with the order of k permuted alike in A and B. So no shared memory bank conflicts, no address
// arithmetic (constant offsets), accumulators that serve as operands where they are, and loads and stores of whole 512-byte runs. 16
// columns of a tile, a slab, are 8 KB of contiguous memory: the unit of a bulk copy.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "src/base/host_device.hpp"

namespace kauri::cuda {

inline constexpr int kTile = 64;                           // rows and columns of a tile
inline constexpr int kTileEntries = kTile * kTile;         // 32 KB
inline constexpr int kCellEntries = 64;                    // 8 x 8 entries, 512 bytes
inline constexpr int kSlabColumns = 16;                    // k of one mma
inline constexpr int kSlabEntries = kTile * kSlabColumns;  // 8 KB
inline constexpr int kSlabs = kTile / kSlabColumns;

/// Place of entry (row, column) within its tile, both in [0, 64).
KAURI_HOST_DEVICE constexpr int entry_in_tile(int row, int column) {
  return ((column >> 3) * 8 + (row >> 3)) * kCellEntries + (row & 7) * 8 + (column & 7);
}

/// Place of tile (i,k), i >= k, in units of tiles, in a front of `row_tiles` block rows.
KAURI_HOST_DEVICE constexpr std::int64_t tile_in_front(int i, int k, int row_tiles) {
  return static_cast<std::int64_t>(k) * row_tiles - static_cast<std::int64_t>(k) * (k - 1) / 2 + (i - k);
}

/// Sizes of a tiled front of m rows and p pivots, 0 <= p <= m. Padded row of a front's row r: r if r < p, else first_below + (r - p).
struct FrontShape {
  int rows = 0;
  int pivots = 0;

  KAURI_HOST_DEVICE constexpr int pivot_tiles() const { return (pivots + kTile - 1) / kTile; }
  KAURI_HOST_DEVICE constexpr int row_tiles() const { return pivot_tiles() + (rows - pivots + kTile - 1) / kTile; }
  KAURI_HOST_DEVICE constexpr int padded_row(int row) const { return row < pivots ? row : pivot_tiles() * kTile + (row - pivots); }
  /// Tiles stored, the contribution block included.
  KAURI_HOST_DEVICE constexpr std::int64_t tiles() const { return static_cast<std::int64_t>(row_tiles()) * (row_tiles() + 1) / 2; }
  /// Slabs of the last block column of pivots that hold a pivot; 0 without pivots.
  KAURI_HOST_DEVICE constexpr int last_slabs() const {
    return pivots == 0 ? 0 : (pivots - (pivot_tiles() - 1) * kTile + kSlabColumns - 1) / kSlabColumns;
  }
};

}  // namespace kauri::cuda
