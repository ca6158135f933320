// Levels of the assembly tree and places of memory, for a device that runs level by level.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "kauri/plan.hpp"
#include "symbolic/common/checked.hpp"
#include "symbolic/device/front_cells.hpp"
#include "symbolic/device/front_tasks.hpp"
#include "symbolic/device/levels.hpp"

namespace kauri::symbolic {

/// True for targets whose plans carry a DeviceSchedule: "sm_90" ...
bool is_device_target(std::string_view target);

/// In the order of their levels.
inline std::span<const Index> tiled_fronts(const DeviceSchedule& schedule) {
  return std::span(schedule.front).subspan(static_cast<std::size_t>(schedule.small_fronts));
}

/// Entries of the array that holds panels and contribution blocks, without the scratch of sums, from the sizes of fronts alone. O(fronts
/// log fronts). Throws Error(overflow).
Offset device_entries(const Supernodes& supernodes, const DeviceLevels& levels);

/// Bytes of the host's that the lists of a schedule may take while they are made: tasks, steps, and sums of children's entries. A bound,
/// some two times what they take, from sizes alone. O(fronts).
Offset most_list_bytes(const FrontTree& fronts);

/// What follows from the sizes of fronts alone: no rows are read. The rest is added once the assembly is there. O(n log n). Throws
/// Error(overflow).
DeviceSchedule lay_out_fronts(const Supernodes& supernodes, const DeviceLevels& levels);
/// Tasks find the entries of a contribution block by places of 32 bits. Where a tiled front has a block of more entries, from 92,682 rows
/// on, there are no tasks and no sweeps: a device does all tiled fronts of the plan level by level.
inline constexpr Offset kMostBlockEntries = std::numeric_limits<std::uint32_t>::max();
/// Which front of a device's plan has such a block, of how many rows and entries, and what follows from it: the warning that an analysis,
/// a loaded plan, reports and the program give. Empty where there is none, and of a CPU's plan. Tests lower `most`. O(fronts).
std::string too_large_block(const Plan& plan, Offset most = kMostBlockEntries);

/// Tasks, lists of sums and bytes. teams: as for factor_tasks(); most_block: as for too_large_block().
void add_device_tasks(const Supernodes& supernodes, const Assembly& assembly, const DeviceLevels& levels, std::string_view target,
                      DeviceSchedule& schedule, Index teams = kFewestTeams, Offset most_block = kMostBlockEntries);

/// All of it.
DeviceSchedule make_device_schedule(const Supernodes& supernodes, const Assembly& assembly, std::string_view target,
                                    Index teams = kFewestTeams, Offset most_block = kMostBlockEntries);

/// What the schedule takes beside the array: its row_maps, shared_bytes, task_bytes, fast_bytes and plan_bytes, from its other members.
/// O(fronts).
Offset count_row_maps(const Supernodes& supernodes, const Assembly& assembly, const DeviceSchedule& schedule);
Offset count_shared_bytes(const Supernodes& supernodes, const Assembly& assembly, const DeviceSchedule& schedule);
Offset count_task_bytes(const Supernodes& supernodes, const Assembly& assembly, const DeviceSchedule& schedule);  ///< from its shared_bytes
/// From its task_bytes; more than these on "sm_90" alone.
Offset count_fast_bytes(const DeviceSchedule& schedule, std::string_view target);
Offset count_plan_bytes(const Supernodes& supernodes, const Assembly& assembly, const DeviceSchedule& schedule);

/// What an array takes of the one block of a device's memory that a factor or a workspace has: whole units of kDeviceAlignment. Throws
/// Error(overflow).
inline constexpr Offset kDeviceAlignment = 256;
inline Offset aligned_bytes(Offset count, Offset item_bytes) {
  const Offset bytes = checked_mul(count, item_bytes, "bytes of an array");
  return checked_add(bytes, kDeviceAlignment - 1, "bytes of an array") / kDeviceAlignment * kDeviceAlignment;
}

/// Bytes of what a device keeps of a front beside the plan's arrays (numeric/cuda/plan/device_plan.hpp), and of its state in a factor: what
/// became of it, the column and the pivot that failed.
inline constexpr Offset kDeviceFrontBytes = 80;
inline constexpr Offset kDeviceStateBytes = 4, kDeviceColumnBytes = 4, kDevicePivotBytes = 8;
/// Of what a factor's descriptions of tiled fronts and their children are made of in numeric/cuda.
inline constexpr Offset kDeviceTiledPlanBytes = 48, kDevicePulledBytes = 16;
/// Of the descriptions of small fronts, tiled fronts and their children that each factor has.
inline constexpr Offset kDeviceSmallBytes = 56;
inline constexpr Offset kDeviceTiledBytes = 96;
inline constexpr Offset kDeviceChildBytes = 24;
/// Bytes of the verdict, and of what it is found with.
inline constexpr Offset kDeviceVerdictBytes = 40 + 1024 * 16;

}  // namespace kauri::symbolic
