// Blocks born and dying at the same levels share one stretch of memory; stretches go to the lowest gap.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/device_schedule.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
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

struct Places {
  std::vector<Offset> at;   // -1 where the size is 0
  std::vector<Index> used;  // last level at which the place was used before, or -1
  Offset end = 0;
};

/// Something of size[s] entries lives from the level of front s to that of its parent, both included.
Places place_by_levels(std::span<const Offset> size, std::span<const Index> level, std::span<const Index> parent) {
  std::map<std::pair<Index, Index>, Offset> sums;  // (born, dies) -> entries of all that do
  Places places{std::vector<Offset>(size.size(), -1), std::vector<Index>(size.size(), -1), 0};
  for (std::size_t s = 0; s < size.size(); ++s) {
    if (size[s] == 0) continue;
    Offset& sum = sums[{level[s], level[parent[s]]}];
    places.at[s] = sum;
    sum = checked_add(sum, size[s], "entries of device memory");
  }
  Gaps gaps;
  std::map<std::pair<Index, Index>, std::pair<Offset, Index>> begins;
  std::multimap<Index, std::pair<Offset, Offset>> dying;  // level -> stretch
  for (const auto& [life, sum] : sums) {
    for (; !dying.empty() && dying.begin()->first < life.first; dying.erase(dying.begin()))
      gaps.give(dying.begin()->second.first, dying.begin()->second.second, dying.begin()->first);
    const auto found = gaps.take(sum);
    begins[life] = found;
    dying.emplace(life.second, std::pair(found.first, sum));
  }
  for (std::size_t s = 0; s < size.size(); ++s) {
    if (size[s] == 0) continue;
    const auto& [begin, used] = begins[{level[s], level[parent[s]]}];
    places.at[s] += begin;
    places.used[s] = used;
  }
  places.end = gaps.end();
  return places;
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

/// Places of L: those of tiled fronts last, so that they can be cleared at once.
void place_panels(const Supernodes& nodes, const Levels& levels, DeviceSchedule& out) {
  out.panel.assign(levels.of.size() + 1, 0);
  Offset end = 0;
  const auto place = [&](bool tiled, auto size) {
    for (Index s = 0; s < nodes.count(); ++s) {
      if (levels.tiled[s] != tiled) continue;
      out.panel[s] = end;
      end = checked_add(end, aligned(size(s)), "entries of L");
    }
  };
  place(false, [&](Index s) { return SmallLayout{nodes.order(s), nodes.pivots(s)}.entries(); });
  out.tiled_panels = end;
  place(true, [&](Index s) {
    const FrontCells cells{nodes.order(s), nodes.pivots(s)};
    return cells.panel().entries() + cells.solve_entries();
  });
  out.panel.back() = end;
}

void place_blocks(const Supernodes& nodes, const Levels& levels, DeviceSchedule& out) {
  std::vector<Offset> block(levels.of.size()), update(levels.of.size());
  for (Index s = 0; s < nodes.count(); ++s) {
    const Index m = nodes.order(s), p = nodes.pivots(s);
    block[s] = aligned(levels.tiled[s] ? FrontCells{m, p}.block().entries() : SmallLayout{m, p}.block_entries());
    update[s] = m - p;
  }
  Places blocks = place_by_levels(block, levels.of, nodes.parent), updates = place_by_levels(update, levels.of, nodes.parent);
  for (const Index s : out.front)
    if (levels.tiled[s]) out.reuses.push_back(std::max(blocks.used[s] + 1 - levels.small, Index{0}));
  out.block = std::move(blocks.at);
  out.stack_entries = blocks.end;
  out.update = std::move(updates.at);
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
  out.task = factor_tasks(fronts, kAhead, kFewestTeams);
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
  const Levels levels = find_levels(nodes);
  list_levels(nodes, levels, out);
  place_panels(nodes, levels, out);
  place_blocks(nodes, levels, out);
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
