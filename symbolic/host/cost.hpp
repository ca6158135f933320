// The cost of a plan: exact counts, and predicted seconds from a simulation of its schedule.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "kauri/core/plan.hpp"
#include "symbolic/common/cost_table.hpp"
#include "symbolic/host/schedule_lists.hpp"
#include "symbolic/tree/supernodes.hpp"

namespace kauri::symbolic {

/// Returns a Cost with all counts set but tree_height; that and the predicted seconds are zero.
/// column_count: entries of each column of L without the zeros of amalgamation. Throws
/// Error(overflow) if the stored entries of L exceed an Offset. O(n + fronts).
Cost count_cost(std::span<const Index> column_count, const FrontTree& fronts);

/// Seconds of a task on one core: the sum of both members.
struct TaskSeconds {
  double alone = 0;   ///< seconds in which no other worker can help; they come first
  double shared = 0;  ///< seconds of large fronts (FrontScratch::packed()), in which idle workers
                      ///< help
};

/// Returns the seconds that `workers` workers take for the tasks by list scheduling, lowest ticket
/// first. Workers without a task help the first running task that is in its shared part, each at
/// `efficiency` of a full worker. O((tasks + edges) (log tasks + workers)).
double list_schedule(const TaskEdges& edges, int workers, std::span<const TaskSeconds> seconds,
                     double efficiency);

/// Predicted seconds of a factorisation and of a solve with one right-hand side.
struct CoreSeconds {
  double factor_s = 0;
  double solve_s = 0;
};

/// Sets predicted_factor_s, predicted_solve_s and predicted_create_s of `cost`, whose counts must
/// be set, for schedule.workers. Returns the seconds of the same work on one core, which do not
/// depend on the number of workers: orderings are compared by them. entries: stored entries of A's
/// lower triangle, taken as spread evenly over the columns.
CoreSeconds predict(const CostTable& table, const FrontTree& fronts, const Schedule& schedule,
                    Offset entries, Cost& cost);

}  // namespace kauri::symbolic
