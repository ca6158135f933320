// Reverse Cuthill-McKee (George & Liu 1979).
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/rcm/rcm.hpp"
#include "base/threads/stopping.hpp"

#include <algorithm>

namespace kauri::ordering {
namespace {

struct Levels {
  Index count;       // number of levels
  Index last_first;  // start of the last level in the queue
};

// Searches breadth first from `start`. Returns the number of levels, and where the last one begins
// in w.queue. Leaves w.level all kNone, for the next search.
Levels breadth_first(const GraphView& graph, Index start, RcmWorkspace& w) {
  Index tail = 0;
  w.level[start] = 0;
  w.queue[tail++] = start;
  const StopCheck check_stop;
  for (Index head = 0; head < tail; ++head) {
    check_stop.at(head);
    const Index v = w.queue[head];
    for (const Index u : graph.neighbours(v))
      if (w.level[u] == kNone) {
        w.level[u] = w.level[v] + 1;
        w.queue[tail++] = u;
      }
  }
  const Index deepest = w.level[w.queue[tail - 1]];
  Index first = tail - 1;
  while (first > 0 && w.level[w.queue[first - 1]] == deepest) --first;
  for (Index k = 0; k < tail; ++k) w.level[w.queue[k]] = kNone;
  return {deepest + 1, first};
}

void prepare(const GraphView& graph, RcmWorkspace& w) {
  const auto n = static_cast<std::size_t>(graph.size());
  if (w.queue.size() < n) w.queue.resize(n);
  if (w.level.size() < n) w.level.resize(n, kNone);
}

/// Returns a pseudo-peripheral vertex of a connected graph with at least one vertex, whose
/// eccentricity is about the diameter of the graph, or the vertex found so far once work exceeds
/// most_work. Repeats breadth-first searches, each from a vertex of least degree in the last level
/// of the previous one, while the number of levels grows; few are needed. work: increased by
/// `visits` for each search.
Index find_peripheral(const GraphView& graph, RcmWorkspace& workspace, Offset visits,
                      Offset most_work, Offset& work) {
  prepare(graph, workspace);
  const auto by_degree = [&](Index a, Index b) {
    return graph.degree(a) != graph.degree(b) ? graph.degree(a) < graph.degree(b) : a < b;
  };
  const auto search = [&](Index from) {
    work += visits;
    return breadth_first(graph, from, workspace);
  };
  Index start = 0;
  for (Levels levels = search(start); work <= most_work;) {
    const auto last = std::span(workspace.queue)
                          .subspan(static_cast<std::size_t>(levels.last_first),
                                   static_cast<std::size_t>(graph.size() - levels.last_first));
    const Index end = *std::min_element(last.begin(), last.end(), by_degree);
    const Levels next = search(end);
    if (next.count <= levels.count) return start;
    start = end;
    levels = next;
  }
  return start;
}

}  // namespace

bool reverse_cuthill_mckee(const GraphView& graph, RcmWorkspace& workspace, std::span<Index> order,
                           const RcmOptions& options) {
  const Offset visits = graph.size() + graph.edges();
  Offset work = 0;
  const Index start = find_peripheral(graph, workspace, visits, options.most_work, work);
  work += visits;  // visits of the numbering
  if (options.work != nullptr) *options.work = work;
  if (work > options.most_work) return false;
  auto& level = workspace.level;
  // Fills the order from the back: it is the queue of the search, reversed.
  const Index n = graph.size();
  Index tail = n;
  level[start] = 0;
  order[--tail] = start;
  const StopCheck check_stop;
  for (Index head = n - 1; head >= tail; --head) {
    check_stop.at(head);
    const Index before = tail;
    for (const Index u : graph.neighbours(order[head]))
      if (level[u] == kNone) {
        level[u] = 0;
        order[--tail] = u;
      }
    std::sort(order.begin() + tail, order.begin() + before, [&](Index a, Index b) {
      return graph.degree(a) != graph.degree(b) ? graph.degree(a) > graph.degree(b) : a > b;
    });
  }
  for (const Index v : order) level[v] = kNone;
  return true;
}

}  // namespace kauri::ordering
