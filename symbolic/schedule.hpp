// From fronts to the Schedule of a plan: tasks, edges and every offset.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/plan.hpp"
#include "symbolic/task_memory.hpp"

namespace kauri::symbolic {

/// tree: tasks over postordered fronts; workers >= 1. O(fronts + tasks * free pieces).
Schedule make_schedule(const TaskTree& tree, int workers);

}  // namespace kauri::symbolic
