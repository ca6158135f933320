// How a front lies in tiles on a device. Also compiled for the device: constexpr throughout.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/types.hpp"

namespace kauri::symbolic {

/// A panel of m rows and p columns, cut into tiles of kTile rows and columns. Pivot rows and rows below start a tile row each, so that
/// tile (k,k) is always the pivot block of tile column k. Tile columns follow each other; inside one the tiles (k,k), (k+1,k), ... do;
/// inside a tile columns are contiguous, their leading dimension the tile's rows rounded up to kAlign. A contribution block of order q is
/// the panel {q, q}.
struct TileLayout {
  static constexpr Index kTile = 64;
  static constexpr Index kAlign = 4;  ///< rows; entries between are never read

  Index m, p;

  static constexpr Index count(Index rows) { return (rows + kTile - 1) / kTile; }
  static constexpr Index padded(Index rows) { return (rows + kAlign - 1) / kAlign * kAlign; }

  [[nodiscard]] constexpr Index pivot_tiles() const { return count(p); }
  [[nodiscard]] constexpr Index tiles() const { return count(p) + count(m - p); }
  /// The tile row of front row r, and the first front row of tile row i.
  [[nodiscard]] constexpr Index tile_of(Index r) const { return r < p ? r / kTile : count(p) + (r - p) / kTile; }
  [[nodiscard]] constexpr Index first_row(Index i) const { return i < count(p) ? i * kTile : p + (i - count(p)) * kTile; }
  [[nodiscard]] constexpr Index rows(Index i) const {
    const Index left = (i < count(p) ? p : m) - first_row(i);
    return left < kTile ? left : kTile;
  }
  [[nodiscard]] constexpr Index ld(Index i) const { return padded(rows(i)); }
  [[nodiscard]] constexpr Index width(Index k) const { return p - k * kTile < kTile ? p - k * kTile : kTile; }
  /// Padded rows above tile row i <= tiles().
  [[nodiscard]] constexpr Offset above(Index i) const {
    const Index pivots = count(p);
    if (i < pivots) return Offset{i} * kTile;
    return i < tiles() ? padded(p) + Offset{i - pivots} * kTile : Offset{padded(p)} + padded(m - p);
  }
  /// Place of tile (i,k), k < pivot_tiles(), i >= k.
  [[nodiscard]] constexpr Offset place(Index i, Index k) const {
    const Offset column = kTile * k * above(tiles()) - kTile * kTile * (Offset{k} * (k - 1) / 2);
    return column + (above(i) - Offset{k} * kTile) * width(k);
  }
  [[nodiscard]] constexpr Offset entries() const { return p == 0 ? 0 : place(tiles(), pivot_tiles() - 1); }
  /// Inverses of the diagonal tiles, one after the other, each of width(k) columns with the leading dimension of its tile.
  [[nodiscard]] static constexpr Offset inverse_place(Index k) { return Offset{k} * kTile * kTile; }
  [[nodiscard]] constexpr Offset inverse_entries() const {
    return p == 0 ? 0 : inverse_place(pivot_tiles() - 1) + Offset{ld(pivot_tiles() - 1)} * width(pivot_tiles() - 1);
  }
};

}  // namespace kauri::symbolic
