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
#include "symbolic/front_tasks.hpp"
#include "symbolic/small_layout.hpp"

namespace kauri::symbolic {
namespace {

constexpr Offset kAlignment = 16;  // entries: 128 bytes of doubles

Offset aligned(Offset entries) { return (entries + kAlignment - 1) / kAlignment * kAlignment; }

/// Levels of the fronts: small ones with nothing but small ones below them, then all others.
struct Levels {
  std::vector<Index> of;
  std::vector<bool> tiled;
  Index small = 0;  // levels without tiled fronts
  Index count = 0;
};

Levels find_levels(const Supernodes& nodes) {
  const std::size_t count = nodes.parent.size();
  Levels levels{std::vector<Index>(count, 0), std::vector<bool>(count, false), 0, 0};
  for (Index s = 0; s < nodes.count(); ++s) {
    if (nodes.order(s) > DeviceSchedule::kSmall) levels.tiled[s] = true;
    const Index parent = nodes.parent[s];
    if (!levels.tiled[s]) levels.small = std::max(levels.small, levels.of[s] + 1);
    if (parent == kNone) continue;
    if (levels.tiled[s] && !levels.tiled[parent]) levels.tiled[parent] = true, levels.of[parent] = 0;
    const bool alike = nodes.order(parent) <= DeviceSchedule::kSmall && !levels.tiled[parent];
    if (levels.tiled[s] || alike) levels.of[parent] = std::max(levels.of[parent], levels.of[s] + 1);
  }
  for (std::size_t s = 0; s < count; ++s) {
    if (levels.tiled[s]) levels.of[s] += levels.small;
    levels.count = std::max(levels.count, levels.of[s] + 1);
  }
  return levels;
}

/// Free stretches by their beginning, each with the last level at which any of it was used.
class Gaps {
 public:
  struct Stretch {
    Offset size;
    Index used;
  };
  /// The lowest place for `size` > 0 entries, and the last level at which it was used (-1: never); the end of all memory grows if there is
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

/// Something that lives from level `born` to level `dies`, both included.
struct Lodger {
  Index born, dies;
  Offset size;
  Offset at = 0;
  Index used = -1;  // last level at which any of its place was used before
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
  std::multimap<Index, std::size_t> dying;  // by level
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

/// size[s] entries live from the level of front s to that of its parent; nothing does where the size is 0.
template <class Alone>
Lodgings lodge(std::span<const Offset> size, std::span<const Index> level, std::span<const Index> parent, const Alone& alone) {
  Lodgings out;
  out.of.resize(size.size());
  out.offset.resize(size.size());
  std::map<std::pair<Index, Index>, std::size_t> shared;
  for (std::size_t s = 0; s < size.size(); ++s) {
    if (size[s] == 0) continue;
    const std::pair life(level[s], level[parent[s]]);
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
  out.small_levels = levels.small;
  out.front.resize(levels.of.size());
  std::iota(out.front.begin(), out.front.end(), 0);
  const auto key = [&](Index s) {
    return std::tuple(levels.of[s], levels.tiled[s] ? -tiles_for(cells_for(nodes.pivots(s))) : nodes.order(s), s);
  };
  std::sort(out.front.begin(), out.front.end(), [&](Index a, Index b) { return key(a) < key(b); });
  out.tiled.assign(out.front.size(), kNone);
  Index first = 0, tiled = 0;
  for (Index l = 0; l < levels.count; ++l) {
    Index end = first;
    while (end < nodes.count() && levels.of[out.front[end]] == l) ++end;
    if (l < levels.small)
      out.level.push_back(small_level(nodes, first, end - first, out));
    else
      for (Index k = first; k < end; ++k) out.tiled[out.front[k]] = tiled++;
    if (l >= levels.small) out.level.push_back(tiled_level(nodes, first, end - first, out));
    first = end;
  }
}

/// Places of L from the beginning, level by level. Returns where each level ends.
std::vector<Offset> place_panels(const Supernodes& nodes, const Levels& levels, DeviceSchedule& out) {
  std::vector<Offset> end(static_cast<std::size_t>(levels.count), 0);
  out.panel.resize(levels.of.size());
  Offset next = 0;
  for (const Index s : out.front) {
    const FrontCells cells{nodes.order(s), nodes.pivots(s)};
    const Offset size = levels.tiled[s] ? cells.panel().entries() + cells.solve_entries() : SmallLayout{cells.m, cells.p}.entries();
    out.panel[s] = next;
    next = checked_add(next, aligned(size), "entries of L");
    end[levels.of[s]] = next;
  }
  out.factor_entries = next;
  return end;
}

/// Per level: how far the blocks that are there reach from the end of the array, and how far those reach that die.
struct Reach {
  std::vector<Offset> there, dying;
};

Reach reach_of(const std::vector<Lodger>& blocks, Index levels) {
  Reach reach{std::vector<Offset>(static_cast<std::size_t>(levels), 0), std::vector<Offset>(static_cast<std::size_t>(levels), 0)};
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
  for (Index l = 0; l < levels; ++l) {
    for (; birth != births.end() && birth->first == l; ++birth) tops.insert(birth->second);
    reach.there[l] = tops.empty() ? 0 : *tops.rbegin();
    for (auto [death, last] = deaths.equal_range(l); death != last; ++death) tops.erase(tops.find(death->second));
  }
  return reach;
}

/// How many levels of tiled fronts must be done before one of `level` writes a panel that ends before `end`.
Index panel_reuse(const Reach& reach, Index level, Offset end, const DeviceSchedule& out) {
  for (Index d = level - 1; d >= out.small_levels; --d)
    if (reach.dying[d] > out.entries - end) return d + 1 - out.small_levels;
  return 0;
}

void place_numbers(const Supernodes& nodes, const Levels& levels, DeviceSchedule& out) {
  const std::vector<Offset> panel_end = place_panels(nodes, levels, out);
  std::vector<Offset> size(levels.of.size());
  for (Index s = 0; s < nodes.count(); ++s) {
    const FrontCells cells{nodes.order(s), nodes.pivots(s)};
    size[s] = aligned(levels.tiled[s] ? cells.block().entries() : SmallLayout{cells.m, cells.p}.block_entries());
  }
  const Lodgings blocks = lodge(size, levels.of, nodes.parent, [&](std::size_t s) { return levels.tiled[s]; });
  const Reach reach = reach_of(blocks.lodger, levels.count);
  out.entries = out.factor_entries;
  for (Index l = 0; l < levels.count; ++l)
    out.entries = std::max(out.entries, checked_add(panel_end[l], reach.there[l], "entries of device memory"));
  out.block.assign(levels.of.size(), -1);
  for (const Index s : out.front) {
    const bool block = size[s] > 0;
    if (block) out.block[s] = out.entries - blocks.lodger[blocks.of[s]].at - blocks.offset[s] - size[s];
    if (!levels.tiled[s]) continue;
    out.block_reuses.push_back(block ? std::max(blocks.lodger[blocks.of[s]].used + 1 - levels.small, Index{0}) : 0);
    out.panel_reuses.push_back(panel_reuse(reach, levels.of[s], panel_end[levels.of[s]], out));
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

/// Tasks of the tiled fronts, unless one has too many children, or a block too large for the tasks' 32-bit places.
void list_tasks(const Supernodes& nodes, const Assembly& assembly, const Levels& levels, DeviceSchedule& out) {
  std::vector<LevelFront> fronts;
  Offset children = 0, counters = 0;
  for (const Index s : out.front) {
    if (!levels.tiled[s]) continue;
    const FrontCells cells{nodes.order(s), nodes.pivots(s)};
    const auto count = static_cast<Index>(assembly.child_ptr[s + 1] - assembly.child_ptr[s]);
    if (count > DeviceSchedule::kMostChildren || cells.block().entries() > std::numeric_limits<std::uint32_t>::max()) return;
    fronts.push_back({cells, levels.of[s] - levels.small});
    children += count;
    out.row_maps += count * row_map_entries(cells);
    counters += counter_count(cells);
  }
  out.task = factor_tasks(fronts, true, kAhead, kFewestTeams);
  if (out.task.empty()) return;
  const auto tiled = static_cast<Offset>(fronts.size());
  out.task_bytes = tiled * kDeviceTiledBytes + children * kDeviceChildBytes + out.row_maps * Offset{sizeof(Index)} +
                   static_cast<Offset>(out.task.size() * sizeof(DeviceTask)) +
                   (counters + 1 + 2 * Offset{levels.count - levels.small}) * Offset{sizeof(Index)};
}

}  // namespace

bool is_device_target(std::string_view target) { return target.starts_with("sm_"); }

DeviceSchedule make_device_schedule(const Supernodes& nodes, const Assembly& assembly) {
  DeviceSchedule out;
  out.on = true;
  const Levels levels = find_levels(nodes);
  list_levels(nodes, levels, out);
  place_numbers(nodes, levels, out);
  place_updates(nodes, levels, out);
  list_tasks(nodes, assembly, levels, out);
  const auto bytes = [](const auto& array) { return static_cast<Offset>(array.size() * sizeof(array[0])); };
  const Offset n = nodes.first.empty() ? 0 : nodes.first.back();
  // Rows twice, but for the pivots: as they are, and as places in the parent's front. The permutation.
  out.plan_bytes = Offset{nodes.count()} * kDeviceFrontBytes + bytes(assembly.child) + 2 * bytes(nodes.row) - n * Offset{sizeof(Index)} +
                   bytes(assembly.entry_ptr) + bytes(assembly.entry_row) + bytes(assembly.entry_source) + bytes(out.front) +
                   bytes(out.tile_ptr) + n * Offset{sizeof(Index)};
  return out;
}

}  // namespace kauri::symbolic
