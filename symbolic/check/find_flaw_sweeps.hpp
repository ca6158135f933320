// Finds the first flaw in the task lists of a solve by sweeps on a device: a tile of L or a part of
// a sum that is missing or used twice, or a task that waits for later ones.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "symbolic/device/sweep_lists.hpp"

namespace kauri::symbolic {

/// Returns the first flaw of the task lists of a solve, or an empty text: in each list, each tile
/// of L must be in one task, each part of a sum must be made once and used once, and a task must
/// read only results of tasks before it or of fronts that are not tiled. Requires sound supernodes
/// and a sound schedule. O(tiles).
std::string find_flaw_sweeps(const Supernodes& nodes, const DeviceSchedule& schedule,
                             const SweepTasks& forward, const SweepTasks& backward);

}  // namespace kauri::symbolic
