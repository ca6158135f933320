// Heavy-edge matching and contraction.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/coarsen.hpp"

#include <algorithm>
#include <limits>

namespace kauri::ordering::dissection {
namespace {

// Degrees above which hanging vertices are not looked for: their heaviest neighbour says little.
constexpr Index kMostHanging = 8;

class Matching {
 public:
  Matching(const GraphView& graph, std::span<const Index> edge_weight, Index most, std::vector<Index>& mate)
      : graph_(graph), edge_weight_(edge_weight), most_(most), mate_(mate) {
    mate_.assign(static_cast<std::size_t>(graph.size()), kNone);
  }

  /// Returns the number of pairs.
  Index run(bool backwards) {
    backwards_ = backwards;
    const Index n = graph_.size();
    Index pairs = 0, left = 0;
    for (Index k = 0; k < n; ++k) {
      const Index v = backwards ? n - 1 - k : k;
      if (mate_[v] != kNone) continue;
      const Index u = edge_weight_.empty() ? lightest(v) : heaviest(v);
      if (u == kNone)
        ++left;
      else
        mate_[v] = u, mate_[u] = v, ++pairs;
    }
    return left > n / 8 ? pairs + match_hanging() : pairs;
  }

 private:
  // Of equal edges.
  [[nodiscard]] Index lightest(Index v) const {
    if (graph_.weight.empty()) {
      if (!backwards_) {
        for (const Index u : graph_.neighbours(v))
          if (mate_[u] == kNone) return u;
      } else {
        const auto near = graph_.neighbours(v);
        for (std::size_t k = near.size(); k-- > 0;)
          if (mate_[near[k]] == kNone) return near[k];
      }
      return kNone;
    }
    Index best = kNone, weight = most_ - graph_.weight[v] + 1;
    for (const Index u : graph_.neighbours(v))
      if (mate_[u] == kNone && graph_.weight[u] < weight) best = u, weight = graph_.weight[u];
    return best;
  }
  [[nodiscard]] Index heaviest(Index v) const {
    Index best = kNone, edge = 0, weight = 0;
    const Index room = most_ - graph_.weight_of(v);
    for (Offset k = graph_.ptr[v]; k < graph_.ptr[v + 1]; ++k) {
      const Index u = graph_.adjacency[k], e = edge_weight_[k];
      if (e < edge || mate_[u] != kNone) continue;
      const Index w = graph_.weight_of(u);
      if (w > room || (e == edge && w >= weight)) continue;
      best = u, edge = e, weight = w;
    }
    return best;
  }
  // Two unmatched vertices with the same first neighbour, by a slot for each neighbour.
  Index match_hanging() {
    std::vector<Index> slot(mate_.size(), kNone);
    Index pairs = 0;
    for (Index v = 0; v < graph_.size(); ++v) {
      if (mate_[v] != kNone || graph_.degree(v) == 0 || graph_.degree(v) > kMostHanging) continue;
      Index& waiting = slot[hub(v)];
      if (waiting == kNone) {
        waiting = v;
      } else if (graph_.weight_of(v) + graph_.weight_of(waiting) <= most_) {
        mate_[v] = waiting, mate_[waiting] = v, waiting = kNone, ++pairs;
      }
    }
    return pairs;
  }
  [[nodiscard]] Index hub(Index v) const {
    const auto neighbours = graph_.neighbours(v);
    return *std::max_element(neighbours.begin(), neighbours.end(),
                             [this](Index a, Index b) { return graph_.degree(a) < graph_.degree(b); });
  }

  const GraphView& graph_;
  const std::span<const Index> edge_weight_;
  const Index most_;
  std::vector<Index>& mate_;
  bool backwards_ = false;
};

Index sum_of(Index a, Index b) { return static_cast<Index>(std::min<Offset>(Offset{a} + b, std::numeric_limits<Index>::max())); }

/// Adds the edges of v to those of coarse vertex c, which begin at `first`.
class Merger {
 public:
  Merger(const GraphView& fine, std::span<const Index> edge_weight, const std::vector<Index>& coarse_of, LevelGraph& to,
         std::vector<Index>& place)
      : fine_(fine), edge_weight_(edge_weight), coarse_of_(coarse_of), to_(to), place_(place), end_(0) {
    place_.assign(static_cast<std::size_t>(to.weight.size()), kNone);
    to_.adjacency.resize(static_cast<std::size_t>(fine.edges()));
    to_.edge_weight.resize(static_cast<std::size_t>(fine.edges()));
  }
  void add(Index v, Index c, Offset first) {
    Index* const adjacency = to_.adjacency.data();
    Index* const weight = to_.edge_weight.data();
    for (Offset k = fine_.ptr[v]; k < fine_.ptr[v + 1]; ++k) {
      const Index d = coarse_of_[fine_.adjacency[k]];
      if (d == c) continue;
      const Index e = edge_weight_.empty() ? 1 : edge_weight_[k];
      const Index at = place_[d];
      if (at != kNone && first + at < end_ && adjacency[first + at] == d) {
        weight[first + at] = sum_of(weight[first + at], e);
      } else {
        place_[d] = static_cast<Index>(end_ - first);
        adjacency[end_] = d;
        weight[end_++] = e;
      }
    }
  }
  [[nodiscard]] Offset end() const { return end_; }

 private:
  const GraphView& fine_;
  const std::span<const Index> edge_weight_;
  const std::vector<Index>& coarse_of_;
  LevelGraph& to_;
  std::vector<Index>& place_;
  Offset end_;
};

}  // namespace

Coarser coarsen(const GraphView& graph, std::span<const Index> edge_weight, Index most, bool backwards, CoarsenWorkspace& workspace) {
  const Index n = graph.size();
  const std::vector<Index>& mate = workspace.mate;
  const Index size = n - Matching(graph, edge_weight, most, workspace.mate).run(backwards);
  Coarser coarser;
  coarser.coarse_of.resize(static_cast<std::size_t>(n));
  LevelGraph& to = coarser.graph;
  to.weight.reserve(static_cast<std::size_t>(size));
  for (Index v = 0; v < n; ++v) {
    const Index u = mate[v] == kNone ? v : mate[v];
    if (u < v) {
      coarser.coarse_of[v] = coarser.coarse_of[u];
      continue;
    }
    coarser.coarse_of[v] = static_cast<Index>(to.weight.size());
    to.weight.push_back(graph.weight_of(v) + (u == v ? 0 : graph.weight_of(u)));
  }
  Merger merger(graph, edge_weight, coarser.coarse_of, to, workspace.place);
  to.ptr.reserve(static_cast<std::size_t>(size) + 1);
  for (Index v = 0; v < n; ++v) {
    const Index u = mate[v];
    if (u != kNone && u < v) continue;
    const Index c = coarser.coarse_of[v];
    const Offset first = merger.end();
    merger.add(v, c, first);
    if (u != kNone) merger.add(u, c, first);
    to.ptr.push_back(merger.end());
  }
  to.adjacency.resize(static_cast<std::size_t>(merger.end()));
  to.edge_weight.resize(static_cast<std::size_t>(merger.end()));
  return coarser;
}

}  // namespace kauri::ordering::dissection
