// The work of a solve on a device, as lists that kernels read: tasks of the tiled fronts in the
// order in which they are drawn, and the places of the update rows of each front.
//
// Forward, L y = b: a tile of 64 rows of a front starts from b and from the update rows of the
// front's children, subtracts L(., k) y_k for its front's pivot tiles k, and becomes y (by the
// inverse of its diagonal tile) or update rows. Backward, L^T x = y: a tile of pivots starts from
// y, subtracts L(i, .)^T x_i for all tiles i below, and becomes x. Long sums are divided: parts are
// separate tasks, and the rows' task adds them up. A task waits only for results of tasks before it
// in the list (check/find_flaw_sweeps.hpp), so any number of thread blocks completes the list.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kauri/core/plan.hpp"
#include "symbolic/common/assembly.hpp"
#include "symbolic/device/front_cells.hpp"
#include "symbolic/device/schedule_lists.hpp"

namespace kauri::symbolic {

/// A task on the tiles [row, row + rows) x [column, column + columns) of L in a tiled front: left
/// of the rows' diagonal tile (forward), or below the column's (backward).
struct SweepTask {
  enum class Kind : Index {
    whole,     ///< completes the sums with this task's tiles, and writes y or update rows (forward)
               ///< or x (backward)
    part,      ///< the sum over the task's tiles is written to vector `part`
    gathered,  ///< forward: as `whole`, but vector part + parts holds the sum of the children's
               ///< update rows
    gather,    ///< forward: adds up the children's update rows for kGatherRows rows of tile row
               ///< `row`, the column-th such group, into vector `part`
  };
  Index front;  ///< supernode
  Kind kind;
  Index row, rows;  ///< forward: rows is 1 in a task with parts; backward: the tile rows are read
                    ///< from the last to the first
  Index column, columns;  ///< backward: columns is 1
  Index part, parts;      ///< vectors [part, part + parts) hold parts of the sum
  bool operator==(const SweepTask&) const = default;
};

/// Tasks in the order of their tickets, and the number of vectors that hold parts of sums; a vector
/// has 64 values, one for each row of a tile.
struct SweepTasks {
  std::vector<SweepTask> task;
  Index parts = 0;
};

/// Places of update rows in the one array that holds those of all fronts in a solve. Update rows
/// of children that meet one row of a front are consecutive, in the children's order; they follow
/// row after row, front after front. Rows of fronts are counted as in Supernodes::row, with one
/// more behind each front's last: row r of front s is k = row_ptr[s] + s + r, and starts from the
/// update rows [ptr[k], ptr[k + 1]).
struct UpdateRows {
  Array<std::uint32_t> ptr;  ///< length nodes.row.size() + fronts
  Array<std::uint32_t>
      slot;  ///< length nodes.row.size() - n: place of each row below the pivots, front after front
};

/// Most update rows, not included, for which places of 32 bits suffice, with places that a few
/// further steps of a loop reach.
inline constexpr Offset kMostUpdateRows = (Offset{1} << 32) - 1024;

/// Places the update rows, fewer than kMostUpdateRows, by all threads of the arena. O(update rows).
UpdateRows place_update_rows(const Supernodes& nodes, const Assembly& assembly);

/// If the children of a front have more than kMostGathered update rows for each of its tile rows,
/// or there are more than kMostMet children, separate tasks add the update rows up: one row may
/// meet all children.
inline constexpr Offset kMostGathered = 1024;
inline constexpr Index kMostMet = 256;
/// Rows of a front for which one `gather` task adds up update rows.
inline constexpr Index kGatherRows = 4;

/// Return the tasks of the forward and of the backward sweep. O(tasks).
SweepTasks forward_tasks(const Supernodes& nodes, const Assembly& assembly,
                         const DeviceSchedule& schedule);
SweepTasks backward_tasks(const Supernodes& nodes, const DeviceSchedule& schedule);

struct SweepLists {
  UpdateRows rows;
  SweepTasks forward, backward;
};
/// Makes the update rows and the tasks of both sweeps.
SweepLists list_sweeps(const Supernodes& nodes, const Assembly& assembly,
                       const DeviceSchedule& schedule);

/// Counts tasks and parts, and the bytes of all lists on a device. Zero bytes mean that a device
/// solves without sweeps: there are too many update rows, or tiled fronts are done level by level,
/// which does not write the padding of their panels. O(fronts).
DeviceSchedule::Sweeps count_sweeps(const Supernodes& nodes, const Assembly& assembly,
                                    const DeviceSchedule& schedule);

/// Most right-hand sides that a solve by sweeps takes together. solve_width(nrhs) returns the
/// number of columns with which kernels solve nrhs <= kMostTogether of them: kernels are made for
/// 1, 8 and 32 columns alone, and columns without a right-hand side are zeros.
inline constexpr Index kMostTogether = 32;
constexpr Index solve_width(Index nrhs) { return nrhs <= 1 ? 1 : nrhs <= 8 ? 8 : kMostTogether; }
/// Places, in numbers of 8 bytes, in a workspace for nrhs right-hand sides, solve_width(nrhs)
/// columns: first update rows and parts; then, at `scratch`, x, y and b by rows, or all numbers of
/// a solve of one right-hand side; then tickets. multi_numbers() throws Error(overflow).
struct MultiNumbers {
  Offset kept;                  ///< numbers of each column before `scratch`
  Offset scratch, ticket, all;  ///< places of the scratch and of the tickets; all numbers
};
MultiNumbers multi_numbers(const DeviceSchedule::Sweeps& sweeps, Index n, Index nrhs);
/// Tickets: one per direction and block group, for as many block groups as ever solve side by side.
inline constexpr Index kMultiTickets = 8;
/// Returns how many numbers of 8 bytes a workspace for nrhs right-hand sides has: Sweeps::numbers,
/// or MultiNumbers::all. Throws Error(overflow).
Offset solve_numbers(const DeviceSchedule::Sweeps& sweeps, Index n, Index nrhs);

}  // namespace kauri::symbolic
