// Tests task lists of products and of triangular solves alone: every tile is computed once, after
// its inputs, and neighbouring tasks share rows.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/check/dense_tasks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <map>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kauri::symbolic {
namespace {

using Tile = std::pair<Index, Index>;

Index pick(std::mt19937& random, Index low, Index high) {
  return low + static_cast<Index>(random() % static_cast<unsigned>(high - low + 1));
}

/// Returns the tiles that contribution tasks write, and how often each is written.
std::map<Tile, int> written(const std::vector<FrontTask>& tasks, Index front) {
  std::map<Tile, int> times;
  for (const FrontTask& task : tasks) {
    EXPECT_EQ(task.kind, TaskKind::contribution);
    EXPECT_TRUE(task.rows == 1 || task.rows == 2);
    for (Index r = task.row; task.front == front && r < task.row + task.rows; ++r)
      ++times[{r, task.column}];
  }
  return times;
}

TEST(ProductTasks, EveryTileOnce) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    std::vector<ProductFront> fronts;
    std::vector<TileRectangle> tiles;
    for (Index f = pick(random, 1, 4); f > 0; --f) {
      fronts.push_back(
          product_front(pick(random, 0, 3000), pick(random, 0, 3000), pick(random, 0, 300)));
      tiles.push_back(fronts.back().tiles);
    }
    const std::vector<FrontTask> tasks = product_tasks(tiles);
    for (std::size_t f = 0; f < fronts.size(); ++f) {
      const auto& [row, row_end, column, column_end] = tiles[f];
      const auto times = written(tasks, static_cast<Index>(f));
      EXPECT_EQ(times.size(), static_cast<std::size_t>((row_end - row) * (column_end - column)));
      for (const auto& [tile, count] : times) {
        EXPECT_EQ(count, 1);
        EXPECT_TRUE(tile.first >= row && tile.first < row_end && tile.second >= column &&
                    tile.second < column_end);
      }
    }
  }
}

/// Rows of A and of B follow the pivots of the front, and the tiles of C are those of its
/// contribution block where these rows meet.
TEST(ProductTasks, FrontsHaveRoomForBothGroupsOfRows) {
  for (const auto& [rows, columns, inner] : {std::array<Index, 3>{1, 1, 1},
                                             {64, 64, 64},
                                             {65, 130, 9},
                                             {300, 63, 200},
                                             {7, 0, 20},
                                             {0, 7, 20}}) {
    const ProductFront front = product_front(rows, columns, inner);
    const FrontCells& cells = front.cells;
    EXPECT_EQ(cells.p, inner);
    EXPECT_EQ(cells.m, front.first_row + rows);
    EXPECT_GE(front.first_row, inner + columns);
    EXPECT_EQ(front.tiles.column, cells.pivot_tiles());
    EXPECT_LE(front.tiles.column_end, front.tiles.row);
    EXPECT_EQ(cells.first_row(front.tiles.row), front.first_row);
    EXPECT_EQ(front.tiles.row_end, cells.row_tiles());
    EXPECT_GE((front.tiles.column_end - front.tiles.column) * kTile, columns);
  }
}

/// Concurrent tasks cover few rows and columns of tiles, not a whole row or column.
TEST(ProductTasks, NeighboursShareRows) {
  const ProductFront front = product_front(8192, 8192, 64);
  const std::vector<FrontTask> tasks = product_tasks(std::span(&front.tiles, 1));
  constexpr std::size_t kTeams = 264;
  for (std::size_t begin = 0; begin + kTeams <= tasks.size(); begin += 100) {
    std::set<Index> rows;
    for (std::size_t k = begin; k < begin + kTeams; ++k) {
      rows.insert(tasks[k].column);
      for (Index r = tasks[k].row; r < tasks[k].row + tasks[k].rows; ++r) rows.insert(r);
    }
    EXPECT_LE(rows.size(), 16U + 36 + 18);  // at the end of a column group both groups count
  }
}

/// The state of a cell of X: the number of pivots whose products have been subtracted, and whether
/// it is solved.
struct Cell {
  Index products = 0;
  bool solved = false;
};

/// A model of a panel solve on cells of the fronts' panels, at the places that its blocks assign.
class SolveModel {
 public:
  SolveModel(const std::vector<FrontCells>& fronts, const PanelSolve& solve)
      : fronts_(fronts), solve_(solve), cell_(fronts.size()) {}

  void run() {
    std::size_t launch = 0;
    for (std::size_t k = 0; k < solve_.task.size(); ++k) {
      while (static_cast<Index>(k) == solve_.end[launch]) ++launch;
      const FrontTask& task = solve_.task[k];
      ASSERT_EQ(task.kind, launch % 2 == 0 ? TaskKind::panel : TaskKind::contribution) << k;
      ASSERT_TRUE(task.rows == 1 || task.rows == 2);
      for (Index r = task.row; r < task.row + task.rows; ++r) do_tile(task, r);
    }
  }
  void expect_solved() {
    for (std::size_t f = 0; f < fronts_.size(); ++f) {
      const FrontCells& cells = fronts_[f];
      EXPECT_EQ(cell_[f].size(),
                static_cast<std::size_t>(cells.below_cells() * cells.pivot_cells()));
      for (Index r = cells.pivot_cells(); r < cells.cells(); ++r)
        for (Index c = 0; c < cells.pivot_cells(); ++c)
          EXPECT_TRUE(cell_[f][cells.panel().cell(r, c)].solved) << r << " " << c;
    }
  }

 private:
  void do_tile(const FrontTask& task, Index tile) {
    const PanelSolve::Block& block = solve_.block[task.front];
    const bool panel = task.kind == TaskKind::panel;
    const FrontCells& cells = block.cells;
    ASSERT_EQ(panel, task.column < cells.pivot_tiles());
    ASSERT_TRUE(tile >= cells.pivot_tiles() && tile < cells.row_tiles() && tile > task.column);
    const CellLayout all = fronts_[block.front].panel(),
                     layout = panel ? cells.panel() : cells.block();
    const Index skipped = panel ? 0 : cells.pivot_cells();
    const Offset first = all.pair((block.first / kCell + skipped) / 2);
    for (Index r = cells.first_cell(tile) - skipped;
         r < cells.first_cell(tile) - skipped + cells.cells_of(tile); ++r)
      for (Index c = cells.first_cell(task.column) - skipped;
           c < cells.first_cell(task.column) - skipped + cells.cells_of(task.column); ++c) {
        Cell& cell = cell_[block.front][first + layout.cell(r, c)];
        EXPECT_FALSE(cell.solved);
        // A panel task handles the columns of its block to the left of its tile itself;
        // contribution tasks have handled those of earlier blocks.
        EXPECT_EQ(cell.products, block.first);
        if (panel)
          cell.solved = true;
        else
          cell.products += cells.p;
      }
    if (!panel) return;
    const Index before = ++column_[{task.front, tile}];
    EXPECT_EQ(before, task.column + 1);  // the tiles of a row come in order
  }

  const std::vector<FrontCells>& fronts_;
  const PanelSolve& solve_;
  std::vector<std::map<Offset, Cell>> cell_;  // by place
  std::map<Tile, Index> column_;
};

TEST(PanelSolve, EveryCellIsSolvedOnceAfterTheProductsBeforeIt) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    std::vector<FrontCells> fronts;
    for (Index f = pick(random, 1, 3); f > 0; --f) {
      const Index p = pick(random, 0, 700),
                  below = pick(random, 0, 3) == 0 ? 0 : pick(random, 1, 400);
      fronts.push_back({p + below, p});
    }
    const PanelSolve solve = panel_solve(fronts, 64 * pick(random, 1, 5));
    SolveModel model(fronts, solve);
    model.run();
    model.expect_solved();
  }
}

/// The inverses of blocks, one after another, take exactly the room of the front's inverses.
TEST(PanelSolve, InversesOfBlocksFillThoseOfTheFront) {
  for (Index p = 1; p <= 1200; p += 7) {
    const FrontCells front{p + 100, p};
    const PanelSolve solve = panel_solve(std::vector<FrontCells>{front}, 64 * (1 + p % 5));
    Offset next = 0;
    for (const PanelSolve::Block& block : solve.block) {
      const FrontCells before{block.first, block.first};
      ASSERT_EQ(before.diagonal_entries(), next) << p;
      next += block.cells.diagonal_entries();
    }
    ASSERT_EQ(next, front.diagonal_entries()) << p;
  }
}

TEST(PanelSolve, LargeFrontsAreDoneInBlocks) {
  const auto blocks = [](Index p) {
    return panel_solve(std::vector<FrontCells>{{p + 100, p}}).block.size();
  };
  EXPECT_EQ(blocks(512), 1U);
  EXPECT_EQ(blocks(528), 2U);
  EXPECT_EQ(blocks(2048), 4U);
  EXPECT_EQ(blocks(2056), 1U);  // 257 columns of cells
  EXPECT_EQ(blocks(0), 0U);
}

}  // namespace
}  // namespace kauri::symbolic
