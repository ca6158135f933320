// Blocks take the nearest gap from the end of memory; small fronts' blocks that are born and die at the same levels share one stretch.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/device_schedule.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "symbolic/checked.hpp"
#include "symbolic/child_sums.hpp"
#include "symbolic/device_levels.hpp"
#include "symbolic/front_tasks.hpp"
#include "symbolic/small_layout.hpp"

namespace kauri::symbolic {
namespace {

constexpr Offset kAlignment = 16;  // entries: 128 bytes of doubles

Offset aligned(Offset entries) { return (entries + kAlignment - 1) / kAlignment * kAlignment; }

using Levels = DeviceLevels;

inline constexpr Index kTiledPhase = DeviceLevels::kTiledPhase;

/// Free stretches by their beginning, each with the last phase in which any of it was used.
class Gaps {
 public:
  struct Stretch {
    Offset size;
    Index used;
  };
  /// The lowest place for `size` > 0 entries, and the last phase in which it was used (-1: never); the end of all memory grows if there is
  /// none.
  std::pair<Offset, Index> take(Offset size) {
    for (auto gap = free_.begin(); gap != free_.end(); ++gap) {
      if (gap->second.size < size) continue;
      const auto [begin, found] = *gap;
      free_.erase(gap);
      if (found.size > size) free_.emplace(begin + size, Stretch{found.size - size, found.used});
      return {begin, found.used};
    }
    Offset begin = end_;
    Index used = -1;
    if (!free_.empty() && std::prev(free_.end())->first + std::prev(free_.end())->second.size == end_) {
      begin = std::prev(free_.end())->first;
      used = std::prev(free_.end())->second.used;
      free_.erase(std::prev(free_.end()));
    }
    end_ = checked_add(begin, size, "entries of device memory");
    return {begin, used};
  }
  void give(Offset begin, Offset size, Index used) {
    auto next = free_.emplace(begin, Stretch{size, used}).first;
    if (const auto after = std::next(next); after != free_.end() && begin + size == after->first) join(next, after);
    if (next == free_.begin()) return;
    if (const auto before = std::prev(next); before->first + before->second.size == next->first) join(before, next);
  }
  [[nodiscard]] Offset end() const { return end_; }

 private:
  using Place = std::map<Offset, Stretch>::iterator;
  void join(Place left, Place right) {
    left->second = {left->second.size + right->second.size, std::max(left->second.used, right->second.used)};
    free_.erase(right);
  }
  std::map<Offset, Stretch> free_;
  Offset end_ = 0;
};

/// Something that lives from phase `born` to phase `dies`, both included.
struct Lodger {
  Index born, dies;
  Offset size;
  Offset at = 0;
  Index used = -1;  // last phase in which any of its place was used before
};

/// Gives each a place: by birth, who lives longest first. Returns the size of all.
Offset give_places(std::vector<Lodger>& lodgers) {
  std::vector<std::size_t> order(lodgers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const Lodger &x = lodgers[a], &y = lodgers[b];
    return std::tuple(x.born, -x.dies, -x.size, a) < std::tuple(y.born, -y.dies, -y.size, b);
  });
  Gaps gaps;
  std::multimap<Index, std::size_t> dying;  // by phase
  for (const std::size_t k : order) {
    Lodger& lodger = lodgers[k];
    for (; !dying.empty() && dying.begin()->first < lodger.born; dying.erase(dying.begin())) {
      const Lodger& dead = lodgers[dying.begin()->second];
      gaps.give(dead.at, dead.size, dead.dies);
    }
    std::tie(lodger.at, lodger.used) = gaps.take(lodger.size);
    dying.emplace(lodger.dies, k);
  }
  return gaps.end();
}

/// Lodgings of fronts: alone, or together with all others of the same life.
struct Lodgings {
  std::vector<Lodger> lodger;
  std::vector<std::size_t> of;  // per front
  std::vector<Offset> offset;   // per front: in its lodger's place
  Offset end = 0;
};

/// size[s] entries live from the phase of front s to that of its parent; nothing does where the size is 0.
template <class Alone>
Lodgings lodge(std::span<const Offset> size, std::span<const Index> phase, std::span<const Index> parent, const Alone& alone) {
  Lodgings out;
  out.of.resize(size.size());
  out.offset.resize(size.size());
  std::map<std::pair<Index, Index>, std::size_t> shared;
  for (std::size_t s = 0; s < size.size(); ++s) {
    if (size[s] == 0) continue;
    const std::pair life(phase[s], phase[parent[s]]);
    std::size_t place = out.lodger.size();
    if (!alone(s)) place = shared.try_emplace(life, place).first->second;
    if (place == out.lodger.size()) out.lodger.push_back({life.first, life.second, 0});
    Offset& sum = out.lodger[place].size;
    out.of[s] = place;
    out.offset[s] = sum;
    sum = checked_add(sum, size[s], "entries of device memory");
  }
  out.end = give_places(out.lodger);
  return out;
}

using TileList = DeviceSchedule::TileList;

/// Appends prefix sums of tiles(front) over out.front[first .. first + count).
template <class Tiles>
TileList list_tiles(DeviceSchedule& out, Index first, Index count, const Tiles& tiles) {
  TileList list{first, count, 0, static_cast<Offset>(out.tile_ptr.size())};
  Offset sum = 0;
  out.tile_ptr.push_back(0);
  for (Index k = first; k < first + count; ++k) {
    sum += tiles(out.front[k]);
    if (sum > std::numeric_limits<Index>::max()) throw Error(ErrorKind::overflow, "more than 2^31 - 1 tiles in one level");
    out.tile_ptr.push_back(static_cast<Index>(sum));
  }
  list.tiles = static_cast<Index>(sum);
  return list;
}

DeviceSchedule::Level small_level(const Supernodes& nodes, Index first, Index count, const DeviceSchedule& out) {
  DeviceSchedule::Level level;
  level.first = first, level.count = level.small = count;
  const auto up_to = [&](Index largest) {
    const auto begin = out.front.begin() + first;
    return static_cast<Index>(std::partition_point(begin, begin + count, [&](Index s) { return nodes.order(s) <= largest; }) - begin);
  };
  level.small16 = up_to(16), level.small32 = up_to(32);
  return level;
}

DeviceSchedule::Level tiled_level(const Supernodes& nodes, Index first, Index count, DeviceSchedule& out) {
  DeviceSchedule::Level level;
  level.first = first, level.count = count;
  const auto cells = [&](Index s) { return FrontCells{nodes.order(s), nodes.pivots(s)}; };
  const auto triangle = [](Offset t) { return t * (t + 1) / 2; };
  level.tiles = list_tiles(out, first, count, [&](Index s) { return triangle(cells(s).row_tiles()); });
  for (Index k = 0;; ++k) {
    while (count > 0 && cells(out.front[first + count - 1]).pivot_tiles() <= k) --count;
    if (count == 0) return level;
    const auto below = [&](Index s) { return Offset{cells(s).row_tiles()} - k - 1; };
    const TileList panel = list_tiles(out, first, count, below);
    level.steps.push_back({k, panel, list_tiles(out, first, count, [&](Index s) { return triangle(below(s)); })});
  }
}

/// Fronts by level; tiled ones and their positions; what each level does.
void list_levels(const Supernodes& nodes, const Levels& levels, DeviceSchedule& out) {
  out.narrow_levels = levels.begin[Levels::small];
  out.small_levels = levels.begin[Levels::tiled];
  out.front.resize(levels.of.size());
  std::iota(out.front.begin(), out.front.end(), 0);
  const auto key = [&](Index s) {
    return std::tuple(levels.of[s], levels.is_tiled(s) ? -tiles_for(cells_for(nodes.pivots(s))) : nodes.order(s), s);
  };
  std::sort(out.front.begin(), out.front.end(), [&](Index a, Index b) { return key(a) < key(b); });
  out.tiled.assign(out.front.size(), kNone);
  for (Index l = 0, first = 0, end = 0; l < levels.begin[3]; ++l, first = end) {
    while (end < nodes.count() && levels.of[out.front[end]] == l) ++end;
    if (l < out.narrow_levels) out.narrow_fronts = end;
    if (l < out.small_levels) out.small_fronts = end;
    for (Index k = first; l >= out.small_levels && k < end; ++k) out.tiled[out.front[k]] = k - out.small_fronts;
    out.level.push_back(l < out.small_levels ? small_level(nodes, first, end - first, out) : tiled_level(nodes, first, end - first, out));
  }
}

Offset panel_size(const FrontCells& cells, bool is_tiled) {
  return aligned(is_tiled ? cells.panel().entries() + cells.solve_entries() : SmallLayout{cells.m, cells.p}.panel_storage());
}
Offset block_size(const FrontCells& cells, bool is_tiled) {
  return aligned(is_tiled ? cells.block().entries() : SmallLayout{cells.m, cells.p}.block_storage());
}

/// Places of L from the beginning, phase by phase. Returns where each ends.
std::vector<Offset> place_panels(const Supernodes& nodes, const Levels& levels, DeviceSchedule& out) {
  std::vector<Offset> end(static_cast<std::size_t>(levels.phases), 0);
  out.panel.resize(levels.of.size());
  Offset next = 0;
  for (const Index s : out.front) {
    out.panel[s] = next;
    next = checked_add(next, panel_size({nodes.order(s), nodes.pivots(s)}, levels.is_tiled(s)), "entries of L");
    end[levels.phase[s]] = next;
  }
  for (Index f = 1; f < levels.phases; ++f) end[f] = std::max(end[f], end[f - 1]);
  out.factor_entries = next;
  return end;
}

/// Per phase: how far the blocks that are there reach from the end of the array, and how far those reach that die.
struct Reach {
  std::vector<Offset> there, dying;
};

Reach reach_of(const std::vector<Lodger>& blocks, Index phases) {
  Reach reach{std::vector<Offset>(static_cast<std::size_t>(phases), 0), std::vector<Offset>(static_cast<std::size_t>(phases), 0)};
  std::vector<std::pair<Index, Offset>> births;
  std::multimap<Index, Offset> deaths;
  for (const Lodger& block : blocks) {
    births.emplace_back(block.born, block.at + block.size);
    deaths.emplace(block.dies, block.at + block.size);
    reach.dying[block.dies] = std::max(reach.dying[block.dies], block.at + block.size);
  }
  std::sort(births.begin(), births.end());
  std::multiset<Offset> tops;
  auto birth = births.begin();
  for (Index f = 0; f < phases; ++f) {
    for (; birth != births.end() && birth->first == f; ++birth) tops.insert(birth->second);
    reach.there[f] = tops.empty() ? 0 : *tops.rbegin();
    for (auto [death, last] = deaths.equal_range(f); death != last; ++death) tops.erase(tops.find(death->second));
  }
  return reach;
}

/// How many levels of tiled fronts must be done before one of `phase` writes a panel that ends before `end`.
Index panel_reuse(const Reach& reach, Index phase, Offset end, const DeviceSchedule& out) {
  for (Index f = phase - 1; f >= kTiledPhase; --f)
    if (reach.dying[f] > out.entries - end) return f + 1 - kTiledPhase;
  return 0;
}

void place_numbers(const Supernodes& nodes, const Levels& levels, DeviceSchedule& out) {
  const std::vector<Offset> panel_end = place_panels(nodes, levels, out);
  std::vector<Offset> size(levels.of.size());
  for (Index s = 0; s < nodes.count(); ++s) size[s] = block_size({nodes.order(s), nodes.pivots(s)}, levels.is_tiled(s));
  const Lodgings blocks = lodge(size, levels.phase, nodes.parent, [&](std::size_t s) { return levels.is_tiled(s); });
  const Reach reach = reach_of(blocks.lodger, levels.phases);
  out.entries = out.factor_entries;
  for (Index f = 0; f < levels.phases; ++f)
    out.entries = std::max(out.entries, checked_add(panel_end[f], reach.there[f], "entries of device memory"));
  out.block.assign(levels.of.size(), -1);
  for (const Index s : out.front) {
    const bool block = size[s] > 0;
    if (block) out.block[s] = out.entries - blocks.lodger[blocks.of[s]].at - blocks.offset[s] - size[s];
    if (!levels.is_tiled(s)) continue;
    out.block_reuses.push_back(block ? std::max(blocks.lodger[blocks.of[s]].used + 1 - kTiledPhase, Index{0}) : 0);
    out.panel_reuses.push_back(panel_reuse(reach, levels.phase[s], panel_end[levels.phase[s]], out));
  }
}

void place_updates(const Supernodes& nodes, const Levels& levels, DeviceSchedule& out) {
  std::vector<Offset> size(levels.of.size());
  for (Index s = 0; s < nodes.count(); ++s) size[s] = nodes.contribution(s);
  const Lodgings updates = lodge(size, levels.of, nodes.parent, [](std::size_t) { return false; });
  out.update.assign(levels.of.size(), -1);
  for (std::size_t s = 0; s < size.size(); ++s)
    if (size[s] > 0) out.update[s] = updates.lodger[updates.of[s]].at + updates.offset[s];
  out.update_rows = updates.end;
}

/// Bytes of the sums' arrays on a device.
Offset sum_bytes(const DeviceSchedule::Sums& sums) {
  return static_cast<Offset>((sums.ptr.size() + sums.place.size() + sums.term.size()) * sizeof(Offset));
}

/// Tasks of the tiled fronts, unless one has a block too large for the tasks' 32-bit places. Returns the bytes that they need on the
/// device.
Offset list_tasks(const Supernodes& nodes, const Assembly& assembly, const Levels& levels, DeviceSchedule& out) {
  std::vector<LevelFront> fronts;
  Offset pulled = 0, counters = 0, maps = 0;
  const auto tiled_fronts = std::span(out.front).subspan(static_cast<std::size_t>(out.small_fronts));
  for (const Index s : tiled_fronts)
    if (FrontCells{nodes.order(s), nodes.pivots(s)}.block().entries() > std::numeric_limits<std::uint32_t>::max()) return 0;
  out.sums.scratch_begin = out.entries;
  for (const Index s : tiled_fronts) {
    const FrontCells cells{nodes.order(s), nodes.pivots(s)};
    Offset count = 0;
    for (Offset k = assembly.child_ptr[s]; k < assembly.child_ptr[s + 1]; ++k)
      count += is_listed(nodes, assembly, s, assembly.child[k]) ? 0 : 1;
    fronts.push_back({cells, levels.of[s] - out.small_levels, list_sums(nodes, assembly, s, out)});
    pulled += count;
    maps += count * row_map_entries(cells);
    counters += counter_count(cells);
  }
  if (fronts.empty()) return 0;
  out.task = factor_tasks(fronts, true, kAhead, kFewestTeams);
  out.row_maps = maps;
  const Offset tiled_levels = levels.begin[3] - out.small_levels;
  return static_cast<Offset>(fronts.size()) * kDeviceTiledBytes + pulled * kDeviceChildBytes + maps * Offset{sizeof(Index)} +
         static_cast<Offset>(out.task.size() * sizeof(DeviceTask)) + (counters + 1 + 2 * tiled_levels) * Offset{sizeof(Index)} +
         sum_bytes(out.sums);
}

}  // namespace

Offset device_entries(const Supernodes& nodes) {
  DeviceSchedule out;
  const Levels levels = find_device_levels(nodes);
  list_levels(nodes, levels, out);
  place_numbers(nodes, levels, out);
  return out.entries;
}

bool is_device_target(std::string_view target) { return target.starts_with("sm_"); }

DeviceSchedule make_device_schedule(const Supernodes& nodes, const Assembly& assembly) {
  DeviceSchedule out;
  out.on = true;
  const Levels levels = find_device_levels(nodes);
  list_levels(nodes, levels, out);
  place_numbers(nodes, levels, out);
  place_updates(nodes, levels, out);
  out.fast_bytes =
      list_tasks(nodes, assembly, levels, out) + out.small_fronts * (kDeviceSmallBytes + Offset{sizeof(Index)}) + 2 * Offset{sizeof(Index)};
  const auto bytes = [](const auto& array) { return static_cast<Offset>(array.size() * sizeof(array[0])); };
  const Offset n = nodes.first.empty() ? 0 : nodes.first.back();
  // Rows twice, but for the pivots: as they are, and as places in the parent's front. The permutation.
  out.plan_bytes = Offset{nodes.count()} * kDeviceFrontBytes + bytes(assembly.child) + 2 * bytes(nodes.row) - n * Offset{sizeof(Index)} +
                   bytes(assembly.entry_ptr) + bytes(assembly.entry_row) + bytes(assembly.entry_source) + bytes(out.front) +
                   bytes(out.tile_ptr) + n * Offset{sizeof(Index)};
  return out;
}

}  // namespace kauri::symbolic
