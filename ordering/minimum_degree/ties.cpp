// Initial order of vertices of equal degree.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/minimum_degree/ties.hpp"
#include "base/threads/stopping.hpp"

#include <algorithm>
#include <numeric>

namespace kauri::ordering {
namespace {

/// Breadth-first searches with shared buffers. A vertex is unvisited while its level is kNone.
class LevelSearch {
 public:
  explicit LevelSearch(const GraphView& graph)
      : graph_(graph),
        level_(static_cast<std::size_t>(graph.size()), kNone),
        queue_(static_cast<std::size_t>(graph.size())) {}

  [[nodiscard]] Index level(Index v) const { return level_[v]; }
  /// Vertices of the last search, by level.
  [[nodiscard]] std::span<const Index> found() const {
    return {queue_.data(), static_cast<std::size_t>(count_)};
  }
  [[nodiscard]] Index height() const { return level_[queue_[count_ - 1]]; }

  void search(Index root) {
    count_ = 1;
    queue_[0] = root;
    level_[root] = 0;
    const StopCheck check_stop;
    for (Index k = 0; k < count_; ++k) {
      check_stop.at(k);
      for (const Index u : graph_.neighbours(queue_[k])) {
        if (level_[u] != kNone) continue;
        level_[u] = level_[queue_[k]] + 1;
        queue_[count_++] = u;
      }
    }
  }
  /// Computes the levels from a pseudo-peripheral vertex of root's component: restarts from a
  /// vertex of least degree in the last level until the height stops growing. Each restart costs
  /// one search; kRestarts bounds their number.
  void search_from_periphery(Index root) {
    constexpr int kRestarts = 8;
    search(root);
    for (int k = 0; k < kRestarts; ++k) {
      const Index before = height();
      Index best = queue_[count_ - 1];
      for (Index q = count_ - 1; q >= 0 && level_[queue_[q]] == before; --q)
        if (graph_.degree(queue_[q]) <= graph_.degree(best)) best = queue_[q];
      for (const Index v : found()) level_[v] = kNone;
      search(best);
      if (height() <= before) return;
    }
  }

 private:
  const GraphView& graph_;
  std::vector<Index> level_, queue_;
  Index count_ = 0;
};

/// Returns, by vertex, twice the distance of its level from the middle level of its component, with
/// levels from a pseudo-peripheral vertex.
std::vector<Index> distance_from_middle(const GraphView& graph) {
  std::vector<Index> distance(static_cast<std::size_t>(graph.size()));
  LevelSearch search(graph);
  for (Index v = 0; v < graph.size(); ++v) {
    if (search.level(v) != kNone) continue;
    search.search_from_periphery(v);
    for (const Index u : search.found())
      distance[u] = std::abs(2 * search.level(u) - search.height());
  }
  return distance;
}

}  // namespace

std::vector<Index> initial_order(const GraphView& graph, TieBreak tie_break) {
  std::vector<Index> order(static_cast<std::size_t>(graph.size()));
  std::iota(order.begin(), order.end(), 0);
  if (tie_break == TieBreak::last) std::reverse(order.begin(), order.end());
  if (tie_break != TieBreak::pseudo_peripheral) return order;
  const std::vector<Index> distance = distance_from_middle(graph);
  std::stable_sort(order.begin(), order.end(),
                   [&](Index u, Index v) { return distance[u] > distance[v]; });
  return order;
}

}  // namespace kauri::ordering
