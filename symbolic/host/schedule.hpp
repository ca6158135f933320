// Makes the Schedule of a plan from its fronts: tasks, edges and all offsets.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "kauri/core/types.hpp"
#include "symbolic/host/schedule_lists.hpp"
#include "symbolic/host/task_memory.hpp"

namespace kauri::symbolic {

/// Makes the schedule. tree: tasks over postordered fronts; panel_ptr: beginnings of the fronts'
/// panels in entries, then the end of the last one; fully_summed_columns: see fully_summed.hpp;
/// workers >= 1. Throws Error(overflow) if the entries of panels and blocks exceed an Offset.
/// O(fronts) plus the time of place_blocks() for up to four blocks per task, and for two in a
/// solve.
Schedule make_schedule(const TaskTree& tree, std::span<const Offset> panel_ptr,
                       std::vector<Index> fully_summed_columns, int workers);

}  // namespace kauri::symbolic
