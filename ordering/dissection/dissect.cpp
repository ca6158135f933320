// The recursion.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/dissect.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include <metis.h>
#include "ordering/amd.hpp"
#include "ordering/dissection/band_cut.hpp"
#include "ordering/dissection/level_sets.hpp"
#include "ordering/dissection/multilevel.hpp"
#include "src/base/splitmix64.hpp"

namespace kauri::ordering {
namespace dissection {
namespace {

/// A subgraph and what its vertices are called in the whole.
struct Piece {
  LevelGraph graph;
  std::vector<Index> vertex;
};

struct Hints {
  bool multilevel, level_sets;
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

  void run(const GraphView& graph, std::span<const Index> vertex, Index first, Hints hints, std::uint64_t seed) {
    if (graph.size() <= options_.leaf) return leaf(graph, vertex, first);
    Separation separation = separate(graph, hints, seed);
    if (tune[15] > 0 && separation.weight[kSeparator] > 0) {
      BandCutOptions cut;
      cut.width = static_cast<Index>(tune[15]);
      cut.excess = tune[9];
      cut.most_side = static_cast<Offset>(tune[1] * graph.total_weight());
      const auto ref = static_cast<double>(separation.weight[kSeparator]);
      cut.score = [ref](const PartWeights& w) { return predicted_work(w, ref); };
      for (int k = 0; k < 3; ++k) if (!improve_separator(graph, separation.side, separation.weight, cut, cut_).improved) break;
    }
    if (separation.weight[kLeft] == 0 || separation.weight[kRight] == 0) return leaf(graph, vertex, first);
    Piece left = extract(graph, vertex, separation, kLeft, local_), right = extract(graph, vertex, separation, kRight, local_);
    const Index l = left.graph.size(), r = right.graph.size();
    Index to = first + l + r;
    for (Index v = 0; v < graph.size(); ++v)
      if (separation.side[v] == kSeparator) order_[to++] = vertex.empty() ? v : vertex[v];
    const std::uint64_t left_seed = splitmix64(seed), right_seed = splitmix64(seed);
    run(left.graph.view(), left.vertex, first, hints, left_seed);
    left = {};
    run(right.graph.view(), right.vertex, first + l, hints, right_seed);
  }

 private:
  void leaf(const GraphView& graph, std::span<const Index> vertex, Index first) {
    leaf_order_.resize(static_cast<std::size_t>(graph.size()));
    approximate_minimum_degree(graph, {}, amd_, leaf_order_);
    for (const Index v : leaf_order_) order_[first++] = vertex.empty() ? v : vertex[v];
  }

  Separation separate(const GraphView& graph, Hints& hints, std::uint64_t& seed) {
    std::optional<Separation> ml, ls;
    if (hints.level_sets) ls = by_level_sets(graph, seed);
    if (hints.multilevel && tune[10] > 0) {
      std::vector<idx_t> p(graph.ptr.begin(), graph.ptr.end()), adj(graph.adjacency.begin() + graph.ptr[0], graph.adjacency.begin() + graph.ptr[0] + graph.edges()), wt(graph.weight.begin(), graph.weight.end()), part(graph.size());
      for (auto& x : p) x -= graph.ptr[0];
      idx_t n = graph.size(), sz;
      METIS_ComputeVertexSeparator(&n, p.data(), adj.data(), wt.empty() ? nullptr : wt.data(), nullptr, &sz, part.data());
      Separation x{std::vector<Side>(part.begin(), part.end()), {}};
      for (Index v = 0; v < n; ++v) x.weight[part[v]] += graph.weight_of(v);
      ml = x;
    } else if (hints.multilevel) ml = multilevel_separation(graph, {}, splitmix64(seed), multilevel_);
    if (!ls) return std::move(*ml);
    if (!ml) return std::move(*ls);
    const auto reference = (double)std::min(ml->weight[kSeparator], ls->weight[kSeparator]);
    const double a = predicted_work(ml->weight, reference), b = predicted_work(ls->weight, reference);
    if (options_.follow) {
      if (b < tune[6] * a) hints.multilevel = false;
      if (a < tune[7] * b) hints.level_sets = false;
    }
    return b < a ? std::move(*ls) : std::move(*ml);
  }

  std::optional<Separation> by_level_sets(const GraphView& graph, std::uint64_t& seed) {
    const auto start = static_cast<Index>(splitmix64(seed) % static_cast<std::uint64_t>(graph.size()));
    Distances first = breadth_first(graph, start, level_);
    if (first.reached < graph.size()) return pieces(graph, first);
    Distances a = breadth_first(graph, first.farthest, level_);
    Distances b = breadth_first(graph, a.farthest, level_);
    std::optional<Separation> best;
    const auto consider = [&](std::span<const Index> key, Index keys) {
      if (keys < 3) return;
      Separation s = threshold_separation(graph, key, keys, tune[5], level_);
      const Index total = graph.total_weight();
      NodeRefiner(graph, s, multilevel_.refine).refine({static_cast<Index>(tune[5] * total), static_cast<int>(tune[2]), static_cast<Index>(tune[3])});
      const auto reference = static_cast<double>(s.weight[kSeparator]);
      if (!best || predicted_work(s.weight, reference) < predicted_work(best->weight, reference)) best = std::move(s);
    };
    consider(a.of, a.levels());
    if (options_.level_sets > 1) {
      std::vector<Index> key(a.of.size());
      const Index shift = b.levels();
      Index keys = 0;
      for (std::size_t v = 0; v < key.size(); ++v) key[v] = a.of[v] - b.of[v] + shift, keys = std::max(keys, key[v] + 1);
      consider(key, keys);
    }
    if (options_.level_sets > 2) consider(b.of, b.levels());
    return best;
  }

  // Not connected: what the search reached on one side, the rest on the other.
  static Separation pieces(const GraphView& graph, const Distances& reached) {
    Separation s{std::vector<Side>(reached.of.size()), {}};
    for (Index v = 0; v < graph.size(); ++v) {
      s.side[v] = reached.of[v] == kNone ? kRight : kLeft;
      s.weight[s.side[v]] += graph.weight_of(v);
    }
    return s;
  }

  const DissectionOptions& options_;
  std::span<Index> order_;
  MultilevelWorkspace multilevel_;
  LevelSetWorkspace level_;
  BandCutWorkspace cut_;
  AmdWorkspace amd_;
  std::vector<Index> local_, leaf_order_;
};

}  // namespace
}  // namespace dissection

void nested_dissection(const GraphView& graph, const DissectionOptions& options, std::span<Index> order) {
  dissection::Dissection(options, order).run(graph, {}, 0, {options.multilevel, options.level_sets > 0}, options.seed);
}

}  // namespace kauri::ordering
