// Finds flaws in the lists of sweeps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "symbolic/device/sweep_lists.hpp"

namespace kauri::symbolic {

/// Returns an empty text, or the first flaw of the lists: each tile of L must be in one task, each
/// part must be made once and used once, and a task must read only numbers of tasks before it or of
/// fronts that are not tiled. O(tiles).
std::string find_flaw_sweeps(const Supernodes& nodes, const DeviceSchedule& schedule,
                             const SweepTasks& forward, const SweepTasks& backward);

}  // namespace kauri::symbolic
