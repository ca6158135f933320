// The work of a solve on a device, as lists that kernels go through: tasks of the tiled fronts in the order in which they are drawn, and
// where the update rows of each front lie.
//
// Forward, L y = b: a tile of 64 rows of a front starts from b and from the update rows of the front's children, takes L(., k) y_k of its
// front's pivot tiles away, and becomes y (by the inverse of its diagonal tile) or update rows. Backward, L^T x = y: a tile of pivots
// starts from y, takes L(i, .)^T x_i of all tiles below away, and becomes x. Long sums are divided: parts are tasks of their own, the rows'
// task adds them up. A task waits for numbers of tasks before it in the list alone (find_flaw_sweeps), so any number of workers gets
// through.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kauri/plan.hpp"
#include "symbolic/device/front_cells.hpp"

namespace kauri::symbolic {

/// Tiles [row, row + rows) x [column, column + columns) of a tiled front, those of L alone: left of the rows' diagonal tile, or below the
/// column's.
struct SweepTask {
  enum class Kind : Index {
    whole,     ///< the sums are complete with this task's tiles: numbers are made of them
    part,      ///< the sum over the task's tiles goes to vector `part`
    gathered,  ///< forward, as `whole`, but the children's update rows have been added up: vector part + parts
    gather,    ///< forward: the children's update rows of kGatherRows rows of tile row `row`, the column-th such, are added up, to vector
               ///< `part`
  };
  Index front;  ///< supernode
  Kind kind;
  Index row, rows;        ///< forward several rows: only in a task that needs no parts. Backward rows are gone through from the last
  Index column, columns;  ///< backward one column
  Index part, parts;      ///< vectors [part, part + parts) are parts of the sum
  bool operator==(const SweepTask&) const = default;
};

/// Tasks in the order of their tickets, and how many vectors of parts there are: a vector is a number for each of a tile's 64 rows.
struct SweepTasks {
  std::vector<SweepTask> task;
  Index parts = 0;
};

/// Where update rows lie in an array of a solve: those that meet one row of the parent follow each other, in the children's order, row
/// after row, front after front. Rows of fronts are counted as in Supernodes::row, with one more behind each front's last: row r of front s
/// is ptr[row_ptr[s] + s + r], and the update rows that it starts from are [ptr[k], ptr[k + 1]).
struct UpdateRows {
  Array<std::uint32_t> ptr;   ///< length nodes.row.size() + fronts
  Array<std::uint32_t> slot;  ///< length nodes.row.size() - n: that of each row below the pivots, front after front
};

/// Most update rows that places of 32 bits can tell apart, and those a few steps of a loop after them.
inline constexpr Offset kMostUpdateRows = (Offset{1} << 32) - 1024;

/// O(update rows). By all threads of the arena. There are fewer than kMostUpdateRows.
UpdateRows place_update_rows(const Supernodes& nodes, const Assembly& assembly);

/// Where the children of a front have more update rows than this for each of its tile rows, or are more than that, tasks of their own add
/// them up: one row may meet all children.
inline constexpr Offset kMostGathered = 1024;
inline constexpr Index kMostMet = 256;
/// Rows of such a task.
inline constexpr Index kGatherRows = 4;

/// O(tasks).
SweepTasks forward_tasks(const Supernodes& nodes, const Assembly& assembly, const DeviceSchedule& schedule);
SweepTasks backward_tasks(const Supernodes& nodes, const DeviceSchedule& schedule);

struct SweepLists {
  UpdateRows rows;
  SweepTasks forward, backward;
};
/// All three.
SweepLists list_sweeps(const Supernodes& nodes, const Assembly& assembly, const DeviceSchedule& schedule);

/// How many tasks and parts there are, and the bytes of all lists on a device. No bytes: there are too many update rows, or
/// tiled fronts are done level by level, which does not write the padding of their panels. O(fronts).
DeviceSchedule::Sweeps count_sweeps(const Supernodes& nodes, const Assembly& assembly, const DeviceSchedule& schedule);

/// Columns of the numbers of a solve by sweeps with so many right-hand sides at a time: kernels are made for these alone, and what a block
/// of right-hand sides does not fill are zeros.
inline constexpr Index kMostTogether = 32;
constexpr Index solve_width(Index nrhs) { return nrhs <= 1 ? 1 : nrhs <= 8 ? 8 : kMostTogether; }
/// Where numbers, of 8 bytes each, lie in a workspace for several right-hand sides, solve_width() columns of them: update rows and parts;
/// at `scratch` x, y and b by rows, or all numbers of a solve of one; tickets. Throws Error(overflow).
struct WideNumbers {
  Offset kept;  ///< numbers of a column before `scratch`
  Offset scratch, ticket, all;
};
WideNumbers wide_numbers(const DeviceSchedule::Sweeps& sweeps, Index n, Index nrhs);
/// Directions of as many blocks of columns as are ever solved side by side.
inline constexpr Index kWideTickets = 8;
/// Numbers that a workspace for so many right-hand sides has: Sweeps::numbers, or WideNumbers::all. Throws Error(overflow).
Offset solve_numbers(const DeviceSchedule::Sweeps& sweeps, Index n, Index nrhs);

/// Empty, or what makes such lists wrong: each tile of L is in one task, each part is made once and used once, and what a task reads comes
/// from tasks before it, or from the fronts that are not tiled. O(tiles).
std::string find_flaw_sweeps(const Supernodes& nodes, const DeviceSchedule& schedule, const SweepTasks& forward,
                             const SweepTasks& backward);

}  // namespace kauri::symbolic
