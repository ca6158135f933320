// Heavy-edge matching and contraction.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/multilevel/coarsen.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#include "base/host/memory.hpp"
#include "base/threads/blocks.hpp"
#include "base/threads/per_thread.hpp"
#include "base/threads/stopping.hpp"

namespace kauri::ordering::dissection {
namespace {

// Most neighbours of a vertex that match_hanging() pairs by its neighbour of highest degree; of
// more neighbours, that one says little about the vertex.
constexpr Index kMostHanging = 8;
// Number of vertices of a block: those of a block are first matched with one another, then the ones
// left of all blocks. The matching depends on this size.
constexpr Index kMatchBlock = 32768;
// kMergeBlock: vertices whose edges are merged in one task. kMergedAlone: size up to which a graph
// is one task.
constexpr Index kMergeBlock = 4096, kMergedAlone = 16384;

class Matching {
 public:
  Matching(const GraphView& graph, std::span<const Index> edge_weight, Index most,
           std::vector<Index>& mate)
      : graph_(graph), edge_weight_(edge_weight), most_(most), mate_(mate) {
    mate_.assign(static_cast<std::size_t>(graph.size()), kNone);
  }

  /// Matches within each block, then the vertices left over of all blocks, then, if these are still
  /// many, by match_hanging().
  void run(bool backwards) {
    backwards_ = backwards;
    const Blocks blocks(graph_.size(), kMatchBlock);
    std::atomic<Index> left{0};
    blocks.for_each([&](Index, Index begin, Index end) { left += match({begin, end}); });
    if (blocks.count() > 1) left = match({0, graph_.size()});
    if (left > graph_.size() / 8) match_hanging();
  }

 private:
  struct Span {
    Index begin, end;
    [[nodiscard]] bool has(Index v) const { return v >= begin && v < end; }
  };

  // Matches vertices of a block with one another; returns the number left unmatched.
  Index match(const Span& block) {
    Index left = 0;
    const StopCheck check_stop;
    for (Index k = 0; k < block.end - block.begin; ++k) {
      check_stop.at(k);
      const Index v = backwards_ ? block.end - 1 - k : block.begin + k;
      if (mate_[v] != kNone) continue;
      const Index u = edge_weight_.empty() ? lightest(v, block) : heaviest(v, block);
      if (u == kNone)
        ++left;
      else
        mate_[v] = u, mate_[u] = v;
    }
    return left;
  }
  // Returns a free neighbour of v in the block, or kNone, for a graph whose edges weigh the same:
  // the lightest one, if the pair then weighs at most most_. Without vertex weights this is the
  // first one in the list of v, or the last one if backwards_.
  [[nodiscard]] Index lightest(Index v, const Span& block) const {
    const auto free = [&](Index u) { return block.has(u) && mate_[u] == kNone; };
    const auto near = graph_.neighbours(v);
    if (graph_.weight.empty()) {
      if (!backwards_) {
        const auto u = std::find_if(near.begin(), near.end(), free);
        return u == near.end() ? kNone : *u;
      }
      const auto u = std::find_if(near.rbegin(), near.rend(), free);
      return u == near.rend() ? kNone : *u;
    }
    Index best = kNone, weight = most_ - graph_.weight[v] + 1;
    for (const Index u : near)
      if (free(u) && graph_.weight[u] < weight) best = u, weight = graph_.weight[u];
    return best;
  }
  // Returns a free neighbour of v in the block, or kNone, for a graph with edge weights: the one
  // across the heaviest edge such that the pair weighs at most most_; of several, the lightest.
  [[nodiscard]] Index heaviest(Index v, const Span& block) const {
    Index best = kNone, edge = 0, weight = 0;
    const Index room = most_ - graph_.weight_of(v);
    for (Offset k = graph_.ptr[v]; k < graph_.ptr[v + 1]; ++k) {
      const Index u = graph_.adjacency[k], e = edge_weight_[k];
      if (e < edge || !block.has(u) || mate_[u] != kNone) continue;
      const Index w = graph_.weight_of(u);
      if (w > room || (e == edge && w >= weight)) continue;
      best = u, edge = e, weight = w;
    }
    return best;
  }
  // Matches unmatched vertices with the same hub, their neighbour of highest degree, in pairs that
  // weigh at most most_.
  void match_hanging() {
    std::vector<Index> slot(mate_.size(), kNone);
    for (Index v = 0; v < graph_.size(); ++v) {
      if (mate_[v] != kNone || graph_.degree(v) == 0 || graph_.degree(v) > kMostHanging) continue;
      Index& waiting = slot[hub(v)];
      if (waiting == kNone) {
        waiting = v;
      } else if (graph_.weight_of(v) + graph_.weight_of(waiting) <= most_) {
        mate_[v] = waiting, mate_[waiting] = v, waiting = kNone;
      }
    }
  }
  [[nodiscard]] Index hub(Index v) const {
    const auto neighbours = graph_.neighbours(v);
    return *std::max_element(neighbours.begin(), neighbours.end(), [this](Index a, Index b) {
      return graph_.degree(a) < graph_.degree(b);
    });
  }

  const GraphView& graph_;
  const std::span<const Index> edge_weight_;
  const Index most_;
  std::vector<Index>& mate_;
  bool backwards_ = false;
};

Index sum_of(Index a, Index b) {
  return static_cast<Index>(std::min<Offset>(Offset{a} + b, std::numeric_limits<Index>::max()));
}

/// Merges the edges of the coarse vertices of one block, those whose lesser fine vertex is in it,
/// coarse vertex after coarse vertex.
class Merger {
 public:
  Merger(const GraphView& fine, std::span<const Index> edge_weight,
         const std::vector<Index>& coarse_of, std::vector<Index>& place)
      : fine_(fine), edge_weight_(edge_weight), coarse_of_(coarse_of), place_(place) {}

  /// Reserves memory for `edges` edges. Existing entries of place_ may have any value >= 0.
  void begin(Offset edges, Index coarse_vertices) {
    adjacency.resize(static_cast<std::size_t>(edges));
    weight.resize(static_cast<std::size_t>(edges));
    if (place_.size() < static_cast<std::size_t>(coarse_vertices))
      place_.resize(static_cast<std::size_t>(coarse_vertices), 0);
  }
  void next() { first_ = end_; }
  /// Adds the edges of v to those of coarse vertex c, for which next() was called.
  void add(Index v, Index c) {
    for (Offset k = fine_.ptr[v]; k < fine_.ptr[v + 1]; ++k) {
      const Index d = coarse_of_[fine_.adjacency[k]];
      if (d == c) continue;
      const Index e = edge_weight_.empty() ? 1 : edge_weight_[k];
      const Offset at = first_ + place_[d];
      if (at < end_ && adjacency[at] == d) {
        weight[at] = sum_of(weight[at], e);
      } else {
        place_[d] = static_cast<Index>(end_ - first_);
        adjacency[end_] = d;
        weight[end_++] = e;
      }
    }
  }
  [[nodiscard]] Offset end() const { return end_; }

  Array<Index> adjacency, weight;  // merged edges; valid up to end(), never touched from there on

 private:
  const GraphView& fine_;
  const std::span<const Index> edge_weight_;
  const std::vector<Index>& coarse_of_;
  std::vector<Index>& place_;
  Offset first_ = 0, end_ = 0;
};

/// Numbers the coarse vertices, which are pairs and single vertices, by their lesser fine vertex.
/// Sets coarser.coarse_of and the weights of coarser.graph. Returns the first number of each block
/// of fine vertices, and at the end the number of coarse vertices.
std::vector<Index> number(const GraphView& graph, const std::vector<Index>& mate,
                          const Blocks& blocks, Coarser& coarser) {
  const auto leads = [&mate](Index v) { return mate[v] == kNone || v < mate[v]; };
  std::vector<Index> first(static_cast<std::size_t>(blocks.count()) + 1);
  blocks.for_each([&](Index b, Index begin, Index end) {
    for (Index v = begin; v < end; ++v) first[b + 1] += leads(v);
  });
  for (std::size_t b = 1; b < first.size(); ++b) first[b] += first[b - 1];
  coarser.coarse_of.resize(mate.size());
  coarser.graph.weight.resize(static_cast<std::size_t>(first.back()));
  blocks.for_each([&](Index b, Index begin, Index end) {
    Index next = first[b];
    for (Index v = begin; v < end; ++v) {
      if (!leads(v)) continue;
      coarser.graph.weight[next] = graph.weight_of(v);
      if (const Index u = mate[v]; u != kNone)
        coarser.coarse_of[u] = next, coarser.graph.weight[next] += graph.weight_of(u);
      coarser.coarse_of[v] = next++;
    }
  });
  return first;
}

/// Sets the edges of coarser.graph: merges edges block by block, each block in separate memory,
/// then concatenates the blocks. first: from number().
void merge_edges(const GraphView& fine, std::span<const Index> edge_weight, const Blocks& blocks,
                 std::span<const Index> first, CoarsenWorkspace& workspace, Coarser& coarser) {
  LevelGraph& to = coarser.graph;
  const std::vector<Index>& mate = workspace.mate;
  std::vector<Array<Index>> adjacency(static_cast<std::size_t>(blocks.count())),
      weight(adjacency.size());
  std::vector<Offset> begins(adjacency.size() + 1);
  PerThread<std::vector<Index>> places;  // used if there are several blocks
  to.ptr.resize(to.weight.size() + 1);
  blocks.for_each([&](Index b, Index begin, Index end) {
    Offset edges = 0;
    for (Index v = begin; v < end; ++v)
      if (const Index u = mate[v]; u == kNone || v < u)
        edges += fine.degree(v) + (u == kNone ? 0 : fine.degree(u));
    Merger merger(fine, edge_weight, coarser.coarse_of,
                  blocks.count() == 1 ? workspace.place : *places.use());
    merger.begin(edges, static_cast<Index>(to.weight.size()));
    Index c = first[b];
    const StopCheck check_stop;
    for (Index v = begin; v < end; ++v) {
      check_stop.at(v);
      const Index u = mate[v];
      if (u != kNone && u < v) continue;
      merger.next();
      merger.add(v, c);
      if (u != kNone) merger.add(u, c);
      to.ptr[++c] = merger.end();
    }
    begins[b + 1] = merger.end();
    merger.adjacency.resize(static_cast<std::size_t>(merger.end()));
    merger.weight.resize(static_cast<std::size_t>(merger.end()));
    adjacency[b] = std::move(merger.adjacency), weight[b] = std::move(merger.weight);
  });
  if (blocks.count() == 1) {
    to.adjacency = std::move(adjacency[0]), to.edge_weight = std::move(weight[0]);
    return;
  }
  for (std::size_t b = 1; b < begins.size(); ++b) begins[b] += begins[b - 1];
  resize_large(to.adjacency, begins.back());
  resize_large(to.edge_weight, begins.back());
  blocks.for_each([&](Index b, Index, Index) {
    std::copy(adjacency[b].begin(), adjacency[b].end(), to.adjacency.begin() + begins[b]);
    std::copy(weight[b].begin(), weight[b].end(), to.edge_weight.begin() + begins[b]);
    for (Index c = first[b]; c < first[b + 1]; ++c) to.ptr[c + 1] += begins[b];
    adjacency[b] = {}, weight[b] = {};
  });
}

}  // namespace

Coarser coarsen(const GraphView& graph, std::span<const Index> edge_weight, Index most,
                bool backwards, CoarsenWorkspace& workspace) {
  Matching(graph, edge_weight, most, workspace.mate).run(backwards);
  Coarser coarser;
  const bool alone = graph.size() <= kMergedAlone || threads_here() == 1;
  const Blocks blocks(graph.size(), alone ? std::max<Index>(graph.size(), 1) : kMergeBlock);
  const std::vector<Index> first = number(graph, workspace.mate, blocks, coarser);
  merge_edges(graph, edge_weight, blocks, first, workspace, coarser);
  return coarser;
}

}  // namespace kauri::ordering::dissection
