// Makes the DeviceSchedule of a plan: levels of the assembly tree, places of memory, tasks and
// bytes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kauri/core/plan.hpp"
#include "symbolic/common/assembly.hpp"
#include "symbolic/device/front_cells.hpp"
#include "symbolic/device/front_tasks.hpp"
#include "symbolic/device/levels.hpp"

namespace kauri::symbolic {

/// Returns true for targets that begin with "sm_": their plans carry a DeviceSchedule.
bool is_device_target(std::string_view target);

/// Returns the tiled fronts in the order of their levels.
inline std::span<const Index> tiled_fronts(const DeviceSchedule& schedule) {
  return std::span(schedule.front).subspan(static_cast<std::size_t>(schedule.small_fronts));
}

/// Lists the fronts of a schedule by level, the tiled fronts and their positions, and the tiles of
/// each level and step. O(n log n). Throws Error(overflow).
void list_levels(const Supernodes& supernodes, const DeviceLevels& levels, DeviceSchedule& out);
/// Lists the diagonal tiles of L of each segment, if there are any. Throws Error(overflow).
void list_segment_tiles(const Supernodes& supernodes, DeviceSchedule& out);

/// Returns a bound on the bytes of the CPU's memory that the lists of a schedule take while they
/// are made: tasks, steps, and sums of children's entries. The bound is about twice the bytes that
/// they take, and uses the sizes of fronts alone. O(fronts). Throws Error(overflow).
Offset most_list_bytes(const FrontTree& fronts);

/// Returns the most entries of a tiled front's contribution block for which there are tasks: 2^32 -
/// 1, because tasks find entries by places of 32 bits. If a tiled front has a larger block, from
/// 92,673 rows on, there are no tasks and no sweeps: a device does all tiled fronts of the plan
/// level by level. tests/emulator/block_limit.cpp replaces this function by a lower limit.
Offset most_block_entries();
/// Returns a text that says which front of a schedule has a block of more than `most` entries, its
/// rows and entries, and the consequences: the warning that analyses, loaded plans, reports and the
/// program give. Empty if there is no such front, and for an empty schedule. Tests lower `most`.
/// O(fronts).
std::string too_large_block(const Supernodes& supernodes, const DeviceSchedule& schedule,
                            Offset most = most_block_entries());

/// Adds tasks, lists of sums, counts of bytes and sizes of sweeps to a schedule from
/// lay_out_fronts() (symbolic/layout/layout.hpp). teams: as for factor_tasks(); most_block: as
/// `most` of too_large_block(). Throws Error(overflow).
void add_device_tasks(const Supernodes& supernodes, const Assembly& assembly,
                      const DeviceLevels& levels, DeviceSchedule& schedule,
                      Index teams = kFewestTeams, Offset most_block = most_block_entries());

/// Returns a schedule's tasks in the order for so many teams, as many as it has. It needs no row
/// structures, so that it takes a fraction of the time of the schedule. O(tasks).
std::vector<DeviceTask> tasks_for_teams(const Supernodes& supernodes,
                                        const DeviceSchedule& schedule, Index teams);

/// Return the members row_maps, shared_bytes, task_bytes, fast_bytes and plan_bytes of a schedule,
/// which count the memory that it takes beside the array of panels and blocks, from its other
/// members, of which count_shared_bytes() reads row_maps. O(fronts).
Offset count_row_maps(const Supernodes& supernodes, const Assembly& assembly,
                      const DeviceSchedule& schedule);
Offset count_shared_bytes(const Supernodes& supernodes, const Assembly& assembly,
                          const DeviceSchedule& schedule);
Offset count_task_bytes(const Supernodes& supernodes, const Assembly& assembly,
                        const DeviceSchedule& schedule);  ///< reads its shared_bytes
Offset count_fast_bytes(const DeviceSchedule& schedule);  ///< reads its task_bytes
Offset count_plan_bytes(const Supernodes& supernodes, const Assembly& assembly,
                        const DeviceSchedule& schedule);

/// kDeviceFrontBytes: bytes of a device's record of a front beside the plan's arrays
/// (numeric/cuda/plan/device_plan.hpp). kDeviceStateBytes, kDeviceColumnBytes and
/// kDevicePivotBytes: bytes of a front's result in a factor, which is its state, and the column and
/// the pivot that failed.
inline constexpr Offset kDeviceFrontBytes = 80;
inline constexpr Offset kDeviceStateBytes = 4, kDeviceColumnBytes = 4, kDevicePivotBytes = 8;
/// Bytes of the plan's records of a tiled front, and of a child that is pulled, from which
/// numeric/cuda makes a factor's descriptions of them.
inline constexpr Offset kDeviceTiledPlanBytes = 48, kDevicePulledBytes = 16;
/// Bytes of a factor's descriptions of a small front, a tiled front and a child.
inline constexpr Offset kDeviceSmallBytes = 56;
inline constexpr Offset kDeviceTiledBytes = 96;
inline constexpr Offset kDeviceChildBytes = 24;
/// Bytes of the verdict and of the scratch of the kernel that finds it.
inline constexpr Offset kDeviceVerdictBytes = 40 + 1024 * 16;

}  // namespace kauri::symbolic
