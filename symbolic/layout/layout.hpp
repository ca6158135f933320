// Makes schedules of devices with the places of all fronts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "symbolic/device/schedule.hpp"
#include "symbolic/layout/segments.hpp"

namespace kauri::symbolic {

/// Returns the entries of the array that holds panels and contribution blocks, without the scratch
/// of sums, from the sizes of fronts alone. O(fronts log fronts). Throws Error(overflow).
Offset device_entries(const Supernodes& supernodes, const DeviceLevels& levels);

/// Makes the part of a schedule that follows from the sizes of fronts alone, without row
/// structures; add_device_tasks() adds the rest once the assembly is known. `cut`: the segments
/// after which panels leave the device; null: they all stay. O(n log n). Throws Error(overflow).
DeviceSchedule lay_out_fronts(const Supernodes& supernodes, const DeviceLevels& levels,
                              const Segments* cut = nullptr);
/// Makes the whole schedule: levels, layout, tasks and work.
DeviceSchedule make_device_schedule(const Supernodes& supernodes, const Assembly& assembly,
                                    Index teams = kFewestTeams,
                                    Offset most_block = most_block_entries());

}  // namespace kauri::symbolic
