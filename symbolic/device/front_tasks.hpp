// The work of partial Cholesky factorisations of fronts, as a list of tasks in the order in which a
// device's warp teams draw them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "kauri/core/types.hpp"
#include "symbolic/device/front_cells.hpp"
#include "symbolic/device/schedule_lists.hpp"

namespace kauri::symbolic {

using FrontTask = DeviceTask;
using TaskKind = DeviceTask::Kind;

/// kAhead: tile columns by which `prepare` tasks come early in the task lists of plans.
/// kFewestTeams: warp teams that the lists of plans are made for: two on each multiprocessor of the
/// whole Hopper card with the fewest. A device that holds fewer makes its own list by
/// tasks_for_teams() (symbolic/device/schedule.hpp).
inline constexpr Index kAhead = 0;
inline constexpr Index kFewestTeams = 2 * 114;
/// Fewest teams that a task list can be made for such that never all of them wait: a chain and a
/// preparation wait, and as many teams work. These are two thread blocks of Hopper's kernel, four
/// of the portable one.
inline constexpr Index kFewestEver = 2 * (kAhead + 2);

/// A front of a list that is ordered by levels: the front's children in the list are of lower
/// levels.
struct LevelFront {
  FrontCells cells;
  Index level;                  ///< ascending in the list
  std::vector<Index> stages{};  ///< stages of its sums, as list_sums() returns them; if there are
                                ///< any, `fill` tasks set its contribution block to zero, too
};

/// Returns the tasks of fronts whose levels ascend; DeviceTask::front is a position in `fronts`.
/// Tasks of a level follow those of the levels before, and are interleaved column by column. A task
/// waits only for tasks before it and for chains, except that a `prepare` comes `ahead` columns
/// before its last operands. A chain waits for tasks after it and holds its team meanwhile: fronts
/// of a level are taken together in groups whose waiting tasks never hold more than half of all
/// teams.
/// teams: teams that run at once, at least 2 (ahead + 2), which is kFewestEver for kAhead. fill:
/// true if the list includes the tasks that fill panels and add sums.
std::vector<FrontTask> factor_tasks(std::span<const LevelFront> fronts, bool fill, Index ahead,
                                    Index teams);

/// Returns the number of the front's tasks that write the contribution block.
Index contribution_tasks(const FrontCells& front);

}  // namespace kauri::symbolic
