// Levels of the assembly tree and places of memory, for a device that runs level by level.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "kauri/plan.hpp"
#include "symbolic/front_cells.hpp"
#include "symbolic/front_tasks.hpp"

namespace kauri::symbolic {

/// True for targets whose plans carry a DeviceSchedule: "sm_90" ...
bool is_device_target(std::string_view target);

/// Entries of the array that holds panels and contribution blocks, without the scratch of sums, from the sizes of fronts alone. O(fronts
/// log fronts). Throws Error(overflow).
Offset device_entries(const Supernodes& supernodes);

/// O(n log n). Throws Error(overflow).
/// teams: as for factor_tasks().
DeviceSchedule make_device_schedule(const Supernodes& supernodes, const Assembly& assembly, Index teams = kFewestTeams);

/// Bytes of what a device keeps of a front beside the plan's arrays (numeric/cuda/device_plan.hpp), and of its state in a factor.
inline constexpr Offset kDeviceFrontBytes = 80;
inline constexpr Offset kDeviceStateBytes = 16;
/// Of the descriptions of small fronts, tiled fronts and their children in numeric/cuda.
inline constexpr Offset kDeviceSmallBytes = 56;
inline constexpr Offset kDeviceTiledBytes = 96;
inline constexpr Offset kDeviceChildBytes = 24;
/// Bytes of the verdict, and of what it is found with.
inline constexpr Offset kDeviceVerdictBytes = 40;

}  // namespace kauri::symbolic
