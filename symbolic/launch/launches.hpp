// Launches of a plan's tasks on a device: ranges of tickets such that no launch takes too long.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "symbolic/device/cost.hpp"
#include "symbolic/device/schedule_lists.hpp"

namespace kauri::symbolic {

/// Tasks [first, end) of DeviceSchedule::task, which are those of consecutive levels of tiled
/// fronts. One launch does them, once the launches of all ranges before it have ended.
struct LaunchRange {
  Index first, end;
  bool operator==(const LaunchRange&) const = default;
};

/// Returns the fewest ranges of a schedule's tasks of which each is predicted to take at most
/// `seconds` on the device of `cost`, except that a level is never divided: one that takes longer
/// is a range by itself, and that each segment of the schedule begins a range. Infinite seconds
/// give one range, or one for each segment. Empty if there are no tasks. O(levels).
std::vector<LaunchRange> launch_ranges(const DeviceSchedule& schedule, const DeviceCost& cost,
                                       double seconds);

}  // namespace kauri::symbolic
