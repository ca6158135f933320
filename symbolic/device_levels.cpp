// A front is of the widest kind in and below it; levels count up from the leaves of each kind.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/device_levels.hpp"

#include <algorithm>

namespace kauri::symbolic {

DeviceLevels find_device_levels(const Supernodes& nodes) {
  const std::size_t count = nodes.parent.size();
  DeviceLevels levels{
      std::vector<Index>(count), std::vector<Index>(count, 0), std::vector<Index>(count), std::vector<Index>(count, 0), {}, 0};
  for (const Index parent : nodes.parent)
    if (parent != kNone) ++levels.children[parent];
  const auto kind_of = [&](Index s) {
    if (levels.children[s] > DeviceSchedule::kMostChildren) return DeviceLevels::tiled;
    const Index m = nodes.order(s);
    return m <= DeviceSchedule::kNarrow ? DeviceLevels::narrow : m <= DeviceSchedule::kSmall ? DeviceLevels::small : DeviceLevels::tiled;
  };
  for (Index s = 0; s < nodes.count(); ++s) {
    levels.kind[s] = std::max<Index>(levels.kind[s], kind_of(s));
    if (const Index parent = nodes.parent[s]; parent != kNone) levels.kind[parent] = std::max(levels.kind[parent], levels.kind[s]);
  }
  Index heights[3] = {};
  for (Index s = 0; s < nodes.count(); ++s) {
    heights[levels.kind[s]] = std::max(heights[levels.kind[s]], levels.of[s] + 1);
    const Index parent = nodes.parent[s];
    if (parent != kNone && levels.kind[parent] == levels.kind[s]) levels.of[parent] = std::max(levels.of[parent], levels.of[s] + 1);
  }
  for (Index k = 0; k < 3; ++k) levels.begin[k + 1] = levels.begin[k] + heights[k];
  for (std::size_t s = 0; s < count; ++s) {
    const Index kind = levels.kind[s];
    levels.phase[s] = kind == DeviceLevels::tiled ? DeviceLevels::kTiledPhase + levels.of[s] : kind;
    levels.of[s] += levels.begin[kind];
  }
  levels.phases = DeviceLevels::kTiledPhase + heights[DeviceLevels::tiled];
  return levels;
}

}  // namespace kauri::symbolic
