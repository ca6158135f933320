// Places the fronts of a device's schedule.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/layout/layout.hpp"

#include "symbolic/device/cost.hpp"
#include "symbolic/layout/places.hpp"

namespace kauri::symbolic {

Offset device_entries(const Supernodes& nodes, const DeviceLevels& levels) {
  DeviceSchedule out;
  list_levels(nodes, levels, out);
  place_numbers(nodes, sizes_of(nodes, levels.kind), levels, out);
  return out.entries;
}

DeviceSchedule lay_out_fronts(const Supernodes& nodes, const DeviceLevels& levels,
                              const Segments* cut) {
  DeviceSchedule out;
  out.on = true;
  list_levels(nodes, levels, out);
  const FrontSizes sizes = sizes_of(nodes, levels.kind);
  if (cut) {
    place_in_segments(nodes, sizes, levels, *cut, out);
    list_segment_tiles(nodes, out);
  } else {
    place_numbers(nodes, sizes, levels, out);
  }
  place_updates(nodes, levels, out);
  return out;
}

DeviceSchedule make_device_schedule(const Supernodes& nodes, const Assembly& assembly, Index teams,
                                    Offset most_block) {
  const DeviceLevels levels = find_levels(nodes);
  DeviceSchedule out = lay_out_fronts(nodes, levels);
  add_device_tasks(nodes, assembly, levels, out, teams, most_block);
  out.work = count_device_work(nodes, levels, static_cast<Offset>(assembly.entry_source.size()));
  return out;
}

}  // namespace kauri::symbolic
