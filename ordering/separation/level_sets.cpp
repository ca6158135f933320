// Breadth-first search, and separations by thresholds of an integer function on vertices.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/separation/level_sets.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <utility>

#include "base/threads/blocks.hpp"
#include "base/threads/stopping.hpp"

namespace kauri::ordering::dissection {
namespace {

// Numbers of vertices in a task: of a loop over all vertices (kSearchBlock), and of one level of a
// search (kFrontier).
constexpr Index kSearchBlock = 16384, kFrontier = 512;
// Number of thresholds above which sums by block would take more memory than the vertices.
constexpr Index kMostKeys = 4096;

struct Threshold {
  Index key = 1;
  bool upper = true;  ///< the separator is on the upper side (keys >= key), else on the lower one
};

struct KeyRange {
  Index least, greatest;
};

KeyRange keys_around(const GraphView& graph, std::span<const Index> key, Index v) {
  KeyRange range{key[v], key[v]};
  for (const Index u : graph.neighbours(v)) {
    range.least = std::min(range.least, key[u]);
    range.greatest = std::max(range.greatest, key[u]);
  }
  return range;
}

/// Arrays by threshold, as in LevelSetWorkspace, in which a loop sums up vertex weights.
struct ThresholdSums {
  Index *upper, *lower, *below;
};

/// Sets w.upper, w.lower and w.below to sums over all vertices: f(begin, end, sums) adds those of
/// vertices [begin, end) to `sums`. Calls f in parallel if sums by block take little memory.
template <class F>
void add_up(Index n, Index keys, LevelSetWorkspace& w, F&& f) {
  const std::size_t length = static_cast<std::size_t>(keys) + 1;
  for (std::vector<Index>* sums : {&w.upper, &w.lower, &w.below}) sums->assign(length, 0);
  const Blocks blocks(n, kSearchBlock);
  if (blocks.count() < 2 || keys > kMostKeys) {
    const StopCheck check_stop;
    for (Index b = 0; b < blocks.count(); ++b)
      check_stop(), f(blocks.begin(b), blocks.end(b),
                      ThresholdSums{w.upper.data(), w.lower.data(), w.below.data()});
    return;
  }
  std::vector<Index> part(static_cast<std::size_t>(blocks.count()) * 3 * length, 0);
  blocks.for_each([&](Index b, Index begin, Index end) {
    Index* const mine = part.data() + static_cast<std::size_t>(b) * 3 * length;
    f(begin, end, ThresholdSums{mine, mine + length, mine + 2 * length});
  });
  auto from = part.begin();
  for (Index b = 0; b < blocks.count(); ++b)
    for (std::vector<Index>* sums : {&w.upper, &w.lower, &w.below})
      for (Index& sum : *sums) sum += *from++;
}

/// Computes, for each threshold k of distances, the weight of all nearer vertices (below) and of
/// two separators: level k (upper) and level k - 1 (lower). Of level k - 1, vertices with a
/// neighbour in level k would suffice; finding them is not worth reading the neighbours.
void sum_level_weights(const GraphView& graph, std::span<const Index> key, Index keys,
                       LevelSetWorkspace& w) {
  add_up(graph.size(), keys, w, [&](Index begin, Index end, const ThresholdSums& sums) {
    for (Index v = begin; v < end; ++v) sums.upper[key[v]] += graph.weight_of(v);
  });
  for (Index k = 1; k <= keys; ++k)
    w.below[k] = w.below[k - 1] + w.upper[k - 1], w.lower[k] = w.upper[k - 1];
}

/// Computes the weights below each threshold, and of its upper and lower separator, for any integer
/// function `key` on vertices: sums up differences between thresholds.
void sum_weights(const GraphView& graph, std::span<const Index> key, Index keys,
                 LevelSetWorkspace& w) {
  add_up(graph.size(), keys, w, [&](Index begin, Index end, const ThresholdSums& sums) {
    for (Index v = begin; v < end; ++v) {
      const Index k = key[v], weight = graph.weight_of(v);
      const KeyRange range = keys_around(graph, key, v);
      sums.upper[range.least + 1] += weight, sums.upper[k + 1] -= weight;
      sums.lower[k + 1] += weight, sums.lower[range.greatest + 1] -= weight;
      sums.below[k + 1] += weight;
    }
  });
  for (Index k = 1; k <= keys; ++k)
    w.upper[k] += w.upper[k - 1], w.lower[k] += w.lower[k - 1], w.below[k] += w.below[k - 1];
}

PartWeights weights_at(const LevelSetWorkspace& w, Index k, bool upper, Index total) {
  const Index s = upper ? w.upper[k] : w.lower[k];
  return {w.below[k] - (upper ? 0 : s), total - w.below[k] - (upper ? s : 0), s};
}

Threshold choose(const LevelSetWorkspace& w, Index keys, Index total, double most) {
  // The reference is the cheaper separator at the threshold that halves the graph.
  Index half = 1;
  while (half < keys - 1 && 2 * Offset{w.below[half]} < total) ++half;
  const double reference = std::max<Index>(
      1, std::min(w.upper[half],
                  w.lower[half]));  // the minimum is 0 if no vertex has key `half` or a greater one
  Threshold best;
  double least = 0;
  const double limit = most * static_cast<double>(total);
  for (Index k = 1; k < keys; ++k)
    for (const bool upper : {true, false}) {
      const auto weight = weights_at(w, k, upper, total);
      const double heavier = static_cast<double>(std::max(weight[kLeft], weight[kRight]));
      // Penalises sides above the limit, so that the nearest to it wins if all are above.
      const double work =
          predicted_work(weight, reference) +
          (heavier > limit ? 1e6 * reference * reference * reference * heavier / limit : 0);
      if ((k > 1 || !upper) && work >= least) continue;
      least = work, best = {k, upper};
    }
  return best;
}

/// Searches one level: appends the unvisited neighbours of the queue's entries head ... tail-1 to
/// the queue, at `tail`, and sets their distances in `of` to `next`. Returns the new end of the
/// queue.
Index expand(const GraphView& graph, Index* queue, Index head, Index tail, Index next, Index* of) {
  Index end = tail;
  for (; head < tail; ++head)
    for (const Index u : graph.neighbours(queue[head]))
      if (of[u] == kNone) of[u] = next, queue[end++] = u;
  return end;
}

/// Searches one level by several threads: appends the vertices that expand() would append, in any
/// sequence, and returns the new end of the queue.
Index expand_shared(const GraphView& graph, Index* queue, Index head, Index tail, Index next,
                    Index* of) {
  std::atomic<Index> end{tail};
  Blocks(tail - head, kFrontier).for_each([&](Index, Index first, Index last) {
    std::array<Index, 1024> found;
    Index count = 0;
    const auto append = [&] {
      std::copy_n(found.data(), count, queue + end.fetch_add(count, std::memory_order_relaxed));
      count = 0;
    };
    for (Index k = first; k < last; ++k)
      for (const Index u : graph.neighbours(queue[head + k])) {
        const std::atomic_ref<Index> distance(of[u]);
        Index none = kNone;
        if (distance.load(std::memory_order_relaxed) != kNone ||
            !distance.compare_exchange_strong(none, next, std::memory_order_relaxed))
          continue;
        found[static_cast<std::size_t>(count++)] = u;
        if (count == static_cast<Index>(found.size())) append();
      }
    append();
  });
  return end;
}

}  // namespace

Distances breadth_first(const GraphView& graph, Index start, LevelSetWorkspace& workspace) {
  Distances d;
  d.of.assign(static_cast<std::size_t>(graph.size()), kNone);
  workspace.queue.resize(d.of.size());
  Index* const queue = workspace.queue.data();
  const bool alone = threads_here() == 1;
  Index head = 0, tail = 1;
  queue[0] = start;
  d.of[start] = 0;
  const StopCheck check_stop;
  for (Index next = 1;; ++next) {
    check_stop();
    const bool few = alone || tail - head < 2 * kFrontier;
    const Index end = (few ? expand : expand_shared)(graph, queue, head, tail, next, d.of.data());
    if (end == tail) break;
    head = tail, tail = end;
  }
  d.reached = tail;
  d.farthest = *std::min_element(queue + head, queue + tail, [&graph](Index u, Index v) {
    return std::pair(graph.degree(u), u) < std::pair(graph.degree(v), v);
  });
  return d;
}

Separation level_separation(const GraphView& graph, const Distances& distances, double most,
                            LevelSetWorkspace& workspace) {
  const Index keys = distances.levels(), total = graph.total_weight();
  sum_level_weights(graph, distances.of, keys, workspace);
  const Threshold at = choose(workspace, keys, total, most);
  const Index level = at.upper ? at.key : at.key - 1;
  Separation separation{std::vector<Side>(distances.of.size()),
                        weights_at(workspace, at.key, at.upper, total)};
  Blocks(graph.size(), kSearchBlock).for_each([&](Index, Index begin, Index end) {
    for (Index v = begin; v < end; ++v)
      separation.side[v] = distances.of[v] < level    ? kLeft
                           : distances.of[v] == level ? kSeparator
                                                      : kRight;
  });
  return separation;
}

Separation difference_separation(const GraphView& graph, const Distances& a, const Distances& b,
                                 double most, LevelSetWorkspace& workspace) {
  const Index keys = a.levels() + b.levels() - 1, total = graph.total_weight();
  std::vector<Index>& key = workspace.key;
  key.resize(a.of.size());
  const Index offset = b.levels() - 1;
  const Blocks blocks(graph.size(), kSearchBlock);
  blocks.for_each([&](Index, Index begin, Index end) {
    for (Index v = begin; v < end; ++v) key[v] = a.of[v] - b.of[v] + offset;
  });
  sum_weights(graph, key, keys, workspace);
  const Threshold at = choose(workspace, keys, total, most);
  Separation separation{std::vector<Side>(key.size()),
                        weights_at(workspace, at.key, at.upper, total)};
  blocks.for_each([&](Index, Index begin, Index end) {
    for (Index v = begin; v < end; ++v) {
      const bool above = key[v] >= at.key;
      Side side = above ? kRight : kLeft;
      // Along an edge, each distance changes by at most one, so the key by at most two.
      if (above == at.upper && key[v] >= at.key - 2 && key[v] < at.key + 2) {
        const KeyRange range = keys_around(graph, key, v);
        if (above ? range.least < at.key : range.greatest >= at.key) side = kSeparator;
      }
      separation.side[v] = side;
    }
  });
  return separation;
}

}  // namespace kauri::ordering::dissection
