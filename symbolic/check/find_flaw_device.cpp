// Checks the validity of a device's schedule: kinds of fronts, levels, lists of tiles, and that no
// place is reused while it holds live data.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "symbolic/check/find_flaw.hpp"
#include "symbolic/device/front_cells.hpp"
#include "symbolic/device/levels.hpp"
#include "symbolic/device/schedule.hpp"
#include "symbolic/device/small_layout.hpp"
#include "symbolic/layout/live_ranges.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::symbolic {
namespace {

using Level = DeviceSchedule::Level;
using TileList = DeviceSchedule::TileList;

Index level_count(const DeviceSchedule& device) { return static_cast<Index>(device.level.size()); }

FrontKind kind_of_level(const DeviceSchedule& device, Index level) {
  return level < device.narrow_levels ? narrow : level < device.small_levels ? small : tiled;
}

std::string flaw_in_lengths(const Plan& plan) {
  const DeviceSchedule& device = plan.internals->device;
  const std::size_t count = plan.supernodes.parent.size();
  for (const std::size_t size : {device.front.size(), device.tiled.size(), device.panel.size(),
                                 device.block.size(), device.inverses.size(), device.update.size()})
    if (size != count) return "a device's arrays of fronts differ in length";
  if (device.narrow_levels < 0 || device.narrow_levels > device.small_levels ||
      device.small_levels > level_count(device))
    return "a device's levels are not narrow ones, small ones, tiled ones";
  Index next = 0, narrow_fronts = 0, small_fronts = 0;
  for (Index l = 0; l < level_count(device); ++l) {
    const Level& level = device.level[l];
    if (level.first != next || level.count <= 0 || level.count > plan.supernodes.count() - next)
      return at("device level", l, "levels do not divide the fronts");
    next += level.count;
    if (kind_of_level(device, l) == narrow) narrow_fronts = next;
    if (kind_of_level(device, l) != tiled) small_fronts = next;
  }
  if (next != plan.supernodes.count()) return "some fronts are of no device level";
  if (device.narrow_fronts != narrow_fronts || device.small_fronts != small_fronts)
    return "narrow or small fronts are miscounted";
  const std::size_t tiled_fronts = count - static_cast<std::size_t>(small_fronts);
  if (device.block_reuses.size() != tiled_fronts || device.panel_reuses.size() != tiled_fronts)
    return "not one wait for memory per tiled front";
  return {};
}

/// Returns the level of each front, or an empty vector if `front` is not a permutation. Requires
/// sound lengths.
std::vector<Index> levels_of(const Plan& plan) {
  std::vector<Index> of(plan.supernodes.parent.size(), kNone);
  for (Index l = 0; l < level_count(plan.internals->device); ++l)
    for (Index k = plan.internals->device.level[l].first;
         k < plan.internals->device.level[l].first + plan.internals->device.level[l].count; ++k) {
      const Index s = plan.internals->device.front[k];
      if (s < 0 || s >= plan.supernodes.count() || of[s] != kNone) return {};
      of[s] = l;
    }
  return of;
}

/// Checks kinds: a front's kind must follow from its size, its number of children and the kinds
/// below it.
std::string flaw_in_kinds(const Plan& plan, const std::vector<Index>& level) {
  const DeviceSchedule& device = plan.internals->device;
  std::vector<FrontKind> least(level.size(), narrow);
  for (Index s = 0; s < plan.supernodes.count(); ++s) {
    const Index m = plan.supernodes.order(s), children = plan.internals->assembly.child_ptr[s + 1] -
                                                         plan.internals->assembly.child_ptr[s];
    if (m > DeviceSchedule::kSmall || children > DeviceSchedule::kMostChildren)
      least[s] = tiled;
    else if (m > DeviceSchedule::kNarrow)
      least[s] = std::max(least[s], small);
    if (kind_of_level(device, level[s]) != least[s])
      return at("supernode", s, "narrow, small or tiled, but in another kind's level");
    const Index parent = plan.supernodes.parent[s];
    if (parent == kNone) continue;
    if (level[parent] <= level[s]) return at("supernode", s, "its parent's level is not higher");
    least[parent] = std::max(least[parent], least[s]);
  }
  for (Index k = 0; k < plan.supernodes.count(); ++k)
    if (device.tiled[device.front[k]] !=
        (k < device.small_fronts ? kNone : k - device.small_fronts))
      return at("supernode", device.front[k], "its position among the tiled fronts is another");
  return {};
}

/// Returns true if `list` counts tiles(s) for each front s of device.front[first .. first + count)
/// in turn.
template <class Tiles>
bool lists(const DeviceSchedule& device, const TileList& list, Index first, Index count,
           const Tiles& tiles) {
  const auto size = static_cast<Offset>(device.tile_ptr.size());
  if (list.first != first || list.count != count || list.at < 0 || list.at >= size ||
      count >= size - list.at)
    return false;
  const Index* ptr = device.tile_ptr.data() + list.at;
  if (ptr[0] != 0 || ptr[count] != list.tiles) return false;
  for (Index k = 0; k < count; ++k)
    if (ptr[k + 1] - ptr[k] != tiles(device.front[first + k])) return false;
  return true;
}

std::string flaw_in_small_level(const Plan& plan, Index l) {
  const Level& level = plan.internals->device.level[l];
  const std::span fronts(plan.internals->device.front.data() + level.first,
                         static_cast<std::size_t>(level.count));
  if (!std::is_sorted(fronts.begin(), fronts.end(), [&](Index a, Index b) {
        return plan.supernodes.order(a) < plan.supernodes.order(b);
      }))
    return at("device level", l, "small fronts are not by order");
  const auto up_to = [&](Index most) {
    return std::count_if(fronts.begin(), fronts.end(),
                         [&](Index s) { return plan.supernodes.order(s) <= most; });
  };
  if (level.small16 != up_to(16) || level.small32 != up_to(32) || level.small != level.count)
    return at("device level", l, "small fronts are miscounted");
  return level.tiles.tiles == 0 && level.steps.empty()
             ? std::string()
             : at("device level", l, "tiles of small fronts");
}

std::string flaw_in_tiled_level(const Plan& plan, Index l) {
  const DeviceSchedule& device = plan.internals->device;
  const Level& level = device.level[l];
  const auto pivot_tiles = [&](Index k) {
    return cells_of(plan, device.front[level.first + k]).pivot_tiles();
  };
  const auto triangle = [](Index t) { return t * (t + 1) / 2; };
  if (level.small != 0 || level.small16 != 0 || level.small32 != 0)
    return at("device level", l, "small fronts among tiled ones");
  for (Index k = 1; k < level.count; ++k)
    if (pivot_tiles(k) > pivot_tiles(k - 1))
      return at("device level", l, "tiled fronts are not those of most pivots first");
  if (!lists(device, level.tiles, level.first, level.count,
             [&](Index s) { return triangle(cells_of(plan, s).row_tiles()); }))
    return at("device level", l, "not all tiles are listed");
  if (static_cast<Index>(level.steps.size()) != pivot_tiles(0))
    return at("device level", l, "not a step per column of pivot tiles");
  Index count = level.count;
  for (Index k = 0; k < pivot_tiles(0); ++k) {
    while (pivot_tiles(count - 1) <= k) --count;
    const auto below = [&](Index s) { return cells_of(plan, s).row_tiles() - k - 1; };
    const DeviceSchedule::Step& step = level.steps[k];
    if (step.k != k || !lists(device, step.panel, level.first, count, below) ||
        !lists(device, step.update, level.first, count,
               [&](Index s) { return triangle(below(s)); }))
      return at("device level", l, "a step does not list its tiles");
  }
  return {};
}

/// Returns the entries that the panel, or the block, of a front takes in the array.
Offset panel_entries(const Plan& plan, Index s) {
  const FrontCells cells = cells_of(plan, s);
  return plan.internals->device.tiled[s] == kNone
             ? SmallLayout{cells.m, cells.p}.panel_storage()
             : cells.panel().entries() + cells.diagonal_entries();
}
Offset block_entries(const Plan& plan, Index s) {
  const FrontCells cells = cells_of(plan, s);
  return plan.internals->device.tiled[s] == kNone ? SmallLayout{cells.m, cells.p}.block_storage()
                                                  : cells.block().entries();
}

/// Checks the contents of the array, phase after phase. Narrow fronts are one phase, small ones
/// another, and each level of tiled fronts is one: fronts of one phase may run at the same time, so
/// the memory that one of them uses is in use for the whole phase.
class ContentsCheck {
 public:
  ContentsCheck(const Plan& plan, const std::vector<Index>& level, Offset end)
      : plan_(plan), level_(level), end_(end) {}

  std::string run() {
    const DeviceSchedule& device = plan_.internals->device;
    auto segment = device.segment.begin();
    for (const Index s : device.front) {
      for (; segment != device.segment.end() && kTiledPhase + segment->level_end <= phase(s);
           ++segment)
        if (std::string flaw = end_segment(*segment); !flaw.empty()) return flaw;
      if (std::string flaw = take_panel(s); !flaw.empty()) return flaw;
      if (std::string flaw = take_block(s); !flaw.empty()) return flaw;
    }
    for (; segment != device.segment.end(); ++segment)
      if (std::string flaw = end_segment(*segment); !flaw.empty()) return flaw;
    return device.segment.empty() ? flaw_in_inverses() : std::string();
  }

 private:
  [[nodiscard]] Index phase(Index s) const {
    const FrontKind kind = kind_of_level(plan_.internals->device, level_[s]);
    return kind == tiled ? kTiledPhase + level_[s] - plan_.internals->device.small_levels : kind;
  }
  /// Returns true if front s waits long enough for a place that was last used in phase `last`.
  /// Fronts that are not tiled always do: launches wait for one another.
  [[nodiscard]] bool waits(const std::vector<Index>& reuses, Index s, Index last) const {
    const Index t = plan_.internals->device.tiled[s];
    return t == kNone || reuses[t] + kTiledPhase > last;
  }
  [[nodiscard]] bool waits_for_itself(const std::vector<Index>& reuses, Index s) const {
    const Index t = plan_.internals->device.tiled[s];
    return t != kNone &&
           (reuses[t] < 0 || reuses[t] > level_[s] - plan_.internals->device.small_levels);
  }

  std::string take_panel(Index s) {
    const Offset begin = plan_.internals->device.panel[s], size = panel_entries(plan_, s);
    if (begin == -1 && plan_.internals->device.tiled[s] == kNone) return take_home(s, size);
    if (begin < 0 || begin > panels_end() - size)
      return at("supernode", s, "its panel is not among the panels");
    if (begin % kAlignment != 0) return at("supernode", s, "its panel is not aligned");
    if (waits_for_itself(plan_.internals->device.panel_reuses, s))
      return at("supernode", s, "its panel waits for its own level, or a later one");
    const Index last = used_.of(begin, begin + size);
    if (last >= phase(s)) return at("supernode", s, "its panel lies where something is alive");
    if (!waits(plan_.internals->device.panel_reuses, s, last))
      return at("supernode", s, "its panel does not wait until its place is free");
    used_.set(begin, begin + size, panel_dies(s));
    return {};
  }

  /// Checks the place of a panel of so many entries in host memory.
  std::string take_home(Index s, Offset entries) {
    const DeviceSchedule& device = plan_.internals->device;
    const Offset home = device.segment.empty() ? -1 : device.host_panel[s];
    if (home < 0 || home + entries > device.host_entries || on_host_.of(home, home + entries) >= 0)
      return at("supernode", s, "its panel has no place of its own in host memory");
    on_host_.set(home, home + entries, 0);
    return {};
  }

  /// Returns the end of the part of the array in which panels lie.
  [[nodiscard]] Offset panels_end() const {
    return plan_.internals->device.segment.empty() ? plan_.internals->device.factor_entries : end_;
  }
  /// Returns the last phase in which the panel of front s is on the device: after all phases if it
  /// stays, or if so few segments follow its own that its place is not used again; else the last
  /// one of the segments that hold it.
  [[nodiscard]] Index panel_dies(Index s) const {
    const DeviceSchedule& device = plan_.internals->device;
    const Index never = kTiledPhase + level_count(device);
    if (device.segment.empty() || device.host_panel[s] < 0) return never;
    const auto own = std::find_if(device.segment.begin(), device.segment.end(), [&](const auto& x) {
      return kTiledPhase + x.level_end > phase(s);
    });
    const auto last = own - device.segment.begin() + device.held_segments - 1;
    return last < static_cast<std::ptrdiff_t>(device.segment.size())
               ? kTiledPhase + device.segment[last].level_end - 1
               : never;
  }

  std::string take_block(Index s) {
    const Offset begin = plan_.internals->device.block[s], size = block_entries(plan_, s);
    if (waits_for_itself(plan_.internals->device.block_reuses, s))
      return at("supernode", s, "its block waits for its own level, or a later one");
    if ((size == 0) != (begin == -1))
      return at("supernode", s, "a place on the device for an empty block, or none for a full one");
    if (size == 0) return {};
    if (begin < 0 || begin > end_ - size)
      return at("supernode", s, "its block leaves the device's array");
    if (begin % kAlignment != 0) return at("supernode", s, "its block is not aligned");
    const Index last = used_.of(begin, begin + size);
    if (last >= phase(s))
      return at("supernode", s, "its block lies where something is alive on the device");
    if (!waits(plan_.internals->device.block_reuses, s, last))
      return at("supernode", s, "its block does not wait until its place is free");
    used_.set(begin, begin + size, phase(plan_.supernodes.parent[s]));
    return {};
  }

  /// Checks what happens when the tasks of a segment have ended: its inverses are made where
  /// nothing is alive in its last phase or later, since panels that were alive before it have left
  /// when it begins, but not those of the segment itself or of segments between, when it ends; and
  /// its panels are copied to their places in host memory.
  std::string end_segment(const DeviceSchedule::Segment& segment) {
    const DeviceSchedule& device = plan_.internals->device;
    Offset copied = 0, there = 0;
    for (const DeviceSchedule::Leaving& panels : segment.leaving) copied += panels.entries;
    for (Index k = 0; k < segment.pivot_tiles.count; ++k) {
      const Index s = device.front[segment.pivot_tiles.first + k];
      const Offset begin = device.inverses[s], size = cells_of(plan_, s).solve_entries();
      if (begin < 0 || begin > end_ - size || begin % kAlignment != 0)
        return at("supernode", s, "its inverses leave the device's array, or are not aligned");
      if (used_.of(begin, begin + size) >= kTiledPhase + segment.level_end - 1)
        return at("supernode", s, "its inverses lie where something is alive on the device");
      used_.set(begin, begin + size, kTiledPhase + level_count(device));
      const Offset home = device.host_panel[s], entries = panel_entries(plan_, s);
      if (home < 0) continue;
      const bool is_copied = std::any_of(
          segment.leaving.begin(), segment.leaving.end(), [&](const DeviceSchedule::Leaving& x) {
            return x.from <= device.panel[s] && device.panel[s] + entries <= x.from + x.entries &&
                   x.to + (device.panel[s] - x.from) == home;
          });
      if (!is_copied) return at("supernode", s, "its panel is not copied to host memory");
      if (std::string flaw = take_home(s, entries); !flaw.empty()) return flaw;
      there += aligned(entries);
    }
    return there == copied ? std::string() : "a segment copies more than its panels";
  }

  /// Checks the places of inverses of a plan without segments, which are made once no blocks are
  /// live.
  [[nodiscard]] std::string flaw_in_inverses() const {
    std::vector<std::pair<Offset, Index>> places;
    for (Index s = 0; s < plan_.supernodes.count(); ++s) {
      const Offset begin = plan_.internals->device.inverses[s];
      if ((plan_.internals->device.tiled[s] == kNone) != (begin == -1))
        return at("supernode", s, "a place for no inverses, or none for some");
      if (begin == -1) continue;
      if (begin < plan_.internals->device.factor_entries ||
          begin > end_ - cells_of(plan_, s).solve_entries())
        return at("supernode", s, "its inverses are not between panels and the array's end");
      if (begin % kAlignment != 0) return at("supernode", s, "its inverses are not aligned");
      places.emplace_back(begin, s);
    }
    std::sort(places.begin(), places.end());
    for (std::size_t k = 1; k < places.size(); ++k)
      if (places[k - 1].first + cells_of(plan_, places[k - 1].second).solve_entries() >
          places[k].first)
        return at("supernode", places[k].second, "its inverses lie among another's");
    return {};
  }

  const Plan& plan_;
  const std::vector<Index>& level_;
  Offset end_;  // end of panels and blocks
  LastUse used_, on_host_;
};

/// Checks that the segments divide the levels of tiled fronts.
std::string flaw_in_segments(const DeviceSchedule& device) {
  if (device.segment.empty()) return {};
  if (device.host_panel.size() != device.front.size())
    return "a device's segments without places in host memory";
  if (device.held_segments < 2) return "a device's segments do not hold panels while they leave";
  Index begin = 0, first = device.small_fronts;
  for (const DeviceSchedule::Segment& segment : device.segment) {
    if (segment.level_end <= begin || segment.level_end > level_count(device) - device.small_levels)
      return "a device's segments are no parts of its levels in turn";
    begin = segment.level_end;
    if (segment.pivot_tiles.first != first)
      return "a segment's list of pivot tiles is not that of its fronts";
    const DeviceSchedule::Level& last = device.level[device.small_levels + begin - 1];
    first = last.first + last.count;
    if (segment.pivot_tiles.first + segment.pivot_tiles.count != first)
      return "a segment's list of pivot tiles is not that of its fronts";
  }
  return begin == level_count(device) - device.small_levels
             ? std::string()
             : "a device's segments do not reach its last level";
}

/// Checks the update rows of a solve that runs level by level.
std::string flaw_in_updates(const Plan& plan, const std::vector<Index>& level) {
  LastUse used;
  for (const Index s : plan.internals->device.front) {
    const Offset begin = plan.internals->device.update[s], size = plan.supernodes.contribution(s);
    if ((size == 0) != (begin == -1))
      return at("supernode", s, "a place for no update rows on the device, or none for some");
    if (size == 0) continue;
    if (begin < 0 || begin > plan.internals->device.update_rows - size)
      return at("supernode", s, "its update rows leave the device's arena");
    if (used.of(begin, begin + size) >= level[s])
      return at("supernode", s, "its update rows lie where others are alive on the device");
    used.set(begin, begin + size, level[plan.supernodes.parent[s]]);
  }
  return {};
}

}  // namespace

std::string flaw_in_device_levels(const Plan& plan) {
  const DeviceSchedule& device = plan.internals->device;
  if (device.on != is_device_target(plan.target))
    return "a device's schedule for a CPU's plan, or none for a device's";
  if (!device.on) return {};
  if (std::string flaw = flaw_in_lengths(plan); !flaw.empty()) return flaw;
  const std::vector<Index> level = levels_of(plan);
  if (level.size() != device.front.size()) return "a front is not in one device level";
  if (std::string flaw = flaw_in_kinds(plan, level); !flaw.empty()) return flaw;
  for (Index l = 0; l < level_count(device); ++l) {
    std::string flaw =
        l < device.small_levels ? flaw_in_small_level(plan, l) : flaw_in_tiled_level(plan, l);
    if (!flaw.empty()) return flaw;
  }
  if (!lists(device, device.pivot_tiles, device.small_fronts,
             plan.supernodes.count() - device.small_fronts,
             [&](Index s) { return cells_of(plan, s).pivot_tiles(); }))
    return "a device's list of pivot tiles is not that of its tiled fronts";
  return {};
}

std::string flaw_in_device_memory(const Plan& plan) {
  const DeviceSchedule& device = plan.internals->device;
  if (!device.on) return {};
  const Offset end = device.sums.place.empty() ? device.entries : device.sums.scratch_begin;
  if (device.factor_entries < 0 || (device.segment.empty() && device.factor_entries > end) ||
      end > device.entries)
    return "panels, blocks and scratch do not fit a device's array";
  if (std::string flaw = flaw_in_segments(device); !flaw.empty()) return flaw;
  const std::vector<Index> level = levels_of(plan);
  if (std::string flaw = ContentsCheck(plan, level, end).run(); !flaw.empty()) return flaw;
  return flaw_in_updates(plan, level);
}

}  // namespace kauri::symbolic
