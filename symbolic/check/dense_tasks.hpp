// Tasks of dense kernels by themselves, on fronts in cells: products C -= A B^T, and triangular solves X L^T = C in blocks of pivots.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "symbolic/device/front_tasks.hpp"

namespace kauri::symbolic {

/// Tiles [row, row_end) x [column, column_end) of a contribution block, by tile rows of its front: below the diagonal, column_end <= row.
struct TileRectangle {
  Index row, row_end, column, column_end;
};

/// A front for C -= A B^T: its pivots are the columns of A and B. B's rows are the first below them, those of A begin at front row
/// `first_row`, with the next tile; C is `tiles` of the contribution block, which also has room for A A^T and B B^T.
struct ProductFront {
  FrontCells cells;
  TileRectangle tiles;
  Index first_row;
};
ProductFront product_front(Index rows, Index columns, Index inner);

/// Tasks of kind `contribution` that make tiles[f] of front f, in an order that reads rows of A and B while they are in the L2 cache.
std::vector<FrontTask> product_tasks(std::span<const TileRectangle> tiles);

/// X L^T = C for all rows below the pivots of fronts whose columns of pivots hold L, and C below it. A row's tiles follow one another, so
/// with all columns in one launch no more teams could work than there are pairs of tile rows. Therefore blocks of columns: X of one block,
/// then its products with L are taken from all columns after it, tiles side by side; and so on.
struct PanelSolve {
  /// Pivots [first, first + cells.p) of `front`, counted with its padding, and all rows after them: a front of its own, since the last
  /// columns of a panel lie like a panel, and like a contribution block if there are whole pairs of them.
  struct Block {
    Index front;
    Index first;
    FrontCells cells;
  };
  std::vector<Block> block;
  std::vector<FrontTask> task;  ///< their fronts: `block`
  std::vector<Index> end;       ///< of each launch's tasks: of kind `panel` in the first, third, ...; `contribution` in the others
};

/// Pivots of a block, whole tiles.
inline constexpr Index kPanelSolveBlock = 512;
/// A front whose last column of cells is alone is one block.
PanelSolve panel_solve(std::span<const FrontCells> fronts, Index block = kPanelSolveBlock);

}  // namespace kauri::symbolic
