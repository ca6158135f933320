// Order of the tasks of tiled fronts.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/kernels/front_tasks.hpp"

#include <algorithm>
#include <cstddef>

namespace kauri::cuda {
namespace {

void push_panel(std::vector<Task>& tasks, int front, const FrontShape& shape, int column) {
  const int row_tiles = shape.row_tiles();
  for (int i = column + 2; i < row_tiles; i += 2) tasks.push_back({front, TaskKind::kPanel, i, column, std::min(2, row_tiles - i)});
}

inline constexpr int kGroup =
    16;  // columns of the contribution block whose tasks follow each other, so that they share rows of L in the L2 cache

// Contribution tiles of columns [column, column + kGroup).
void push_group(std::vector<Task>& tasks, int front, const FrontShape& shape, int column) {
  const int row_tiles = shape.row_tiles();
  const int end = std::min(column + kGroup, row_tiles);
  for (int down = 0; column + down < row_tiles; down += 2) {
    for (int c = column; c < end && c + down < row_tiles; ++c) {
      tasks.push_back({front, TaskKind::kContribution, c + down, c, std::min(2, row_tiles - c - down)});
    }
  }
}

// Column `step` of a front: its tiles of L, or of the contribution block; before them the preparations that are due.
void push_step(std::vector<Task>& tasks, int front, const FrontShape& shape, int step, int ahead) {
  const int pivot_tiles = shape.pivot_tiles();
  // The preparation of column c needs tiles of L up to column c - 2: it follows column c - 2 - ahead.
  const auto prepare = [&](int c) {
    if (c >= 2 && c < pivot_tiles) tasks.push_back({front, TaskKind::kPrepare, c, c, std::min(2, shape.row_tiles() - c)});
  };
  if (step == 0) {
    for (int c = 2; c < 2 + ahead; ++c) prepare(c);
  }
  if (step < pivot_tiles) {
    push_panel(tasks, front, shape, step);
    prepare(step + 2 + ahead);
  } else if ((step - pivot_tiles) % kGroup == 0) {
    push_group(tasks, front, shape, step);
  }
}

}  // namespace

std::vector<Task> factor_tasks(std::span<const FrontShape> fronts, int ahead, int teams) {
  std::vector<Task> tasks;
  const int count = static_cast<int>(fronts.size());
  const int together = std::max(1, teams / (2 * (ahead + 2)));
  for (int begin = 0; begin < count; begin += together) {
    const int end = std::min(count, begin + together);
    int steps = 0;
    for (int f = begin; f < end; ++f) {
      const FrontShape& shape = fronts[static_cast<std::size_t>(f)];
      steps = std::max(steps, shape.row_tiles());
      if (shape.pivots > 0) tasks.push_back({f, TaskKind::kChain, 0, 0, 0});
    }
    for (int step = 0; step < steps; ++step) {
      for (int f = begin; f < end; ++f) {
        const FrontShape& shape = fronts[static_cast<std::size_t>(f)];
        if (step < shape.row_tiles()) push_step(tasks, f, shape, step, ahead);
      }
    }
  }
  return tasks;
}

std::vector<Task> update_tasks(std::span<const FrontShape> fronts) {
  std::vector<Task> tasks;
  for (std::size_t f = 0; f < fronts.size(); ++f) {
    for (int column = fronts[f].pivot_tiles(); column < fronts[f].row_tiles(); column += kGroup) {
      push_group(tasks, static_cast<int>(f), fronts[f], column);
    }
  }
  return tasks;
}

}  // namespace kauri::cuda
