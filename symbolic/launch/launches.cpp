// Joins levels to launches.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/launch/launches.hpp"

#include <cstddef>

namespace kauri::symbolic {

std::vector<LaunchRange> launch_ranges(const DeviceSchedule& schedule, const DeviceCost& cost,
                                       double seconds) {
  std::vector<LaunchRange> ranges;
  double sum = 0;
  auto segment = schedule.segment.begin();
  for (std::size_t l = 0; l < schedule.level_end.size(); ++l) {
    const double level = device_level_seconds(cost, schedule.work.tiled.at(l));
    const bool begins =
        segment != schedule.segment.end() && static_cast<std::size_t>(segment->level_end) == l;
    if (begins) ++segment;
    if (ranges.empty() || begins || sum + level > seconds) {
      ranges.push_back({ranges.empty() ? 0 : ranges.back().end, 0});
      sum = 0;
    }
    sum += level;
    ranges.back().end = schedule.level_end[l];
  }
  return ranges;
}

}  // namespace kauri::symbolic
