// Breadth-first search, and thresholds of an integer function on vertices.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/level_sets.hpp"

#include <algorithm>
#include <cmath>

namespace kauri::ordering::dissection {
namespace {

struct Threshold {
  Index key = 1;
  bool upper = true;  ///< the separator is on the upper side
};

struct Range {
  Index least, greatest;
};

Range keys_around(const GraphView& graph, std::span<const Index> key, Index v) {
  Range range{key[v], key[v]};
  for (const Index u : graph.neighbours(v)) {
    range.least = std::min(range.least, key[u]);
    range.greatest = std::max(range.greatest, key[u]);
  }
  return range;
}

void clear(Index keys, LevelSetWorkspace& w) {
  for (std::vector<Index>* sums : {&w.upper, &w.lower, &w.below}) sums->assign(static_cast<std::size_t>(keys) + 1, 0);
}

/// Weights of the separators of all thresholds of distances: there is no smaller one on the lower side worth a look at the neighbours.
void weigh_levels(const GraphView& graph, std::span<const Index> key, Index keys, LevelSetWorkspace& w) {
  clear(keys, w);
  for (Index v = 0; v < graph.size(); ++v) w.upper[key[v]] += graph.weight_of(v);
  for (Index k = 1; k <= keys; ++k) w.below[k] = w.below[k - 1] + w.upper[k - 1], w.lower[k] = w.upper[k - 1];
}

/// The same of any function, by differences first.
void weigh(const GraphView& graph, std::span<const Index> key, Index keys, LevelSetWorkspace& w) {
  clear(keys, w);
  for (Index v = 0; v < graph.size(); ++v) {
    const Index k = key[v], weight = graph.weight_of(v);
    const Range range = keys_around(graph, key, v);
    w.upper[range.least + 1] += weight, w.upper[k + 1] -= weight;
    w.lower[k + 1] += weight, w.lower[range.greatest + 1] -= weight;
    w.below[k + 1] += weight;
  }
  for (Index k = 1; k <= keys; ++k) w.upper[k] += w.upper[k - 1], w.lower[k] += w.lower[k - 1], w.below[k] += w.below[k - 1];
}

PartWeights weights_at(const LevelSetWorkspace& w, Index k, bool upper, Index total) {
  const Index s = upper ? w.upper[k] : w.lower[k];
  return {w.below[k] - (upper ? 0 : s), total - w.below[k] - (upper ? s : 0), s};
}

Threshold choose(const LevelSetWorkspace& w, Index keys, Index total, double most) {
  // What the thresholds that halve the graph cost is what to compare with.
  Index half = 1;
  while (half < keys - 1 && 2 * Offset{w.below[half]} < total) ++half;
  const double reference = std::max<Index>(1, std::min(w.upper[half], w.lower[half]));  // none where no vertex has its key or a greater one
  Threshold best;
  double least = 0;
  const double limit = most * static_cast<double>(total);
  for (Index k = 1; k < keys; ++k)
    for (const bool upper : {true, false}) {
      const auto weight = weights_at(w, k, upper, total);
      const double heavier = static_cast<double>(std::max(weight[kLeft], weight[kRight]));
      // Beyond the limit: whatever is nearest to it.
      const double work =
          predicted_work(weight, reference) + (heavier > limit ? 1e6 * reference * reference * reference * heavier / limit : 0);
      if ((k > 1 || !upper) && work >= least) continue;
      least = work, best = {k, upper};
    }
  return best;
}

}  // namespace

Distances breadth_first(const GraphView& graph, Index start, LevelSetWorkspace& workspace) {
  Distances d;
  d.of.assign(static_cast<std::size_t>(graph.size()), kNone);
  workspace.queue.resize(d.of.size());
  Index* const queue = workspace.queue.data();
  Index head = 0, tail = 1;
  queue[0] = start;
  d.of[start] = 0;
  while (head < tail) {
    const Index v = queue[head++], next = d.of[v] + 1;
    for (const Index u : graph.neighbours(v))
      if (d.of[u] == kNone) d.of[u] = next, queue[tail++] = u;
  }
  d.reached = tail;
  d.farthest = queue[tail - 1];
  for (Index k = tail; k-- > 0 && d.of[queue[k]] == d.of[d.farthest];) {
    const Index v = queue[k], degree = graph.degree(v), best = graph.degree(d.farthest);
    if (degree < best || (degree == best && v < d.farthest)) d.farthest = v;
  }
  return d;
}

Separation level_separation(const GraphView& graph, const Distances& distances, double most, LevelSetWorkspace& workspace) {
  const Index keys = distances.levels(), total = graph.total_weight();
  weigh_levels(graph, distances.of, keys, workspace);
  const Threshold at = choose(workspace, keys, total, most);
  const Index level = at.upper ? at.key : at.key - 1;
  Separation separation{std::vector<Side>(distances.of.size()), weights_at(workspace, at.key, at.upper, total)};
  for (Index v = 0; v < graph.size(); ++v)
    separation.side[v] = distances.of[v] < level ? kLeft : distances.of[v] == level ? kSeparator : kRight;
  return separation;
}

Separation difference_separation(const GraphView& graph, const Distances& a, const Distances& b, double most,
                                 LevelSetWorkspace& workspace) {
  const Index keys = a.levels() + b.levels() - 1, total = graph.total_weight();
  std::vector<Index>& key = workspace.key;
  key.resize(a.of.size());
  for (std::size_t v = 0; v < key.size(); ++v) key[v] = a.of[v] - b.of[v] + b.levels() - 1;
  weigh(graph, key, keys, workspace);
  const Threshold at = choose(workspace, keys, total, most);
  Separation separation{std::vector<Side>(key.size()), weights_at(workspace, at.key, at.upper, total)};
  for (Index v = 0; v < graph.size(); ++v) {
    const bool above = key[v] >= at.key;
    Side side = above ? kRight : kLeft;
    // Along an edge either distance changes by one at most.
    if (above == at.upper && key[v] >= at.key - 2 && key[v] < at.key + 2) {
      const Range range = keys_around(graph, key, v);
      if (above ? range.least < at.key : range.greatest >= at.key) side = kSeparator;
    }
    separation.side[v] = side;
  }
  return separation;
}

}  // namespace kauri::ordering::dissection
