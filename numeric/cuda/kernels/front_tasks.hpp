// The work of partial Cholesky factorisations of tiled fronts as a list of tasks in the order in which teams of warps draw them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "numeric/cuda/kernels/tile.hpp"

namespace kauri::cuda {

/// What a task does with its one or two tiles (row, column), (row + 1, column):
enum class TaskKind : int {
  kChain,         // all diagonal tiles of a front, each with the tile below it, one after another (row, column unused)
  kPrepare,       // a diagonal tile and the one below: all products but the last; the chain goes on from there
  kPanel,         // tiles of L: all products, then the triangular solve
  kContribution,  // tiles right of the pivots: all products
};

struct Task {
  int front;
  TaskKind kind;
  int row;
  int column;
  int rows;  // tiles: 1 or 2

  bool operator==(const Task&) const = default;
};

/// Tasks of several fronts, interleaved column by column. A task waits only for tasks before it and for chains, except that a kPrepare
/// comes `ahead` columns early. A chain waits for tasks after it: no more than `teams` / (2 (ahead + 2)) fronts are under way at once, so
/// that the teams that wait are never all teams. `teams`: those that run at once, at least 2 (ahead + 2).
std::vector<Task> factor_tasks(std::span<const FrontShape> fronts, int ahead, int teams);

/// Tasks of C -= A A^T alone, in an order that reads A's rows while they are in the L2 cache.
std::vector<Task> update_tasks(std::span<const FrontShape> fronts);

}  // namespace kauri::cuda
