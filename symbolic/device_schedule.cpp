// Blocks born and dying at the same levels share one stretch of memory; stretches go to the lowest gap.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/device_schedule.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "symbolic/checked.hpp"
#include "symbolic/tile_layout.hpp"

namespace kauri::symbolic {
namespace {

constexpr Offset kAlignment = 16;  // entries: 128 bytes of doubles

Offset aligned(Offset entries) { return (entries + kAlignment - 1) / kAlignment * kAlignment; }

std::vector<Index> levels_of(std::span<const Index> parent) {
  std::vector<Index> level(parent.size(), 0);
  for (std::size_t s = 0; s < parent.size(); ++s)
    if (parent[s] != kNone) level[parent[s]] = std::max(level[parent[s]], level[s] + 1);
  return level;
}

/// Free stretches by their beginning.
class Gaps {
 public:
  /// The lowest place for `size` > 0 entries; the end of all memory grows if there is none.
  Offset take(Offset size) {
    for (auto gap = free_.begin(); gap != free_.end(); ++gap) {
      if (gap->second < size) continue;
      const auto [begin, length] = *gap;
      free_.erase(gap);
      if (length > size) free_.emplace(begin + size, length - size);
      return begin;
    }
    Offset begin = end_;
    if (!free_.empty() && std::prev(free_.end())->first + std::prev(free_.end())->second == end_) {
      begin = std::prev(free_.end())->first;
      free_.erase(std::prev(free_.end()));
    }
    end_ = checked_add(begin, size, "entries of device memory");
    return begin;
  }
  void give(Offset begin, Offset size) {
    auto next = free_.emplace(begin, size).first;
    if (const auto after = std::next(next); after != free_.end() && begin + size == after->first) {
      next->second += after->second;
      free_.erase(after);
    }
    if (next == free_.begin()) return;
    if (const auto before = std::prev(next); before->first + before->second == next->first) {
      before->second += next->second;
      free_.erase(next);
    }
  }
  [[nodiscard]] Offset end() const { return end_; }

 private:
  std::map<Offset, Offset> free_;
  Offset end_ = 0;
};

struct Places {
  std::vector<Offset> at;  // -1 where the size is 0
  Offset end = 0;
};

/// Something of size[s] entries lives from the level of front s to that of its parent, both included.
Places place_by_levels(std::span<const Offset> size, std::span<const Index> level, std::span<const Index> parent) {
  std::map<std::pair<Index, Index>, Offset> sums;  // (born, dies) -> entries of all that do
  Places places{std::vector<Offset>(size.size(), -1), 0};
  for (std::size_t s = 0; s < size.size(); ++s) {
    if (size[s] == 0) continue;
    Offset& sum = sums[{level[s], level[parent[s]]}];
    places.at[s] = sum;
    sum = checked_add(sum, size[s], "entries of device memory");
  }
  Gaps gaps;
  std::map<std::pair<Index, Index>, Offset> begins;
  std::multimap<Index, std::pair<Offset, Offset>> dying;  // level -> stretch
  for (const auto& [life, sum] : sums) {
    for (; !dying.empty() && dying.begin()->first < life.first; dying.erase(dying.begin()))
      gaps.give(dying.begin()->second.first, dying.begin()->second.second);
    const Offset begin = gaps.take(sum);
    begins[life] = begin;
    dying.emplace(life.second, std::pair(begin, sum));
  }
  for (std::size_t s = 0; s < size.size(); ++s)
    if (size[s] != 0) places.at[s] += begins[{level[s], level[parent[s]]}];
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

DeviceSchedule::Level level_of(const Supernodes& nodes, Index l, DeviceSchedule& out) {
  DeviceSchedule::Level level;
  level.first = out.level_ptr[l];
  level.count = out.level_ptr[l + 1] - level.first;
  const auto up_to = [&](Index largest) {
    const auto begin = out.front.begin() + level.first, end = begin + level.count;
    return static_cast<Index>(std::partition_point(begin, end, [&](Index s) { return nodes.order(s) <= largest; }) - begin);
  };
  level.small16 = up_to(16), level.small32 = up_to(32), level.small = up_to(DeviceSchedule::kSmall);
  const auto layout = [&](Index s) { return TileLayout{nodes.order(s), nodes.pivots(s)}; };
  const auto triangle = [](Offset t) { return t * (t + 1) / 2; };
  const Index first = level.first + level.small;
  Index count = level.count - level.small;
  level.tiles = list_tiles(out, first, count, [&](Index s) { return triangle(layout(s).tiles()); });
  for (Index k = 0;; ++k) {
    while (count > 0 && layout(out.front[first + count - 1]).pivot_tiles() <= k) --count;
    if (count == 0) return level;
    const auto below = [&](Index s) { return Offset{layout(s).tiles()} - k - 1; };
    const TileList panel = list_tiles(out, first, count, below);
    level.steps.push_back({k, panel, list_tiles(out, first, count, [&](Index s) { return triangle(below(s)); })});
  }
}

}  // namespace

bool is_device_target(std::string_view target) { return target.starts_with("sm_"); }

DeviceSchedule make_device_schedule(const Supernodes& nodes, const Assembly& assembly) {
  DeviceSchedule out;
  const Index count = nodes.count();
  const std::vector<Index> level = levels_of(nodes.parent);
  const Index levels = level.empty() ? 0 : *std::max_element(level.begin(), level.end()) + 1;
  out.level_ptr.assign(static_cast<std::size_t>(levels) + 1, 0);
  for (const Index l : level) ++out.level_ptr[l + 1];
  std::partial_sum(out.level_ptr.begin(), out.level_ptr.end(), out.level_ptr.begin());
  out.front.resize(level.size());
  std::iota(out.front.begin(), out.front.end(), 0);
  const auto key = [&](Index s) {
    const bool small = nodes.order(s) <= DeviceSchedule::kSmall;
    return std::tuple(level[s], small ? 0 : 1, small ? nodes.order(s) : -TileLayout::count(nodes.pivots(s)), s);
  };
  std::sort(out.front.begin(), out.front.end(), [&](Index a, Index b) { return key(a) < key(b); });

  std::vector<Offset> block(level.size()), update(level.size());
  out.panel.assign(1, 0);
  for (Index s = 0; s < count; ++s) {
    const TileLayout panel{nodes.order(s), nodes.pivots(s)};
    const Index q = nodes.contribution(s);
    out.panel.push_back(checked_add(out.panel.back(), aligned(panel.entries()) + aligned(panel.inverse_entries()), "entries of L"));
    block[s] = aligned(TileLayout{q, q}.entries());
    update[s] = q;
  }
  Places blocks = place_by_levels(block, level, nodes.parent), updates = place_by_levels(update, level, nodes.parent);
  out.block = std::move(blocks.at);
  out.stack_entries = blocks.end;
  out.update = std::move(updates.at);
  out.update_rows = updates.end;
  for (Index l = 0; l < levels; ++l) out.level.push_back(level_of(nodes, l, out));
  const auto bytes = [](const auto& array) { return static_cast<Offset>(array.size() * sizeof(array[0])); };
  const Offset n = nodes.first.empty() ? 0 : nodes.first.back();
  // Rows twice, but for the pivots: as they are, and as places in the parent's front. The permutation.
  out.plan_bytes = Offset{count} * kDeviceFrontBytes + bytes(assembly.child) + 2 * bytes(nodes.row) - n * Offset{sizeof(Index)} +
                   bytes(assembly.entry_ptr) + bytes(assembly.entry_row) + bytes(assembly.entry_source) + bytes(out.front) +
                   bytes(out.tile_ptr) + n * Offset{sizeof(Index)};
  return out;
}

}  // namespace kauri::symbolic
