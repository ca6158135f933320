// From fronts to the Schedule of a plan: tasks, edges and every offset.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "kauri/plan.hpp"
#include "symbolic/host/task_memory.hpp"

namespace kauri::symbolic {

/// tree: tasks over postordered fronts; panel_ptr: of the fronts; fully_summed_columns: see fully_summed.hpp; workers >= 1. O(fronts) plus
/// what place_blocks() takes for up to four blocks per task, and for two in a solve.
Schedule make_schedule(const TaskTree& tree, std::span<const Offset> panel_ptr, std::vector<Index> fully_summed_columns, int workers);

}  // namespace kauri::symbolic
