// Lists levels, segments and tasks of a device's fronts, and counts bytes.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/device/schedule.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include "base/common/aligned_bytes.hpp"
#include "base/common/checked.hpp"
#include "symbolic/device/child_sums.hpp"
#include "symbolic/device/cost.hpp"
#include "symbolic/device/front_tasks.hpp"
#include "symbolic/device/levels.hpp"
#include "symbolic/device/small_layout.hpp"
#include "symbolic/device/sweep_lists.hpp"

namespace kauri::symbolic {
namespace {

using Level = DeviceSchedule::Level;
using TileList = DeviceSchedule::TileList;

/// Appends prefix sums of tiles(front), for the fronts out.front[first .. first + count), to
/// out.tile_ptr, and returns their TileList.
template <class Tiles>
TileList list_tiles(DeviceSchedule& out, Index first, Index count, const Tiles& tiles) {
  TileList list{first, count, 0, static_cast<Offset>(out.tile_ptr.size())};
  Offset sum = 0;
  out.tile_ptr.push_back(0);
  for (Index k = first; k < first + count; ++k) {
    sum += tiles(out.front[k]);
    if (sum > std::numeric_limits<Index>::max())
      throw Error(ErrorKind::overflow, "more than 2^31 - 1 tiles in one list");
    out.tile_ptr.push_back(static_cast<Index>(sum));
  }
  list.tiles = static_cast<Index>(sum);
  return list;
}

DeviceSchedule::Level small_level(const Supernodes& nodes, Index first, Index count,
                                  const DeviceSchedule& out) {
  DeviceSchedule::Level level;
  level.first = first, level.count = level.small = count;
  const auto up_to = [&](Index largest) {
    const auto begin = out.front.begin() + first;
    return static_cast<Index>(
        std::partition_point(begin, begin + count,
                             [&](Index s) { return nodes.order(s) <= largest; }) -
        begin);
  };
  level.small16 = up_to(16), level.small32 = up_to(32);
  return level;
}

DeviceSchedule::Level tiled_level(const Supernodes& nodes, Index first, Index count,
                                  DeviceSchedule& out) {
  DeviceSchedule::Level level;
  level.first = first, level.count = count;
  const auto cells = [&](Index s) { return FrontCells{nodes.order(s), nodes.pivots(s)}; };
  const auto triangle = [](Offset t) { return t * (t + 1) / 2; };
  level.tiles =
      list_tiles(out, first, count, [&](Index s) { return triangle(cells(s).row_tiles()); });
  for (Index k = 0;; ++k) {
    while (count > 0 && cells(out.front[first + count - 1]).pivot_tiles() <= k) --count;
    if (count == 0) return level;
    const auto below = [&](Index s) { return Offset{cells(s).row_tiles()} - k - 1; };
    const TileList panel = list_tiles(out, first, count, below);
    level.steps.push_back(
        {k, panel, list_tiles(out, first, count, [&](Index s) { return triangle(below(s)); })});
  }
}

/// Sorts values stably by key(value), 0 <= key < keys.
template <class Key>
std::vector<Index> sorted_by(std::span<const Index> values, Index keys, const Key& key) {
  std::vector<Index> next(static_cast<std::size_t>(keys) + 1, 0), out(values.size());
  for (const Index v : values) ++next[key(v) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (const Index v : values) out[next[key(v)]++] = v;
  return out;
}

/// Returns the fronts by level; within a level narrow and small fronts by order, tiled fronts with
/// the most tiles of pivots first.
std::vector<Index> sorted_fronts(const Supernodes& nodes, const DeviceLevels& levels) {
  std::vector<Index> key(levels.of.size()), fronts(levels.of.size());
  std::iota(fronts.begin(), fronts.end(), 0);
  Index most = 0, tiles = 0;
  for (Index s = 0; s < nodes.count(); ++s) {
    key[s] = levels.is_tiled(s) ? tiles_for(cells_for(nodes.pivots(s))) : nodes.order(s);
    Index& bound = levels.is_tiled(s) ? tiles : most;
    bound = std::max(bound, key[s]);
  }
  for (Index s = 0; s < nodes.count(); ++s)
    if (levels.is_tiled(s)) key[s] = tiles - key[s];
  fronts = sorted_by(fronts, std::max(most, tiles) + 1, [&](Index s) { return key[s]; });
  return sorted_by(fronts, levels.begin[3], [&](Index s) { return levels.of[s]; });
}

/// Lists the diagonal tiles of L of the tiled fronts out.front[first .. end).
TileList list_pivot_tiles(const Supernodes& nodes, Index first, Index end, DeviceSchedule& out) {
  return list_tiles(out, first, end - first, [&](Index s) {
    return FrontCells{nodes.order(s), nodes.pivots(s)}.pivot_tiles();
  });
}

/// Returns the bytes of an array on a device.
template <class T, class Allocator>
Offset array_bytes(const std::vector<T, Allocator>& array) {
  return aligned_bytes(static_cast<Offset>(array.size()), Offset{sizeof(T)});
}
Offset index_bytes(Offset count) { return aligned_bytes(count, Offset{sizeof(Index)}); }
Offset sum_bytes(const DeviceSchedule& schedule) {
  const std::vector<Offset>& steps = schedule.sums.step;
  if (steps.empty()) return 0;
  const Offset place = has_short_places(schedule) ? sizeof(std::uint32_t) : sizeof(Offset);
  return array_bytes(steps) +
         aligned_bytes(static_cast<Offset>(schedule.sums.place.size()), place) +
         aligned_bytes(steps.back() * kSumStep, place);
}

Offset tiled_levels(const DeviceSchedule& schedule) {
  return static_cast<Offset>(schedule.level.size()) - schedule.small_levels;
}

/// Returns the number of children whose blocks tiled front s adds tile by tile (pulls), not by
/// lists.
Offset count_pulled(const Supernodes& nodes, const Assembly& assembly, Index s) {
  const Index begin = assembly.child_ptr[s], end = assembly.child_ptr[s + 1];
  return std::count_if(assembly.child.begin() + begin, assembly.child.begin() + end,
                       [&](Index c) { return !is_listed(nodes, assembly, s, c); });
}

/// Returns the first tiled front whose block has more than `most` entries, or kNone.
Index front_with_larger_block(const Supernodes& nodes, const DeviceSchedule& schedule,
                              Offset most) {
  const auto fronts = tiled_fronts(schedule);
  const auto found = std::find_if(fronts.begin(), fronts.end(), [&](Index s) {
    return FrontCells{nodes.order(s), nodes.pivots(s)}.block().entries() > most;
  });
  return found == fronts.end() ? kNone : *found;
}

/// Returns the end of each level's tasks in the list, in which levels ascend.
std::vector<Index> level_ends(const std::vector<DeviceTask>& tasks,
                              const std::vector<LevelFront>& fronts) {
  std::vector<Index> ends(static_cast<std::size_t>(fronts.back().level) + 1, 0);
  for (std::size_t k = 0; k < tasks.size(); ++k)
    ends[fronts[tasks[k].front].level] = static_cast<Index>(k) + 1;
  return ends;
}

/// Lists the tasks of the tiled fronts, unless one has a block of more than most_block entries.
void list_tasks(const Supernodes& nodes, const Assembly& assembly, const DeviceLevels& levels,
                Index teams, Offset most_block, DeviceSchedule& out) {
  std::vector<LevelFront> fronts;
  if (front_with_larger_block(nodes, out, most_block) != kNone) return;
  out.sums.scratch_begin = out.entries;
  for (const Index s : tiled_fronts(out))
    fronts.push_back({{nodes.order(s), nodes.pivots(s)},
                      levels.of[s] - out.small_levels,
                      list_sums(nodes, assembly, s, out)});
  out.sums.step = sum_steps(out.sums);
  if (fronts.empty()) return;
  out.task = factor_tasks(fronts, true, kAhead, teams);
  out.level_end = level_ends(out.task, fronts);
  out.task_teams = teams;
}

/// Returns the stages of sums of each tiled front, as list_sums() returned them, from the tasks
/// that add them up: those of a stage wait for equally many tasks of the front. Empty stages are
/// left out.
std::vector<std::vector<Index>> stages_of(const DeviceSchedule& schedule) {
  std::vector<std::vector<Index>> stages(tiled_fronts(schedule).size());
  std::vector<Index> ready(stages.size(), kNone), end(stages.size(), 0);
  for (const DeviceTask& task : schedule.task) {
    if (task.kind != DeviceTask::Kind::sum) continue;
    const auto front = static_cast<std::size_t>(task.front);
    if (ready[front] != task.column) stages[front].push_back(task.row);
    ready[front] = task.column, end[front] = task.row + task.rows;
  }
  for (std::size_t front = 0; front < stages.size(); ++front)
    if (!stages[front].empty()) stages[front].push_back(end[front]);
  return stages;
}

/// Returns a bound on the tasks of a tiled front of t tiles along a side. A task takes two tiles of
/// L or of the block, or fills eight tiles; there are at most t preparations, one chain, and in
/// each column one more task if tiles are left over.
Offset most_tasks(Offset t) { return t * t / 4 + t * t / 16 + 4 * t + 1; }

}  // namespace

Offset most_list_bytes(const FrontTree& fronts) {
  constexpr Offset kTask = 2 * sizeof(DeviceTask);  // arrays grow by copies of twice the size
  constexpr Offset kStep = 2 * sizeof(DeviceSchedule::Step) + 4 * sizeof(Index);
  constexpr Offset kTerm =
      5 * sizeof(Offset);  // a place; in the worst case each term is a sum by itself
  const std::vector<Index> kinds = kinds_of(fronts), children = child_counts(fronts.parent);
  Offset bytes = 0;
  const auto add = [&](Offset count, Offset each) {
    bytes = checked_add(bytes, checked_mul(count, each, "bytes of tasks"), "bytes of tasks");
  };
  for (Index s = 0; s < fronts.count(); ++s) {
    if (kinds[s] == tiled) {
      const FrontCells cells{fronts.order[s], fronts.pivots[s]};
      add(most_tasks(cells.row_tiles()), kTask);
      add(cells.pivot_tiles(), kStep);
    }
    const Index parent = fronts.parent[s];
    const Offset q = fronts.contribution(s);
    if (parent != kNone && kinds[parent] == tiled &&
        is_listed(children[parent], fronts.contribution(s)))
      add(q * (q + 1) / 2, kTerm);
  }
  return bytes;
}

void list_levels(const Supernodes& nodes, const DeviceLevels& levels, DeviceSchedule& out) {
  out.narrow_levels = levels.begin[small];
  out.small_levels = levels.begin[tiled];
  out.front = sorted_fronts(nodes, levels);
  out.tiled.assign(out.front.size(), kNone);
  for (Index l = 0, first = 0, end = 0; l < levels.begin[3]; ++l, first = end) {
    while (end < nodes.count() && levels.of[out.front[end]] == l) ++end;
    if (l < out.narrow_levels) out.narrow_fronts = end;
    if (l < out.small_levels) out.small_fronts = end;
    for (Index k = first; l >= out.small_levels && k < end; ++k)
      out.tiled[out.front[k]] = k - out.small_fronts;
    out.level.push_back(l < out.small_levels ? small_level(nodes, first, end - first, out)
                                             : tiled_level(nodes, first, end - first, out));
  }
  out.pivot_tiles = list_pivot_tiles(nodes, out.small_fronts, nodes.count(), out);
}

void list_segment_tiles(const Supernodes& nodes, DeviceSchedule& out) {
  Index first = out.small_fronts;
  for (DeviceSchedule::Segment& segment : out.segment) {
    const Level& last = out.level[out.small_levels + segment.level_end - 1];
    segment.pivot_tiles = list_pivot_tiles(nodes, first, last.first + last.count, out);
    first = last.first + last.count;
  }
}

bool is_device_target(std::string_view target) { return target.starts_with("sm_"); }

std::string too_large_block(const Supernodes& nodes, const DeviceSchedule& schedule, Offset most) {
  if (!schedule.on) return {};
  const Index s = front_with_larger_block(nodes, schedule, most);
  if (s == kNone) return {};
  const FrontCells cells{nodes.order(s), nodes.pivots(s)};
  return "the contribution block of front " + std::to_string(s) + " has " +
         std::to_string(cells.m - cells.p) + " rows and " +
         std::to_string(cells.block().entries()) + " entries in cells, more than the " +
         std::to_string(most) +
         " that tasks have places for: a device does all fronts of more than " +
         std::to_string(DeviceSchedule::kSmall) +
         " rows level by level, some ten times slower, and solves without sweeps";
}

void add_device_tasks(const Supernodes& nodes, const Assembly& assembly, const DeviceLevels& levels,
                      DeviceSchedule& out, Index teams, Offset most_block) {
  list_tasks(nodes, assembly, levels, teams, most_block, out);
  out.row_maps = count_row_maps(nodes, assembly, out);
  out.shared_bytes = count_shared_bytes(nodes, assembly, out);
  out.task_bytes = count_task_bytes(nodes, assembly, out);
  out.fast_bytes = count_fast_bytes(out);
  out.plan_bytes = count_plan_bytes(nodes, assembly, out);
  out.sweeps = count_sweeps(nodes, assembly, out);
}

std::vector<DeviceTask> tasks_for_teams(const Supernodes& nodes, const DeviceSchedule& schedule,
                                        Index teams) {
  if (schedule.task.empty()) return {};
  std::vector<std::vector<Index>> stages = stages_of(schedule);
  std::vector<LevelFront> fronts;
  const std::span levels =
      std::span(schedule.level).subspan(static_cast<std::size_t>(schedule.small_levels));
  for (std::size_t l = 0; l < levels.size(); ++l)
    for (Index k = 0; k < levels[l].count; ++k) {
      const std::size_t t = fronts.size();
      const Index s = tiled_fronts(schedule)[t];
      fronts.push_back(
          {{nodes.order(s), nodes.pivots(s)}, static_cast<Index>(l), std::move(stages[t])});
    }
  return factor_tasks(fronts, true, kAhead, teams);
}

Offset count_row_maps(const Supernodes& nodes, const Assembly& assembly,
                      const DeviceSchedule& schedule) {
  Offset maps = 0;
  if (schedule.task.empty()) return maps;
  for (const Index s : tiled_fronts(schedule))
    maps += count_pulled(nodes, assembly, s) * row_map_words({nodes.order(s), nodes.pivots(s)});
  return maps;
}

Offset count_shared_bytes(const Supernodes& nodes, const Assembly& assembly,
                          const DeviceSchedule& schedule) {
  if (schedule.task.empty()) return 0;
  const auto fronts = tiled_fronts(schedule);
  Offset pulled = 0;
  for (const Index s : fronts) pulled += count_pulled(nodes, assembly, s);
  return aligned_bytes(static_cast<Offset>(fronts.size()), kDeviceTiledPlanBytes) +
         aligned_bytes(pulled, kDevicePulledBytes) +
         aligned_bytes(schedule.row_maps, Offset{sizeof(RowMapWord)}) + array_bytes(schedule.task) +
         index_bytes(tiled_levels(schedule)) + sum_bytes(schedule);
}

Offset count_task_bytes(const Supernodes& nodes, const Assembly& assembly,
                        const DeviceSchedule& schedule) {
  if (schedule.task.empty()) return 0;
  const auto fronts = tiled_fronts(schedule);
  Offset pulled = 0, counters = 0;
  for (const Index s : fronts) {
    pulled += count_pulled(nodes, assembly, s);
    counters += counter_count({nodes.order(s), nodes.pivots(s)});
  }
  return schedule.shared_bytes +
         aligned_bytes(static_cast<Offset>(fronts.size()), kDeviceTiledBytes) +
         aligned_bytes(pulled, kDeviceChildBytes) +
         index_bytes(counters + tiled_levels(schedule) + 2);
}

Offset count_fast_bytes(const DeviceSchedule& schedule) {
  return schedule.task_bytes + aligned_bytes(schedule.small_fronts, kDeviceSmallBytes) +
         index_bytes(Offset{schedule.small_fronts} + 2);
}

Offset count_plan_bytes(const Supernodes& nodes, const Assembly& assembly,
                        const DeviceSchedule& schedule) {
  const Offset n = nodes.first.empty() ? 0 : nodes.first.back();
  // Terms that are no arrays of `assembly` or `schedule`: records of fronts; the rows of fronts;
  // those below the pivots as places in the parent's front; beginnings of columns; the permutation.
  return aligned_bytes(nodes.count(), kDeviceFrontBytes) + array_bytes(assembly.child) +
         array_bytes(nodes.row) + index_bytes(static_cast<Offset>(nodes.row.size()) - n) +
         aligned_bytes(n + 1, Offset{sizeof(std::uint32_t)}) + array_bytes(assembly.entry_row) +
         array_bytes(assembly.entry_source) + array_bytes(schedule.front) +
         array_bytes(schedule.tile_ptr) + array_bytes(schedule.host_panel) + index_bytes(n);
}

}  // namespace kauri::symbolic
