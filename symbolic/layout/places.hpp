// Places of panels, contribution blocks and inverses in the array of a device, and of panels that
// leave it in host memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "symbolic/device/levels.hpp"
#include "symbolic/device/schedule_lists.hpp"
#include "symbolic/layout/segments.hpp"

namespace kauri::symbolic {

/// Sets the places of panels, blocks and inverses of a schedule that has its lists of levels:
/// panels from the beginning of the array, level by level, and blocks from its end. Throws
/// Error(overflow).
void place_numbers(const Supernodes& nodes, const FrontSizes& sizes, const DeviceLevels& levels,
                   DeviceSchedule& out);

/// Sets the places as place_numbers() does, for panels that leave the device after the segments of
/// `cut`: everything that lives is placed by allocate_offsets(), the panels of each phase together.
/// Sets DeviceSchedule::segment, but not its tiles of pivots, host_panel and host_entries. Throws
/// Error(overflow).
void place_in_segments(const Supernodes& nodes, const FrontSizes& sizes, const DeviceLevels& levels,
                       const Segments& cut, DeviceSchedule& out);

/// Sets the places of update rows in the arena of a solve that runs level by level.
void place_updates(const Supernodes& nodes, const DeviceLevels& levels, DeviceSchedule& out);

/// Returns the entries that sweeps multiply by beside L for each front: V, U and W of a tiled front
/// (FrontCells::solve_entries()), 0 for other fronts.
std::vector<Offset> inverse_entries(const Supernodes& nodes, const DeviceLevels& levels);

}  // namespace kauri::symbolic
