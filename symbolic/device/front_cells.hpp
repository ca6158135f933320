// Storage of a large front on a device: cells of 8 x 8 entries, the lower ones only. Also compiled
// for the device: constexpr throughout.
//
// A cell is stored by rows in 512 bytes (in double). If lane 4g + t of a warp holds 16 bytes of it
// (row g, columns 2t, 2t+1), these are a quarter of the lane's A fragment, half its B fragment (of
// the transpose) and half its accumulator of mma.m16n8k16.f64, with the order of k permuted alike
// in A and B. So accumulators serve as operands without being moved, and a warp that reads 16 bytes
// a lane reads a whole cell without shared memory bank conflicts. Columns of cells are stored in
// pairs, the two cells of a row side by side: 16 columns, the k of one mma, of any rows are one
// contiguous run, the unit of a bulk copy.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "kauri/core/types.hpp"

namespace kauri::symbolic {

// The sizes below follow from each other, and kernels assume them: docs/design/04-symbolic.md,
// "The size of a tile", lists where.
inline constexpr Index kCell = 8;          ///< rows and columns of a cell
inline constexpr Index kCellEntries = 64;  ///< kCell^2
inline constexpr Index kTileCells = 8;     ///< cells along a tile
inline constexpr Index kTile = 64;         ///< rows and columns of a tile, the unit of work
inline constexpr Index kTileSlabs = 4;     ///< slabs of 16 columns in a tile
inline constexpr Index kInverseOrder =
    16;  ///< order of the blocks that inverses of diagonal tiles are stored in
inline constexpr Index kInverseEntries = 256;  ///< kInverseOrder^2
inline constexpr Index kTileInverseEntries =
    2560;  ///< entries of a whole tile's inverse: its 10 lower blocks
inline constexpr Index kTileProductEntries =
    4096;  ///< entries of a product of a tile's inverse and a tile of L

static_assert(kCellEntries == kCell * kCell && kTile == kTileCells * kCell &&
                  kTile == kTileSlabs * 2 * kCell && kInverseOrder == 2 * kCell,
              "sizes of cells, tiles and slabs: change kCellEntries, kTile, kTileSlabs and "
              "kInverseOrder with kCell and kTileCells");
static_assert(kInverseEntries == kInverseOrder * kInverseOrder &&
                  kTileInverseEntries == kTileSlabs * (kTileSlabs + 1) / 2 * kInverseEntries &&
                  kTileProductEntries == kTile * kTile,
              "entries of inverses and products: change kInverseEntries, kTileInverseEntries and "
              "kTileProductEntries with kInverseOrder, kTileSlabs and kTile");

constexpr Index cells_for(Index rows) { return (rows + kCell - 1) / kCell; }
constexpr Index tiles_for(Index cells) { return (cells + kTileCells - 1) / kTileCells; }

/// Layout of the cells of a trapezoid of `rows` cell rows and `columns` cell columns: pair k of
/// columns, 2k and 2k+1, begins with row 2k, and an odd last column is stored alone. Places are
/// offsets in entries from the first cell.
struct CellLayout {
  Index rows, columns;

  /// Returns the place of pair k, which begins with row 2k.
  [[nodiscard]] constexpr Offset pair(Index k) const {
    return 2 * kCellEntries * (Offset{k} * rows - Offset{k} * (k - 1));
  }
  /// Returns the columns of cells in the pair of column c: 2, or 1.
  [[nodiscard]] constexpr Index width(Index c) const {
    return columns % 2 != 0 && c == columns - 1 ? 1 : 2;
  }
  /// Returns the place of the first entry of cell (r, c), r >= c - c % 2.
  [[nodiscard]] constexpr Offset cell(Index r, Index c) const {
    return pair(c / 2) + kCellEntries * (Offset{r - c / 2 * 2} * width(c) + c % 2);
  }
  [[nodiscard]] constexpr Offset entries() const {
    return pair(columns / 2) + (columns % 2 != 0 ? Offset{kCellEntries} * (rows - columns + 1) : 0);
  }
  /// Returns the place of entry (r, c), whose cell must be in the trapezoid.
  [[nodiscard]] constexpr Offset place(Index r, Index c) const {
    return cell(r / kCell, c / kCell) + r % kCell * kCell + c % kCell;
  }
  /// row_part(r) + column_part(c) is place(r, c) if `columns` is even.
  [[nodiscard]] static constexpr Offset row_part(Index r) {
    return Offset{r / kCell} * (2 * kCellEntries) + r % kCell * kCell;
  }
  [[nodiscard]] constexpr Offset column_part(Index c) const {
    const Offset k = c / (2 * kCell);
    return 2 * kCellEntries * k * (rows - 1 - k) + c / kCell % 2 * kCellEntries + c % kCell;
  }
};

/// Storage of a front of m rows and p pivots. The rows of pivots and the rows below are each padded
/// to whole cells: row r is padded row r if r < p, else 8 cells_for(p) + (r - p). Padding is zero
/// but for a unit diagonal among the pivots. L lies in panel(), the contribution block in block().
/// A tile row is up to 8 cell rows; no tile row holds both pivots and rows below.
struct FrontCells {
  Index m, p;

  [[nodiscard]] constexpr Index pivot_cells() const { return cells_for(p); }
  [[nodiscard]] constexpr Index below_cells() const { return cells_for(m - p); }
  [[nodiscard]] constexpr Index cells() const { return pivot_cells() + below_cells(); }
  [[nodiscard]] constexpr CellLayout panel() const { return {cells(), pivot_cells()}; }
  [[nodiscard]] constexpr CellLayout block() const {
    return {below_cells(), (below_cells() + 1) / 2 * 2};
  }
  [[nodiscard]] constexpr Index padded_row(Index r) const {
    return r < p ? r : pivot_cells() * kCell + (r - p);
  }

  [[nodiscard]] constexpr Index pivot_tiles() const { return tiles_for(pivot_cells()); }
  [[nodiscard]] constexpr Index row_tiles() const {
    return pivot_tiles() + tiles_for(below_cells());
  }
  /// first_cell() returns the first cell row of tile row i <= row_tiles(), cells_of() the number of
  /// its cell rows.
  [[nodiscard]] constexpr Index first_cell(Index i) const {
    return i < pivot_tiles() ? i * kTileCells : pivot_cells() + (i - pivot_tiles()) * kTileCells;
  }
  [[nodiscard]] constexpr Index cells_of(Index i) const {
    const Index left = (i < pivot_tiles() ? pivot_cells() : cells()) - first_cell(i);
    return left < kTileCells ? left : kTileCells;
  }
  /// first_row() returns the first front row of tile row i, rows_of() the number of its front rows.
  [[nodiscard]] constexpr Index first_row(Index i) const {
    return i < pivot_tiles() ? i * kTile : p + (i - pivot_tiles()) * kTile;
  }
  [[nodiscard]] constexpr Index rows_of(Index i) const {
    const Index left = (i < pivot_tiles() ? p : m) - first_row(i);
    return left < kTile ? left : kTile;
  }
  /// Returns the place of entry (r, c), r >= c, of the front: in panel() if c < p, else in block().
  [[nodiscard]] constexpr Offset place(Index r, Index c) const {
    return c < p ? panel().place(padded_row(r), c) : block().place(r - p, c - p);
  }
  /// Behind panel() lie the inverses of L's diagonal blocks of 16 x 16 entries, each of 2 x 2 cells
  /// by rows: a factorisation multiplies by them. A last block of 8 pivots is inverted with an
  /// identity behind it, and entries above the diagonal are zero. diagonal_place() returns the
  /// place of entry (r, c) from the first inverse on, if the padded pivots r >= c are of one block.
  [[nodiscard]] static constexpr Offset diagonal_place(Index r, Index c) {
    return Offset{r / kInverseOrder} * kInverseEntries +
           CellLayout{2, 2}.place(r % kInverseOrder, c % kInverseOrder);
  }
  [[nodiscard]] constexpr Offset diagonal_entries() const {
    return Offset{(pivot_cells() + 1) / 2} * kInverseEntries;
  }
  /// The inverses V of whole diagonal tiles, which triangular solves multiply by. A tile's lower
  /// blocks of 16 x 16 entries follow one another by rows, each with its entries as in
  /// diagonal_place(). inverse_place() returns the place of entry (r, c), from
  /// DeviceSchedule::inverses on, if the padded pivots r >= c are of one tile. Entries above the
  /// diagonal in diagonal blocks are zero, except that one of each tile is a flag, kInverseFlag.
  [[nodiscard]] static constexpr Offset inverse_place(Index r, Index c) {
    const Index i = r % kTile / kInverseOrder, j = c % kTile / kInverseOrder;
    return Offset{r / kTile} * kTileInverseEntries + inverse_block(i, j) +
           CellLayout{2, 2}.place(r % kInverseOrder, c % kInverseOrder);
  }
  /// inverse_block() returns the place of block (i, j), j <= i, in the inverse of its tile;
  /// diagonal_inverse() that of diagonal block k.
  [[nodiscard]] static constexpr Index inverse_block(Index i, Index j) {
    return (i * (i + 1) / 2 + j) * kInverseEntries;
  }
  [[nodiscard]] static constexpr Index diagonal_inverse(Index k) {
    return k * (k + 3) / 2 * kInverseEntries;
  }
  /// Place, in the inverse of a tile, of a flag that a sweep reads before it multiplies by the
  /// inverse: 1 if that product alone would lose digits, else 0. It is entry (0, 1), above the
  /// diagonal. Only sweeps read it; no product may use it.
  static constexpr Index kInverseFlag = 1;
  [[nodiscard]] constexpr Offset inverse_entries() const {
    const Index blocks = (pivot_cells() + 1) / 2, last = blocks % kTileSlabs;
    return Offset{blocks / kTileSlabs} * kTileInverseEntries + inverse_block(last, 0);
  }
  /// Behind the inverses lie, for each pivot tile k but the first, the products V(k) L(k,k-1) and
  /// L(k,k-1) V(k-1), with which a sweep goes from tile to tile by one product
  /// (symbolic/device/sweep_lists.hpp). If the flag of V(k) is set, L(k,k-1) itself is stored in
  /// place of V(k) L(k,k-1); if that of V(k-1) is set, in place of L(k,k-1) V(k-1). Products are
  /// whole tiles, with zeros behind the last pivot. forward_product(k) returns the place, from
  /// DeviceSchedule::inverses on, of V(k) L(k,k-1), backward_product(k) that of L(k+1,k) V(k);
  /// forward_product_place() and backward_product_place() return the place of entry (r, c) within
  /// such a product, in the order in which sweeps read it.
  [[nodiscard]] constexpr Offset forward_product(Index k) const {
    return inverse_entries() + (Offset{k} - 1) * 2 * kTileProductEntries;
  }
  [[nodiscard]] constexpr Offset backward_product(Index k) const {
    return forward_product(k + 1) + kTileProductEntries;
  }
  [[nodiscard]] static constexpr Index forward_product_place(Index r, Index c) {
    return ((c / kInverseOrder * kTileCells + r / kCell) * 2 + c / kCell % 2) * kCellEntries +
           r % kCell * kCell + c % kCell;
  }
  [[nodiscard]] static constexpr Index backward_product_place(Index r, Index c) {
    constexpr Index half = kTileCells / 2;
    return (((r / kCell / half * kTileSlabs + c / kInverseOrder) * half + r / kCell % half) * 2 +
            c / kCell % 2) *
               kCellEntries +
           r % kCell * kCell + c % kCell;
  }
  /// Returns the entries of inverses and products together.
  [[nodiscard]] constexpr Offset solve_entries() const {
    return inverse_entries() +
           (pivot_tiles() > 1 ? (Offset{pivot_tiles()} - 1) * 2 * kTileProductEntries : 0);
  }
};

/// A word of a child's row map, which tells the row of the child's block that meets each padded row
/// of the parent. Rows of both ascend, so rows of the block that meet one cell row are consecutive:
/// the word of a cell row of the parent has in its low byte a bit for each of its 8 rows that is
/// met, and in the 24 bits above the first row of the block that meets one; it is 0 if none is met.
/// 24 bits are enough for blocks of less than 2^32 entries.
using RowMapWord = std::uint32_t;
static_assert(FrontCells{1 << 24, 0}.block().entries() >= Offset{1} << 32);
/// Returns the number of words of a row map: one per cell row of the parent, and one more tile of
/// cell rows, so that kernels need not check for the end of the parent.
constexpr Offset row_map_words(const FrontCells& parent) {
  return Offset{parent.cells()} + kTileCells;
}

/// Counters of a front whose tasks are running: kCounters of the front, then one per tile row, then
/// one per pivot tile.
inline constexpr Index kCounters = 3;
constexpr Offset counter_count(const FrontCells& cells) {
  return Offset{kCounters} + cells.row_tiles() + cells.pivot_tiles();
}

}  // namespace kauri::symbolic
