// Orders the tasks of products and triangular solves alone, on fronts in cells.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/check/dense_tasks.hpp"

#include <algorithm>
#include <cstddef>

namespace kauri::symbolic {
namespace {

/// Tile columns of a product whose tasks are consecutive, row pair after row pair: 264 teams work
/// on a rectangle of some 32 x 16 tiles at a time.
constexpr Index kProductColumns = 16;

void push_product(std::vector<FrontTask>& tasks, Index front, const TileRectangle& tiles) {
  for (Index column = tiles.column; column < tiles.column_end; column += kProductColumns)
    for (Index row = tiles.row; row < tiles.row_end; row += 2)
      for (Index c = column; c < std::min(column + kProductColumns, tiles.column_end); ++c)
        tasks.push_back(
            {front, TaskKind::contribution, row, c, std::min<Index>(2, tiles.row_end - row)});
}

/// Returns the tiles of a block's contribution block: the tile rows that hold X, and the pivot
/// columns after the block.
TileRectangle tiles_after(const FrontCells& front, const PanelSolve::Block& block) {
  const Index left = front.pivot_cells() - (block.first / kCell + block.cells.pivot_cells());
  const Index column = block.cells.pivot_tiles(), row = column + tiles_for(left);
  return {row, block.cells.row_tiles(), column, row};
}

/// Returns the blocks of a front. The first block takes the remainder, so that all blocks have the
/// same tile rows below the pivots.
std::vector<PanelSolve::Block> blocks_of(Index index, const FrontCells& front, Index size) {
  const Index cells = front.pivot_cells(), whole = size / kCell, below = front.m - front.p;
  std::vector<PanelSolve::Block> blocks;
  if (cells == 0 || below == 0) return blocks;
  Index end = cells % 2 != 0 ? cells : (cells - 1) % whole + 1;
  for (Index begin = 0; begin < cells; begin = end, end += whole)
    blocks.push_back(
        {index, begin * kCell, {(cells - begin) * kCell + below, (end - begin) * kCell}});
  return blocks;
}

}  // namespace

std::vector<FrontTask> update_tasks(std::span<const FrontCells> fronts) {
  std::vector<FrontTask> tasks;
  for (std::size_t f = 0; f < fronts.size(); ++f) {
    const LevelFront front{fronts[f], 0};
    for (FrontTask task : factor_tasks({&front, 1}, false, kAhead, kFewestEver)) {
      if (task.kind != TaskKind::contribution) continue;
      task.front = static_cast<Index>(f);
      tasks.push_back(task);
    }
  }
  return tasks;
}

ProductFront product_front(Index rows, Index columns, Index inner) {
  const Index column_tiles = tiles_for(cells_for(columns)),
              first_row = inner + column_tiles * kTile;
  const FrontCells cells{first_row + rows, inner};
  const Index column = cells.pivot_tiles();
  return {
      cells, {column + column_tiles, cells.row_tiles(), column, column + column_tiles}, first_row};
}

std::vector<FrontTask> product_tasks(std::span<const TileRectangle> tiles) {
  std::vector<FrontTask> tasks;
  for (std::size_t f = 0; f < tiles.size(); ++f)
    push_product(tasks, static_cast<Index>(f), tiles[f]);
  return tasks;
}

PanelSolve panel_solve(std::span<const FrontCells> fronts, Index block) {
  PanelSolve solve;
  std::vector<std::vector<Index>> steps;  // step k, two launches: the k-th block of each front
  for (std::size_t f = 0; f < fronts.size(); ++f) {
    const auto blocks = blocks_of(static_cast<Index>(f), fronts[f], block);
    steps.resize(std::max(steps.size(), blocks.size()));
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      steps[k].push_back(static_cast<Index>(solve.block.size()));
      solve.block.push_back(blocks[k]);
    }
  }
  const auto tiles = [&](Index b) {
    return tiles_after(fronts[solve.block[b].front], solve.block[b]);
  };
  for (const std::vector<Index>& step : steps) {
    Index columns = 0;
    for (const Index b : step) columns = std::max(columns, solve.block[b].cells.pivot_tiles());
    for (Index c = 0; c < columns; ++c)
      for (const Index b : step) {
        const TileRectangle x = tiles(b);
        for (Index row = x.row; c < x.column && row < x.row_end; row += 2)
          solve.task.push_back({b, TaskKind::panel, row, c, std::min<Index>(2, x.row_end - row)});
      }
    solve.end.push_back(static_cast<Index>(solve.task.size()));
    for (const Index b : step) push_product(solve.task, b, tiles(b));
    solve.end.push_back(static_cast<Index>(solve.task.size()));
  }
  return solve;
}

}  // namespace kauri::symbolic
