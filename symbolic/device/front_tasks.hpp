// The work of partial Cholesky factorisations of fronts as a list of tasks in the order in which a device's teams of warps draw them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "kauri/plan.hpp"
#include "symbolic/device/front_cells.hpp"

namespace kauri::symbolic {

using FrontTask = DeviceTask;
using TaskKind = DeviceTask::Kind;

/// Columns that preparations come early in plans, and teams that they are made for: every device that runs the tasks must hold so many at
/// once (an H100 PCIe has 114 multiprocessors, two teams each).
inline constexpr Index kAhead = 0;
inline constexpr Index kFewestTeams = 2 * 114;
/// The fewest that any list can be made for such that they never all wait: a chain and a preparation, and as many beside them. That is two
/// blocks of Hopper's kernel, four of the portable one.
inline constexpr Index kFewestEver = 2 * (kAhead + 2);

/// A front of a list that is worked through by levels: a front's children in the list are of lower levels.
struct LevelFront {
  FrontCells cells;
  Index level;
  std::vector<Index> stages{};  ///< of its sums, as list_sums() returns them: with any, its contribution block is filled too
};

/// Tasks of fronts whose levels ascend; those of a level follow those of the levels before, and are interleaved column by column. A task
/// waits only for tasks before it and for chains, except that a `prepare` comes `ahead` columns early. A chain waits for tasks after it,
/// and so a team that holds it: fronts are taken together so that those which wait are never more than half of all. `teams`: those that
/// run at once, at least 2 (ahead + 2): kFewestEver.
/// `fill`: the panels must be filled first, then the sums added.
std::vector<FrontTask> factor_tasks(std::span<const LevelFront> fronts, bool fill, Index ahead, Index teams);

/// How many of them write the contribution block; how many fill or sum.
Index contribution_tasks(const FrontCells& front);
Index fill_tasks(const LevelFront& front);

/// Tasks of C -= A A^T alone, in an order that reads A's rows while they are in the L2 cache.
std::vector<FrontTask> update_tasks(std::span<const FrontCells> fronts);

}  // namespace kauri::symbolic
