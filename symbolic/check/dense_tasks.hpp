// Task lists of dense kernels alone, on fronts in cells: products C -= A A^T and C -= A B^T, and
// triangular solves X L^T = C in blocks of pivots.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "symbolic/device/front_tasks.hpp"

namespace kauri::symbolic {

/// Returns the tasks of C -= A A^T alone: those of factor_tasks() that compute contribution tiles,
/// front after front. Their order reads A's rows while they are in the L2 cache.
std::vector<FrontTask> update_tasks(std::span<const FrontCells> fronts);

/// Tiles [row, row_end) x [column, column_end) of a contribution block, counted in tile rows of its
/// front; all lie below the diagonal: column_end <= row.
struct TileRectangle {
  Index row, row_end, column, column_end;
};

/// A front for C -= A B^T. Its pivots are the columns of A and B. The rows of B are the first below
/// the pivots; the rows of A begin at front row `first_row`, with the next tile. C is the part
/// `tiles` of the contribution block, which also has room for A A^T and B B^T.
struct ProductFront {
  FrontCells cells;
  TileRectangle tiles;
  Index first_row;
};
/// Returns the front for an A of `rows` rows, a B of `columns` rows, and `inner` columns of both.
ProductFront product_front(Index rows, Index columns, Index inner);

/// Returns tasks of kind `contribution` that compute tiles[f] of front f, in an order that reads
/// rows of A and B while they are in the L2 cache.
std::vector<FrontTask> product_tasks(std::span<const TileRectangle> tiles);

/// Tasks of the solve X L^T = C for all rows below the pivots of fronts whose pivot columns hold L,
/// and C below L. A row's tiles depend on one another in sequence, so one launch for all columns
/// would keep at most one team per pair of tile rows at work. The columns are therefore divided
/// into blocks, with two launches for each: the first computes X of the block, the second subtracts
/// the products of this X and L from all columns after the block, whose tiles are independent.
struct PanelSolve {
  /// Pivots [first, first + cells.p) of `front`, counted with its padding, and all rows after them.
  /// They are treated as a separate front, since the last columns of a panel are stored like a
  /// panel, and like a contribution block if they are whole pairs of columns of cells.
  struct Block {
    Index front;
    Index first;
    FrontCells cells;
  };
  std::vector<Block> block;     ///< blocks, front after front, by ascending pivots
  std::vector<FrontTask> task;  ///< `front` of a task is an index into `block`
  std::vector<Index> end;  ///< per launch: end of its tasks, of kind `panel` in the first, third,
                           ///< ..., `contribution` in the others
};

/// Pivots of a block; a multiple of the tile.
inline constexpr Index kPanelSolveBlock = 512;
/// Returns the tasks of the solves X L^T = C. block: most pivots of a block. A front with an odd
/// number of columns of cells in its panel is one block.
PanelSolve panel_solve(std::span<const FrontCells> fronts, Index block = kPanelSolveBlock);

}  // namespace kauri::symbolic
