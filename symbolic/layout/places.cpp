// Places what lives on a device. Blocks of narrow and small fronts with one live range share one
// interval.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/layout/places.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/common/checked.hpp"
#include "symbolic/device/front_cells.hpp"
#include "symbolic/layout/live_ranges.hpp"

namespace kauri::symbolic {
namespace {

/// Places of fronts in live blocks: a live block is one front, or all fronts with one live range.
struct FrontPlaces {
  std::vector<LiveBlock> live;
  std::vector<std::size_t> of;  // per front: index of its live block
  std::vector<Offset> offset;   // per front: offset in its live block
};

/// Lists live blocks of size[s] entries that live from the phase of front s to that of its parent,
/// without places; a front with size[s] = 0 has none. alone(s): true if front s gets a separate
/// live block.
template <class Alone>
FrontPlaces list_lives(std::span<const Offset> size, std::span<const Index> phase,
                       std::span<const Index> parent, const Alone& alone) {
  FrontPlaces out;
  out.of.resize(size.size());
  out.offset.resize(size.size());
  std::map<std::pair<Index, Index>, std::size_t> shared;
  for (std::size_t s = 0; s < size.size(); ++s) {
    if (size[s] == 0) continue;
    const std::pair life(phase[s], phase[parent[s]]);
    std::size_t place = out.live.size();
    if (!alone(s)) place = shared.try_emplace(life, place).first->second;
    if (place == out.live.size()) out.live.push_back({life.first, life.second, 0});
    Offset& sum = out.live[place].size;
    out.of[s] = place;
    out.offset[s] = sum;
    sum = checked_add(sum, size[s], "entries of device memory");
  }
  return out;
}

/// Returns the number of levels of tiled fronts that must be done before a place is reused whose
/// last use was in `phase`.
Index levels_to(Index phase) { return std::max(phase + 1 - kTiledPhase, Index{0}); }

/// Places panels from the beginning of the array, phase by phase. Returns the end of the panels of
/// each phase.
std::vector<Offset> place_panels(const FrontSizes& sizes, const DeviceLevels& levels,
                                 DeviceSchedule& out) {
  std::vector<Offset> end(static_cast<std::size_t>(levels.phases), 0);
  out.panel.resize(levels.of.size());
  Offset next = 0;
  for (const Index s : out.front) {
    out.panel[s] = next;
    next = checked_add(next, sizes.panel[s], "entries of L");
    end[levels.phase[s]] = next;
  }
  for (Index f = 1; f < levels.phases; ++f) end[f] = std::max(end[f], end[f - 1]);
  out.factor_entries = next;
  return end;
}

/// Returns for each block the last phase in which any part of its place was in use before, and the
/// last use of all places.
std::pair<std::vector<Index>, LastUse> last_uses(const std::vector<LiveBlock>& blocks) {
  std::vector<std::size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return blocks[a].born < blocks[b].born; });
  std::pair<std::vector<Index>, LastUse> out{std::vector<Index>(blocks.size()), {}};
  for (const std::size_t k : order) {
    const Offset begin = blocks[k].at, end = begin + blocks[k].size;
    out.first[k] = out.second.of(begin, end);
    out.second.set(begin, end, blocks[k].dies);
  }
  return out;
}

/// Places the inverses and products that solves multiply by, behind the end of L, where blocks
/// were. Returns their end.
Offset place_inverses(const Supernodes& nodes, const DeviceLevels& levels, DeviceSchedule& out) {
  out.inverses.assign(levels.of.size(), -1);
  const std::vector<Offset> entries = inverse_entries(nodes, levels);
  Offset next = out.factor_entries;
  for (const Index s : out.front) {
    if (!levels.is_tiled(s)) continue;
    out.inverses[s] = next;
    next = checked_add(next, entries[s], "entries of device memory");
  }
  return next;
}

/// Returns, for each phase, the segment that it belongs to.
std::vector<Index> segments_of(const Segments& cut, Index phases) {
  std::vector<Index> of(static_cast<std::size_t>(phases), 0);
  for (Index f = kTiledPhase, k = 0; f < phases; ++f) {
    if (f == cut.end[k]) ++k;
    of[f] = k;
  }
  return of;
}

/// Live blocks of a factorisation by segments: contribution blocks, then the panels of narrow and
/// small fronts together, then those of each phase of tiled fronts, then the inverses of each
/// segment.
struct Lives {
  FrontPlaces blocks;
  std::size_t panels;    // index in blocks.live of the panels of narrow and small fronts; those of
                         // phase f have index panels + 1 + f - kTiledPhase
  std::size_t inverses;  // index of the inverses of the first segment
};

/// Lists all that lives. The panels of a phase that leaves live until the last segment that holds
/// them ends. Inverses are made when their segment has ended, before the next one waits for panels
/// to leave, so that they live from its last phase on.
Lives list_all_lives(const Supernodes& nodes, const FrontSizes& sizes, const DeviceLevels& levels,
                     const Segments& cut, std::span<const Offset> inverses) {
  const std::vector<Index> segment = segments_of(cut, levels.phases);
  Lives out{list_lives(sizes.block, levels.phase, nodes.parent,
                       [&](std::size_t s) { return levels.is_tiled(s); }),
            0, 0};
  std::vector<LiveBlock>& live = out.blocks.live;
  const auto add = [](Offset& sum, Offset entries) {
    sum = checked_add(sum, entries, "entries of device memory");
  };
  out.panels = live.size();
  live.push_back({0, levels.phases, kAlignment});  // not empty, even if no front is small
  for (Index f = kTiledPhase; f < levels.phases; ++f) {
    const auto last = static_cast<std::size_t>(segment[f] + cut.depth - 1);
    const bool gives_way = f < cut.resident && last < cut.count();
    live.push_back({f, gives_way ? cut.end[last] - 1 : levels.phases, 0});
  }
  out.inverses = live.size();
  for (const Index end : cut.end) live.push_back({end - 1, levels.phases, 0});
  for (Index s = 0; s < nodes.count(); ++s) {
    const bool is_tiled = levels.is_tiled(s);
    if (!is_tiled && cut.small_leave) continue;
    const Index f = levels.phase[s];
    add(live[out.panels + (is_tiled ? f - kTiledPhase + 1 : 0)].size, sizes.panel[s]);
    if (is_tiled) add(live[out.inverses + segment[f]].size, inverses[s]);
  }
  return out;
}

/// Sets out.segment, without tiles of pivots, and the places of panels in host memory.
void place_on_host(const FrontSizes& sizes, const DeviceLevels& levels, const Segments& cut,
                   DeviceSchedule& out) {
  out.segment.assign(cut.end.size(), {});
  out.held_segments = cut.depth;
  for (std::size_t k = 0; k < cut.end.size(); ++k)
    out.segment[k].level_end = cut.end[k] - kTiledPhase;
  out.host_panel.assign(levels.of.size(), -1);
  out.host_entries = 0;
  const auto give = [&](Index s) {
    out.host_panel[s] = out.host_entries;
    out.host_entries = checked_add(out.host_entries, sizes.panel[s], "entries of host memory");
  };
  for (Index at = 0; cut.small_leave && at < out.small_fronts; ++at) give(out.front[at]);
  std::size_t k = 0;
  for (Index at = out.small_fronts; at < static_cast<Index>(out.front.size()); ++at) {
    const Index s = out.front[at], f = levels.phase[s];
    if (f >= cut.resident) return;
    while (f >= cut.end[k]) ++k;
    std::vector<DeviceSchedule::Leaving>& leaving = out.segment[k].leaving;
    if (at == out.small_fronts || levels.phase[out.front[at - 1]] != f)
      leaving.push_back({out.panel[s], out.host_entries, 0});
    leaving.back().entries += sizes.panel[s];
    give(s);
  }
}

}  // namespace

std::vector<Offset> inverse_entries(const Supernodes& nodes, const DeviceLevels& levels) {
  std::vector<Offset> entries(levels.of.size(), 0);
  for (Index s = 0; s < nodes.count(); ++s)
    if (levels.is_tiled(s))
      entries[s] = FrontCells{nodes.order(s), nodes.pivots(s)}.solve_entries();
  return entries;
}

void place_numbers(const Supernodes& nodes, const FrontSizes& sizes, const DeviceLevels& levels,
                   DeviceSchedule& out) {
  const std::vector<Offset> panel_end = place_panels(sizes, levels, out);
  FrontPlaces blocks = list_lives(sizes.block, levels.phase, nodes.parent,
                                  [&](std::size_t s) { return levels.is_tiled(s); });
  allocate_offsets(blocks.live, panel_end);
  const std::vector<Offset> reach = reach_of(blocks.live, levels.phases);
  const auto [before, last] = last_uses(blocks.live);
  out.entries = place_inverses(nodes, levels, out);
  for (Index f = 0; f < levels.phases; ++f)
    out.entries =
        std::max(out.entries, checked_add(panel_end[f], reach[f], "entries of device memory"));
  out.block.assign(levels.of.size(), -1);
  for (const Index s : out.front) {
    const bool block = sizes.block[s] > 0;
    if (block)
      out.block[s] = out.entries - blocks.live[blocks.of[s]].at - blocks.offset[s] - sizes.block[s];
    if (!levels.is_tiled(s)) continue;
    // All blocks that ever lie in the panel's place are born before the panel: blocks that are live
    // with it or later do not reach so far.
    const Offset panel = out.entries - out.panel[s];
    out.block_reuses.push_back(block ? levels_to(before[blocks.of[s]]) : 0);
    out.panel_reuses.push_back(levels_to(last.of(panel - sizes.panel[s], panel)));
  }
}

void place_in_segments(const Supernodes& nodes, const FrontSizes& sizes, const DeviceLevels& levels,
                       const Segments& cut, DeviceSchedule& out) {
  const std::vector<Offset> inverses = inverse_entries(nodes, levels);
  Lives lives = list_all_lives(nodes, sizes, levels, cut, inverses);
  std::vector<LiveBlock>& live = lives.blocks.live;
  out.entries =
      allocate_offsets(live, std::vector<Offset>(static_cast<std::size_t>(levels.phases) + 1, 0));
  out.panel.assign(levels.of.size(), -1);
  out.block.assign(levels.of.size(), -1);
  out.inverses.assign(levels.of.size(), -1);
  out.factor_entries = 0;
  const std::vector<Index> segment = segments_of(cut, levels.phases);
  std::vector<Offset> filled(live.size(), 0);
  const auto take = [&](std::size_t k, Offset entries) {
    return live[k].at + std::exchange(filled[k], filled[k] + entries);
  };
  LastUse used;
  const auto use = [&](Offset begin, Offset entries, Index dies) {
    const Index last = used.of(begin, begin + entries);
    used.set(begin, begin + entries, dies);
    return levels_to(last);
  };
  for (const Index s : out.front) {
    const bool is_tiled = levels.is_tiled(s);
    const Index f = levels.phase[s];
    const std::size_t panels = lives.panels + (is_tiled ? f - kTiledPhase + 1 : 0);
    Index panel_reuses = 0;
    out.factor_entries = checked_add(out.factor_entries, sizes.panel[s], "entries of L");
    if (is_tiled || !cut.small_leave) {
      out.panel[s] = take(panels, sizes.panel[s]);
      panel_reuses = use(out.panel[s], sizes.panel[s], live[panels].dies);
    }
    Index block_reuses = 0;
    if (sizes.block[s] > 0) {
      out.block[s] = live[lives.blocks.of[s]].at + lives.blocks.offset[s];
      block_reuses = use(out.block[s], sizes.block[s], levels.phase[nodes.parent[s]]);
    }
    if (!is_tiled) continue;
    out.inverses[s] = take(lives.inverses + segment[f], inverses[s]);
    out.panel_reuses.push_back(panel_reuses);
    out.block_reuses.push_back(block_reuses);
  }
  place_on_host(sizes, levels, cut, out);
}

void place_updates(const Supernodes& nodes, const DeviceLevels& levels, DeviceSchedule& out) {
  std::vector<Offset> size(levels.of.size());
  for (Index s = 0; s < nodes.count(); ++s) size[s] = nodes.contribution(s);
  FrontPlaces updates =
      list_lives(size, levels.of, nodes.parent, [](std::size_t) { return false; });
  out.update_rows = allocate_offsets(updates.live);
  out.update.assign(levels.of.size(), -1);
  for (std::size_t s = 0; s < size.size(); ++s)
    if (size[s] > 0) out.update[s] = updates.live[updates.of[s]].at + updates.offset[s];
}

}  // namespace kauri::symbolic
