// Orders large subtrees one after another as Liu (1986), with panels that stay; numbers all other
// fronts by height.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/device/levels.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "base/common/checked.hpp"
#include "base/threads/blocks.hpp"
#include "symbolic/common/children.hpp"
#include "symbolic/common/cost_table.hpp"
#include "symbolic/device/front_cells.hpp"
#include "symbolic/device/schedule_lists.hpp"
#include "symbolic/device/small_layout.hpp"

namespace kauri::symbolic {
namespace {

/// Measured constants (M63 of docs/measurements): operations per second of all tiles; seconds of a
/// tile of a front's chain, and from a child to its parent.
constexpr double kPeak = 42e12;
constexpr double kChainTile = 25e-6;
constexpr double kHop = 10e-6;

/// The levels with the least entries^kMemory times seconds are chosen: a change of memory by a
/// small share counts this many times as much as a change of time by the same share.
constexpr double kMemory = 1.25;
/// Number of thresholds of work that are tried, from which a subtree is large: a half, a quarter
/// ... of all work.
constexpr int kHalvings = 4;

/// Returns the seconds lost if a subtree is worked on by itself: its longest path, whose pauses the
/// work of other subtrees would have filled. A subtree with much work for each second of its path
/// fills most pauses itself. Fitted to simulations of task lists with and without subtrees by
/// themselves.
double seconds_alone(double path, double flops) {
  return std::min(path, 1.5 * path * path * kPeak / flops);
}

/// Properties of the subtree of each front.
struct Subtrees {
  std::vector<double> flops;
  std::vector<double> path;    // seconds of the longest path from a leaf through the front
  std::vector<Index> height;   // of the front among tiled fronts
  std::vector<Offset> excess;  // most entries while it is worked on, minus the entries that it
                               // leaves: panels and the front's block
};

/// Measures all subtrees, and sorts the children of every front and the roots by falling excess.
Subtrees measure(const Supernodes& nodes, const std::vector<Index>& kind, const FrontSizes& sizes,
                 Children& children) {
  const std::size_t count = nodes.parent.size();
  Subtrees out{std::vector<double>(count, 0), std::vector<double>(count, 0),
               std::vector<Index>(count, 0), std::vector<Offset>(count, 0)};
  std::vector<Offset> panels(count, 0);
  const auto add = [](Offset a, Offset b) { return checked_add(a, b, "entries of device memory"); };
  const auto by_excess = [&](Index a, Index b) {
    return out.excess[a] != out.excess[b] ? out.excess[a] > out.excess[b] : a < b;
  };
  for (Index s = 0; s < nodes.count(); ++s) {
    const std::span<Index> mine = children.of(s);
    std::sort(mine.begin(), mine.end(), by_excess);
    Offset there = 0, peak = 0;
    for (const Index c : mine) {
      there = add(there, add(panels[c], sizes.block[c]));
      peak = std::max(peak, add(there, out.excess[c]));
      panels[s] += panels[c];
      out.flops[s] += out.flops[c];
      out.path[s] = std::max(out.path[s], out.path[c]);
      if (kind[c] == tiled) out.height[s] = std::max(out.height[s], out.height[c] + 1);
    }
    panels[s] = add(panels[s], sizes.panel[s]);
    peak = std::max(peak, add(there, add(sizes.panel[s], sizes.block[s])));
    out.excess[s] = peak - panels[s] - sizes.block[s];
    out.flops[s] += front_flops(nodes.order(s), nodes.pivots(s));
    out.path[s] += kHop + kChainTile * tiles_for(cells_for(nodes.pivots(s)));
  }
  const std::span<Index> roots = children.of(nodes.count());
  std::sort(roots.begin(), roots.end(), by_excess);
  return out;
}

/// Gives tiled fronts their levels: large subtrees come one after another, depth first.
class Numbering {
 public:
  Numbering(const Supernodes& nodes, const Children& children, const std::vector<Index>& kind,
            const Subtrees& subtrees, double least)
      : nodes_(nodes),
        children_(children),
        kind_(kind),
        subtrees_(subtrees),
        least_(least),
        level_(kind.size(), 0) {
    struct OpenFront {
      Index front;
      std::size_t child;
      Index begin;  // least level of the fronts of its subtree
    };
    std::vector<OpenFront> stack{{nodes.count(), 0, 0}};  // stands for a parent of all roots
    while (!stack.empty()) {
      OpenFront& top = stack.back();
      const std::span<const Index> mine = children_.of(top.front);
      while (top.child < mine.size() && !is_large(mine[top.child])) ++top.child;
      if (top.child < mine.size()) {
        stack.push_back({mine[top.child++], 0, next_});
      } else {
        close(top.front, top.begin);
        stack.pop_back();
      }
    }
    descend();
  }

  [[nodiscard]] const std::vector<Index>& levels() const { return level_; }
  /// Returns the seconds that are lost because subtrees come one after another.
  [[nodiscard]] double loss() const { return loss_; }

 private:
  [[nodiscard]] bool is_large(Index s) const {
    return kind_[s] == tiled && subtrees_.flops[s] >= least_;
  }
  [[nodiscard]] bool is_other(Index s) const {
    return kind_[s] == tiled && subtrees_.flops[s] < least_;
  }

  /// Numbers front s after all of its large children (or all large roots). Its other tiled children
  /// end just below it.
  void close(Index s, Index begin) {
    Index height = 0;
    double lost = 0, most = 0;
    for (const Index c : children_.of(s)) {
      if (is_other(c)) height = std::max(height, subtrees_.height[c] + 1);
      if (!is_large(c)) continue;
      const double alone = seconds_alone(subtrees_.path[c], subtrees_.flops[c]);
      lost += alone;
      most = std::max(most, alone);
    }
    loss_ += lost - most;
    const Index level = std::max(next_, begin + height);
    for (const Index c : children_.of(s))
      if (is_other(c)) level_[c] = level - height;  // level of their leaves
    if (s < nodes_.count()) level_[s] = level;
    next_ = level + 1;
  }

  /// Turns levels of leaves into levels of fronts, in subtrees that are not large.
  void descend() {
    for (Index s = nodes_.count() - 1; s >= 0; --s) {
      if (!is_other(s)) continue;
      if (const Index parent = nodes_.parent[s]; parent != kNone && is_other(parent))
        level_[s] = level_[parent] - subtrees_.height[parent];
      level_[s] += subtrees_.height[s];
    }
  }

  const Supernodes& nodes_;
  const Children& children_;
  const std::vector<Index>& kind_;
  const Subtrees& subtrees_;
  double least_;
  std::vector<Index> level_;
  Index next_ = 0;  // the level after the last one that is used
  double loss_ = 0;
};

/// Assembles levels without gaps: narrow and small fronts by height, tiled ones as given.
DeviceLevels assemble(const Supernodes& nodes, const std::vector<Index>& kind,
                      const std::vector<Index>& tiled_level) {
  DeviceLevels out{kind, tiled_level, std::vector<Index>(kind.size()), {}, 0};
  Index heights[3] = {};
  for (Index s = 0; s < nodes.count(); ++s) {
    heights[kind[s]] = std::max(heights[kind[s]], out.of[s] + 1);
    const Index parent = nodes.parent[s];
    if (kind[s] != tiled && parent != kNone && kind[parent] == kind[s])
      out.of[parent] = std::max(out.of[parent], out.of[s] + 1);
  }
  std::vector<Index> place(static_cast<std::size_t>(heights[tiled]), 0);
  for (std::size_t s = 0; s < kind.size(); ++s)
    if (kind[s] == tiled) place[out.of[s]] = 1;
  Index used = 0;
  for (Index& p : place) {
    const Index here = p;
    p = used;
    used += here;
  }
  heights[tiled] = used;
  for (Index k = 0; k < 3; ++k) out.begin[k + 1] = out.begin[k] + heights[k];
  for (std::size_t s = 0; s < kind.size(); ++s) {
    if (kind[s] == tiled) out.of[s] = place[out.of[s]];
    out.phase[s] = kind[s] == tiled ? kTiledPhase + out.of[s] : kind[s];
    out.of[s] += out.begin[kind[s]];
  }
  out.phases = kTiledPhase + heights[tiled];
  return out;
}

Index order_of(const Supernodes& nodes, Index s) { return nodes.order(s); }
Index order_of(const FrontTree& fronts, Index s) { return fronts.order[s]; }

template <class Fronts>
std::vector<Index> kinds_of_fronts(const Fronts& fronts) {
  std::vector<Index> kind(fronts.parent.size(), narrow);
  const std::vector<Index> children = child_counts(fronts.parent);
  for (Index s = 0; s < fronts.count(); ++s) {
    const Index m = order_of(fronts, s);
    if (children[s] > DeviceSchedule::kMostChildren || m > DeviceSchedule::kSmall)
      kind[s] = tiled;
    else if (m > DeviceSchedule::kNarrow)
      kind[s] = std::max<Index>(kind[s], small);
    if (const Index parent = fronts.parent[s]; parent != kNone)
      kind[parent] = std::max(kind[parent], kind[s]);
  }
  return kind;
}

}  // namespace

std::vector<Index> child_counts(std::span<const Index> parent) {
  std::vector<Index> count(parent.size(), 0);
  for (const Index p : parent)
    if (p != kNone) ++count[p];
  return count;
}

std::vector<Index> kinds_of(const Supernodes& nodes) { return kinds_of_fronts(nodes); }

std::vector<Index> kinds_of(const FrontTree& fronts) { return kinds_of_fronts(fronts); }

FrontSizes sizes_of(const Supernodes& nodes, std::span<const Index> kinds) {
  FrontSizes sizes{std::vector<Offset>(kinds.size()), std::vector<Offset>(kinds.size())};
  for (Index s = 0; s < nodes.count(); ++s) {
    const FrontCells cells{nodes.order(s), nodes.pivots(s)};
    const SmallLayout layout{cells.m, cells.p};
    sizes.panel[s] = aligned(kinds[s] == tiled ? cells.panel().entries() + cells.diagonal_entries()
                                               : layout.panel_storage());
    sizes.block[s] = aligned(kinds[s] == tiled ? cells.block().entries() : layout.block_storage());
  }
  return sizes;
}

DeviceLevels find_levels(const Supernodes& nodes) {
  const std::vector<Index> kinds = kinds_of(nodes);
  return find_levels(nodes, kinds, sizes_of(nodes, kinds));
}

Offset most_entries(const DeviceLevels& levels, std::span<const Index> parent,
                    const FrontSizes& sizes) {
  std::vector<Offset> change(static_cast<std::size_t>(levels.phases) + 1, 0);
  for (std::size_t s = 0; s < parent.size(); ++s) {
    Offset& born = change[levels.phase[s]];
    born =
        checked_add(born, checked_add(sizes.panel[s], sizes.block[s], "entries of device memory"),
                    "entries of device memory");
    if (sizes.block[s] > 0) change[levels.phase[parent[s]] + 1] -= sizes.block[s];
  }
  Offset there = 0, most = 0;
  for (const Offset x : change) {
    there = checked_add(there, x, "entries of device memory");
    most = std::max(most, there);
  }
  return most;
}

std::vector<LevelsOfSubtrees> levels_of_subtrees(const Supernodes& nodes,
                                                 const std::vector<Index>& kinds,
                                                 const FrontSizes& sizes, int halvings) {
  Children children = children_of(nodes.parent);
  const Subtrees subtrees = measure(nodes, kinds, sizes, children);
  double flops = 0, path = 0;
  for (const Index r : children.of(nodes.count())) {
    flops += subtrees.flops[r];
    path = std::max(path, subtrees.path[r]);
  }
  const bool any = std::find(kinds.begin(), kinds.end(), tiled) != kinds.end();
  std::vector<LevelsOfSubtrees> ways(any ? halvings + 1 : 1);
  Blocks(static_cast<Index>(ways.size()), 1).for_each([&](Index k, Index, Index) {
    const double large = k == 0 ? std::numeric_limits<double>::infinity()
                                : std::ldexp(flops, -k);  // for k = 0 no subtree is large
    const Numbering numbering(nodes, children, kinds, subtrees, large);
    ways[k] = {assemble(nodes, kinds, numbering.levels()), flops / kPeak + path + numbering.loss()};
  });
  return ways;
}

DeviceLevels find_levels(const Supernodes& nodes, const std::vector<Index>& kinds,
                         const FrontSizes& sizes) {
  std::vector<LevelsOfSubtrees> ways = levels_of_subtrees(nodes, kinds, sizes, kHalvings);
  std::vector<double> price(ways.size());
  std::ranges::transform(ways, price.begin(), [&](const LevelsOfSubtrees& way) {
    return std::pow(static_cast<double>(most_entries(way.levels, nodes.parent, sizes)), kMemory) *
           way.seconds;
  });
  return std::move(ways[std::ranges::min_element(price) - price.begin()].levels);
}

}  // namespace kauri::symbolic
