// The recursion.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/dissect.hpp"

#include <algorithm>
#include <utility>

#include "ordering/amd.hpp"
#include "ordering/dissection/candidates.hpp"
#include "src/base/splitmix64.hpp"

namespace kauri::ordering {
namespace dissection {
namespace {

/// A subgraph and what its vertices are called in the whole.
struct Piece {
  LevelGraph graph;
  std::vector<Index> vertex;
};

Piece extract(const GraphView& graph, std::span<const Index> vertex, const Separation& separation, Side side, std::vector<Index>& local) {
  Piece piece;
  local.resize(separation.side.size());
  Index count = 0;
  Offset edges = 0;
  for (Index v = 0; v < graph.size(); ++v)
    if (separation.side[v] == side) local[v] = count++, edges += graph.degree(v);
  piece.vertex.reserve(static_cast<std::size_t>(count));
  piece.graph.ptr.reserve(static_cast<std::size_t>(count) + 1);
  piece.graph.adjacency.resize(static_cast<std::size_t>(edges));
  if (!graph.weight.empty()) piece.graph.weight.reserve(static_cast<std::size_t>(count));
  Index* to = piece.graph.adjacency.data();
  for (Index v = 0; v < graph.size(); ++v) {
    if (separation.side[v] != side) continue;
    for (const Index u : graph.neighbours(v))
      if (separation.side[u] == side) *to++ = local[u];
    piece.graph.ptr.push_back(to - piece.graph.adjacency.data());
    piece.vertex.push_back(vertex.empty() ? v : vertex[v]);
    if (!graph.weight.empty()) piece.graph.weight.push_back(graph.weight[v]);
  }
  piece.graph.adjacency.resize(static_cast<std::size_t>(to - piece.graph.adjacency.data()));
  return piece;
}

class Dissection {
 public:
  Dissection(const DissectionOptions& options, std::span<Index> order) : options_(options), order_(order) {}

  void run(const GraphView& graph, std::span<const Index> vertex, Index first, Trials trials, std::uint64_t seed) {
    if (graph.size() <= options_.leaf) return leaf(graph, vertex, first);
    Trials mine = trials;
    Found found = best_separation(graph, mine, splitmix64(seed), w_);
    if (!found.best) found.best = pieces(graph, found.reached);
    const Separation& separation = *found.best;
    if (separation.weight[kLeft] == 0 || separation.weight[kRight] == 0) return leaf(graph, vertex, first);
    if (options_.follow && found.multilevel_work > 0 && found.level_set_work > 0) {
      if (found.level_set_work < tune[6] * found.multilevel_work) trials.multilevel = false;
      if (found.multilevel_work < tune[7] * found.level_set_work) trials.level_sets = false;
    }
    Piece left = extract(graph, vertex, separation, kLeft, local_), right = extract(graph, vertex, separation, kRight, local_);
    const Index l = left.graph.size(), r = right.graph.size();
    Index to = first + l + r;
    for (Index v = 0; v < graph.size(); ++v)
      if (separation.side[v] == kSeparator) order_[to++] = vertex.empty() ? v : vertex[v];
    found = {};
    const std::uint64_t left_seed = splitmix64(seed), right_seed = splitmix64(seed);
    run(left.graph.view(), left.vertex, first, trials, left_seed);
    left = {};
    run(right.graph.view(), right.vertex, first + l, trials, right_seed);
  }

 private:
  void leaf(const GraphView& graph, std::span<const Index> vertex, Index first) {
    leaf_order_.resize(static_cast<std::size_t>(graph.size()));
    approximate_minimum_degree(graph, {}, amd_, leaf_order_);
    for (const Index v : leaf_order_) order_[first++] = vertex.empty() ? v : vertex[v];
  }

  // Not connected: what the search reached on one side, the rest on the other.
  static Separation pieces(const GraphView& graph, const std::vector<Index>& reached) {
    Separation s{std::vector<Side>(reached.size()), {}};
    for (Index v = 0; v < graph.size(); ++v) {
      s.side[v] = reached[v] == kNone ? kRight : kLeft;
      s.weight[s.side[v]] += graph.weight_of(v);
    }
    return s;
  }

  const DissectionOptions& options_;
  std::span<Index> order_;
  SeparatorWorkspace w_;
  AmdWorkspace amd_;
  std::vector<Index> local_, leaf_order_;
};

}  // namespace
}  // namespace dissection

void nested_dissection(const GraphView& graph, const DissectionOptions& options, std::span<Index> order) {
  dissection::Trials t;
  t.multilevel = options.multilevel, t.level_sets = options.level_sets > 0, t.sources = options.level_sets;
  t.refined = dissection::tune[10], t.rounds = dissection::tune[11], t.polish_all = dissection::tune[12];
  dissection::Dissection(options, order).run(graph, {}, 0, t, options.seed);
}

}  // namespace kauri::ordering
