// Eliminates hanging trees and chains in rounds of rake and compress: G. L. Miller, J. H. Reif,
// "Parallel tree contraction and its application", FOCS (1985) 478-489.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/peel.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/threads/stopping.hpp"
#include "ordering/features/graph_features.hpp"

namespace kauri::ordering::dissection {
namespace {

// Shares of vertices with at most two neighbours: kWorthwhile, from which a graph is peeled;
// kAgain, from which another round pays, since minimum degree also eliminates the vertices that
// remain. kFew: share of the vertices that a round must eliminate, else it is the last.
constexpr double kWorthwhile = 0.1, kAgain = 0.2, kFew = 0.1;
// kLayers: layers of leaves between two checks of the chains that leaves hang by. kLongChain:
// number of inner vertices from which such a chain is contracted. Contraction creates fill, which
// leaves do not; but one by one, the chain's vertices would be as many levels of the elimination
// tree.
constexpr int kLayers = 32;
constexpr Index kLongChain = 32;

/// One round on a graph whose vertex v is vertex name[v] of the original graph.
class Round {
 public:
  Round(const GraphView& graph, Index interior, std::span<const Index> name, Peeling& found)
      : graph_(graph),
        interior_(interior),
        name_(name),
        found_(found),
        node_(static_cast<std::size_t>(graph.size())) {}

  /// Eliminates leaves until none remains, then chains.
  void run() {
    rake();
    compress();
  }

  /// Stores the remaining graph as the core of found_, with its vertices' numbers in the original
  /// graph.
  void extract() {
    std::vector<Index> number(node_.size(), kNone), vertex;
    Index interior = 0;
    for (Index v = 0; v < graph_.size(); ++v)
      if (alive(v)) {
        number[v] = static_cast<Index>(vertex.size());
        vertex.push_back(v);
        interior += v < interior_ ? 1 : 0;
      }
    LevelGraph core;
    join(number, vertex, core);
    if (!graph_.weight.empty())
      for (const Index v : vertex) core.weight.push_back(graph_.weight[v]);
    for (Index& v : vertex) v = name_of(v);
    found_.core = std::move(core);
    found_.vertex = std::move(vertex);
    found_.interior = interior;
  }

 private:
  // Neighbours that remain: their number, and the exclusive or of their indices (`link`), which
  // yields the only neighbour, or one of two from the other.
  struct PeelNode {
    Index degree = 0, link = 0;
  };
  static constexpr Index kGone = -1, kKept = 3;

  [[nodiscard]] Index name_of(Index v) const { return v == kNone || name_.empty() ? v : name_[v]; }
  [[nodiscard]] bool alive(Index v) const { return node_[v].degree != kGone; }

  void eliminate(Index v, Index a, Index b) {
    node_[v].degree = kGone;
    found_.peeled.push_back(name_of(v));
    found_.above.push_back({name_of(a), name_of(b)});
  }

  /// Eliminates leaves, layer by layer.
  void rake() {
    std::vector<Index> layer, next;
    for (Index v = 0; v < graph_.size(); ++v) {
      node_[v].degree = graph_.degree(v);
      for (const Index u : graph_.neighbours(v)) node_[v].link ^= u;
      if (v < interior_ && node_[v].degree == 1) layer.push_back(v);
    }
    for (int k = 1; !layer.empty(); ++k) {
      stop_here();
      if (k % kLayers == 0)
        for (const Index v : layer) shorten(v);
      next.clear();
      for (const Index v : layer) {
        if (node_[v].degree != 1) continue;  // v is the last vertex of its component, and remains
        const Index u = node_[v].link;
        eliminate(v, u, kNone);
        node_[u].link ^= v;
        if (--node_[u].degree == 1 && u < interior_) next.push_back(u);
      }
      layer.swap(next);
    }
  }

  /// Contracts the chain that leaf v hangs by, if it is long. v and what remains of the chain are
  /// leaves of later layers.
  void shorten(Index v) {
    if (node_[v].degree != 1) return;
    chain_.assign(1, v);
    walk(node_[v].link, graph_.weight_of(node_[v].link));
    if (static_cast<Index>(chain_.size()) - 2 < kLongChain) return;
    const Index end = chain_.back(), before = chain_[chain_.size() - 2], left = reduce();
    node_[v].link = left == kNone ? end : left;
    node_[end].link ^= before ^ (left == kNone ? v : left);
    if (left != kNone) node_[left].link = v ^ end;
  }

  [[nodiscard]] bool in_chain(Index v, Index weight) const {
    return node_[v].degree == 2 && v < interior_ && graph_.weight_of(v) == weight;
  }

  /// Contracts runs of vertices with two neighbours and equal weights.
  void compress() {
    const StopCheck check_stop;
    for (Index v = 0; v < interior_; ++v) {
      check_stop.at(v);
      if (node_[v].degree != 2) continue;
      find_chain(v);
      contract();
    }
  }

  /// Stores in chain_ the run of vertices in_chain() through v, with the two vertices at its ends,
  /// which are not in the run. In a cycle, v is both ends.
  void find_chain(Index v) {
    const Index weight = graph_.weight_of(v);
    const auto list = graph_.neighbours(v);
    const Index one = *std::find_if(list.begin(), list.end(), [this](Index u) { return alive(u); });
    chain_.assign(1, v);
    walk(one, weight);
    if (chain_.back() == v) return;
    std::reverse(chain_.begin(), chain_.end());
    walk(node_[v].link ^ one, weight);
  }

  /// Extends chain_ from its last vertex via v and on, up to the first vertex that is not
  /// in_chain(weight), or to the vertex from which it was extended.
  void walk(Index v, Index weight) {
    const Index start = chain_.back();
    Index before = start;
    for (chain_.push_back(v); v != start && in_chain(v, weight); chain_.push_back(v))
      before = std::exchange(v, node_[v].link ^ before);
  }

  void contract() {
    const Index a = chain_.front(), b = chain_.back();
    node_[a].degree = node_[b].degree =
        kKept;  // not contracted in this round: their neighbours are no longer those of their lists
    const Index left = reduce();
    if (left == kNone) {
      if (a != b) joined_.emplace_back(a, b);
      return;
    }
    node_[left].degree = kKept;
    if (left != chain_[1]) joined_.emplace_back(a, left);
    if (left != chain_[chain_.size() - 2]) joined_.emplace_back(left, b);
  }

  /// Eliminates the chain by cyclic reduction: every second of the remaining vertices. So
  /// log2(count) levels of the elimination tree hold them, and each has two neighbours when it is
  /// eliminated, as in an elimination from one end. Returns the vertex that stays between the ends,
  /// or kNone.
  Index reduce() {
    const Index a = chain_.front(), b = chain_.back();
    const Offset count = static_cast<Offset>(chain_.size()) - 2;
    Offset step = 1;
    for (; 2 * step <= count; step *= 2)
      for (Offset k = step; k <= count; k += 2 * step)
        eliminate(chain_[k], chain_[k - step], chain_[std::min(k + step, count + 1)]);
    const Index last = chain_[step];  // the last inner vertex, whose neighbours are the ends
    if (a != b && !joins_cheaply(last, a, b)) return last;
    eliminate(last, a, a == b ? kNone : b);
    return kNone;
  }

  /// Returns true if eliminating v, with neighbours a and b, creates no more fill than v has edges,
  /// by weight. A light vertex between two heavier ones separates them, which is cheaper than
  /// joining them.
  [[nodiscard]] bool joins_cheaply(Index v, Index a, Index b) const {
    const Offset x = graph_.weight_of(a), y = graph_.weight_of(b);
    return x * y <= graph_.weight_of(v) * (x + y);
  }

  /// Writes to `core` the edges among `vertex`, the remaining vertices, in their new numbers: the
  /// remaining edges and those of joined_, without duplicates. number: by vertex of the graph,
  /// kNone if eliminated.
  void join(std::span<const Index> number, std::span<const Index> vertex, LevelGraph& core) const {
    std::vector<Offset> first(node_.size() + 1, 0);
    for (const auto& [a, b] : joined_) ++first[a + 1], ++first[b + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<Index> added(static_cast<std::size_t>(first.back()));
    std::vector<Offset> next(first.begin(), first.end() - 1);
    for (const auto& [a, b] : joined_) added[next[a]++] = number[b], added[next[b]++] = number[a];
    const StopCheck check_stop;
    for (const Index v : vertex) {
      check_stop.at(static_cast<Offset>(core.ptr.size()));
      const auto begin = static_cast<std::ptrdiff_t>(core.adjacency.size());
      for (const Index u : graph_.neighbours(v))
        if (number[u] != kNone) core.adjacency.push_back(number[u]);
      if (first[v] != first[v + 1]) {
        core.adjacency.insert(core.adjacency.end(), added.begin() + first[v],
                              added.begin() + first[v + 1]);
        std::sort(core.adjacency.begin() + begin, core.adjacency.end());
        core.adjacency.erase(std::unique(core.adjacency.begin() + begin, core.adjacency.end()),
                             core.adjacency.end());
      }
      core.ptr.push_back(static_cast<Offset>(core.adjacency.size()));
    }
  }

  const GraphView graph_;
  const Index interior_;
  const std::span<const Index> name_;  // by vertex: original number; empty: the identity
  Peeling& found_;
  std::vector<PeelNode> node_;
  std::vector<Index> chain_;                     // end, inner vertices of the chain, end
  std::vector<std::pair<Index, Index>> joined_;  // edges that contractions have created
};

}  // namespace

std::optional<Peeling> peel(const GraphView& graph, Index interior) {
  if (hanging_share(graph) < kWorthwhile) return {};
  Peeling found;
  GraphView left = graph;
  found.interior = interior;
  found.peeled.reserve(static_cast<std::size_t>(interior));
  found.above.reserve(static_cast<std::size_t>(interior));
  for (;;) {
    const std::vector<Index> name = std::move(found.vertex);
    const LevelGraph keep = std::move(found.core);
    const std::size_t before = found.peeled.size();
    Round round(left, found.interior, name, found);
    round.run();
    const bool few = static_cast<double>(found.peeled.size() - before) < kFew * left.size();
    round.extract();
    left = found.core.view();
    if (few || hanging_share(left) < kAgain) break;
  }
  return found;
}

void place_all(const Peeling& peeling, std::span<const Index> core_order, std::span<Index> order) {
  const std::size_t count = peeling.peeled.size();
  // Position in the elimination, by vertex of the graph; for the halo, a position after all others.
  std::vector<Index> rank(count + peeling.vertex.size(), static_cast<Index>(order.size()));
  for (std::size_t k = 0; k < count; ++k) rank[peeling.peeled[k]] = static_cast<Index>(k);
  for (std::size_t k = 0; k < core_order.size(); ++k)
    rank[peeling.vertex[core_order[k]]] = static_cast<Index>(count + k);
  // Arrays by position in the elimination, with one more for a virtual root above all: the parent
  // (of peeled vertices), the size of the subtree, and the end of the places still free for the
  // subtrees below.
  const std::size_t root = order.size();
  std::vector<Index> parent(count), size(root + 1, 1), end(root + 1);
  for (std::size_t k = 0; k < count; ++k) {
    const auto [a, b] = peeling.above[k];
    parent[k] = b == kNone ? rank[a] : std::min(rank[a], rank[b]);
    size[parent[k]] += size[k];
  }
  end[root] = static_cast<Index>(root);
  for (std::size_t k = root; k-- > 0;) {
    const std::size_t up = k < count ? static_cast<std::size_t>(parent[k]) : root;
    const Index place = end[up] - 1;
    end[up] -= size[k];
    end[k] = place;
    order[place] = k < count ? peeling.peeled[k] : peeling.vertex[core_order[k - count]];
  }
}

}  // namespace kauri::ordering::dissection
