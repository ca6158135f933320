// Orders the tasks of fronts in tiles.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/device/front_tasks.hpp"

#include <algorithm>
#include <cstddef>

namespace kauri::symbolic {
namespace {

/// Columns of the contribution block whose tasks are consecutive, so that they share rows of L in
/// the L2 cache.
constexpr Index kGroup = 16;
/// Most tiles that one task fills: 256 KB.
constexpr Index kFillRows = 8;
/// Most sums of one task: two for each of a team's 128 consumer threads.
constexpr Index kSums = 256;
/// Most fronts taken together if none of their tasks waits for a later one: enough chains for all
/// teams of a large device.
constexpr Index kMostInGroup = 1024;

void push_panel(std::vector<FrontTask>& tasks, Index front, const FrontCells& cells, Index column) {
  const Index row_tiles = cells.row_tiles();
  for (Index i = column + 2; i < row_tiles; i += 2)
    tasks.push_back({front, TaskKind::panel, i, column, std::min<Index>(2, row_tiles - i)});
}

// Adds the tasks of contribution tiles in columns [column, column + kGroup).
void push_group(std::vector<FrontTask>& tasks, Index front, const FrontCells& cells, Index column) {
  const Index row_tiles = cells.row_tiles();
  const Index end = std::min(column + kGroup, row_tiles);
  for (Index down = 0; column + down < row_tiles; down += 2)
    for (Index c = column; c < end && c + down < row_tiles; ++c)
      tasks.push_back(
          {front, TaskKind::contribution, c + down, c, std::min<Index>(2, row_tiles - c - down)});
}

// Adds the tasks of column `step` of a front, tiles of L or of the contribution block, and the
// preparations that are due.
void push_step(std::vector<FrontTask>& tasks, Index front, const FrontCells& cells, Index step,
               Index ahead) {
  const Index pivot_tiles = cells.pivot_tiles();
  // The preparation of column c needs tiles of L up to column c - 2: it follows column c - 2 -
  // ahead.
  const auto prepare = [&](Index c) {
    if (c >= 2 && c < pivot_tiles)
      tasks.push_back({front, TaskKind::prepare, c, c, std::min<Index>(2, cells.row_tiles() - c)});
  };
  if (step == 0)
    for (Index c = 2; c < 2 + ahead; ++c) prepare(c);
  if (step < pivot_tiles) {
    push_panel(tasks, front, cells, step);
    prepare(step + 2 + ahead);
  } else if ((step - pivot_tiles) % kGroup == 0) {
    push_group(tasks, front, cells, step);
  }
}

/// Returns the number of a front's tasks that may wait for later ones at the same time: the chain,
/// and preparations.
Index waiting(const FrontCells& cells, Index ahead) {
  const Index pivot_tiles = cells.pivot_tiles();
  if (pivot_tiles < 2) return 0;
  return 1 + std::min(ahead + 1, pivot_tiles - 2);
}

/// Returns the number of tile columns that `fill` tasks write: those of the pivots, or all columns
/// if sums are added to the front.
Index filled_columns(const LevelFront& front) {
  return front.stages.empty() ? front.cells.pivot_tiles() : front.cells.row_tiles();
}

void push_fill(std::vector<FrontTask>& tasks, Index index, const LevelFront& front) {
  const std::size_t before = tasks.size();
  const Index row_tiles = front.cells.row_tiles();
  for (Index k = 0; k < filled_columns(front); ++k)
    for (Index i = k; i < row_tiles; i += kFillRows)
      tasks.push_back({index, TaskKind::fill, i, k, std::min(kFillRows, row_tiles - i)});
  for (std::size_t stage = 0; stage + 1 < front.stages.size(); ++stage) {
    const Index end = front.stages[stage + 1], ready = static_cast<Index>(tasks.size() - before);
    for (Index sum = front.stages[stage]; sum < end; sum += kSums)
      tasks.push_back({index, TaskKind::sum, sum, ready, std::min(kSums, end - sum)});
  }
}

void push_together(std::vector<FrontTask>& tasks, std::span<const LevelFront> fronts, Index begin,
                   Index end, bool fill, Index ahead) {
  Index steps = 0;
  for (Index f = begin; fill && f < end; ++f) push_fill(tasks, f, fronts[f]);
  for (Index f = begin; f < end; ++f) {
    steps = std::max(steps, fronts[f].cells.row_tiles());
    if (fronts[f].cells.p > 0) tasks.push_back({f, TaskKind::chain, 0, 0, 0});
  }
  for (Index step = 0; step < steps; ++step)
    for (Index f = begin; f < end; ++f)
      if (step < fronts[f].cells.row_tiles()) push_step(tasks, f, fronts[f].cells, step, ahead);
}

}  // namespace

std::vector<FrontTask> factor_tasks(std::span<const LevelFront> fronts, bool fill, Index ahead,
                                    Index teams) {
  std::vector<FrontTask> tasks;
  const auto count = static_cast<Index>(fronts.size());
  for (Index begin = 0, end = 0; begin < count; begin = end) {
    Index wait = 0;
    for (; end < count && fronts[end].level == fronts[begin].level && end - begin < kMostInGroup;
         ++end) {
      wait += waiting(fronts[end].cells, ahead);
      if (end > begin && wait > teams / 2) break;
    }
    push_together(tasks, fronts, begin, end, fill, ahead);
  }
  return tasks;
}

Index contribution_tasks(const FrontCells& front) {
  const Index columns = front.row_tiles() - front.pivot_tiles();
  Index count = 0;
  for (Index below = 1; below <= columns; ++below) count += (below + 1) / 2;
  return count;
}

}  // namespace kauri::symbolic
