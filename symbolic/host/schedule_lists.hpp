// Tasks of the CPU in a plan: their fronts, edges, and places of memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "kauri/core/types.hpp"
#include "symbolic/common/contribution_layout.hpp"

namespace kauri::symbolic {

/// Edges of the task graph: a task waits for others whose data or memory it uses.
struct TaskEdges {
  std::vector<Index> dependencies;    ///< length tasks: number of edges that end at the task
  std::vector<Offset> successor_ptr;  ///< length tasks+1: beginning of each task's successors
  std::vector<Index> successor;  ///< tasks that wait for t, each once: successor[successor_ptr[t]
                                 ///< .. successor_ptr[t+1])
  friend bool operator==(const TaskEdges&, const TaskEdges&) = default;
};

/// Work and memory on the CPU, fixed by the pattern. A task is a whole subtree (or a run of small
/// siblings), a single front near the root, or a run of small fronts along a chain. Tasks are
/// numbered by *tickets* so that every edge upwards, which includes the edge from each task to its
/// parent, goes from a lower to a higher ticket. All fronts of a task whose parents lie outside it
/// have the same parent, or none. A front's children in other tasks are numbered below the task's
/// first front.
struct Schedule {
  /// Fronts that one thread does one after another.
  struct Task {
    Index
        first_front;  ///< fronts [first_front, last_front) are done by this task in ascending order
    Index last_front;  ///< one past the last front
    Index parent;      ///< task that holds the parent of front last_front-1, or kNone
    double flops;      ///< floating-point operations of its fronts, zeros of amalgamation included
  };
  int workers = 1;           ///< tasks that may run at once without waiting for each other's memory
  std::vector<Task> task;    ///< tasks by ticket
  TaskEdges factor_edges;    ///< edges of a factorisation, from lower to higher tickets
  TaskEdges forward_edges;   ///< edges of the forward sweep of a solve, from lower to higher
                             ///< tickets; differ from factor_edges, since other memory is reused
  TaskEdges backward_edges;  ///< edges of the backward sweep: forward_edges reversed
  // Places of the factorisation are offsets in entries into one array: the panels at
  // PlanInternals::panel_ptr, then stack_entries more. Contribution blocks and scratch may lie in
  // panels of tasks with higher tickets than all their readers; edges keep these tasks from
  // beginning too early. The first fully_summed_columns columns of a block lie apart from
  // the others, its partially summed columns. If the first columns are all pivots of the parent,
  // they are dead once the parent's panel is assembled; the parent's own block and scratch may lie
  // there if the parent is the only front of its task.
  std::vector<Offset> scratch;              ///< length tasks: place of the scratch, the greatest
                                            ///< FrontScratch::entries of its fronts; -1 if 0
  std::vector<Index> fully_summed_columns;  ///< length supernodes: columns of the contribution
                                            ///< block at `fully_summed`: q, or a multiple of kTile
  std::vector<Offset> fully_summed;  ///< length supernodes: place of the fully summed columns; -1
                                     ///< if there are none
  std::vector<Offset> partially_summed;  ///< length supernodes: place of the partially summed
                                         ///< columns; -1 if there are none
  Offset stack_entries = 0;              ///< entries of the array beyond the panels
  // Update rows of a solve. In the forward sweep, update rows that are read in the task that made
  // them are in use while it runs, all others until the parent's task is done. In the backward
  // sweep a task uses its own update rows alone, as scratch while it runs. That is a part of the
  // time for which the forward sweep uses them, so the same edges keep tasks apart.
  std::vector<Offset> update;  ///< length supernodes: place of each front's q update rows in the
                               ///< arena of a solve, in rows; -1 if q = 0
  Offset update_rows = 0;  ///< rows of that arena; each row has one number for each right-hand side

  /// Returns the place of row ContributionLayout::first_row(j) of column j < q of the contribution
  /// block of s, whose order is q. The columns of a block column are contiguous.
  [[nodiscard]] Offset block_column(Index s, Index q, Index j) const {
    const Offset at = ContributionLayout::column(q, j);
    const auto k = static_cast<std::size_t>(s);
    return j < fully_summed_columns[k]
               ? fully_summed[k] + at
               : partially_summed[k] +
                     (at - ContributionLayout::column(q, fully_summed_columns[k]));
  }
};

}  // namespace kauri::symbolic
