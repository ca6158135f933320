// Separator trees from an elimination order, and reordering within the nodes of a tree.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/extras/separators.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "base/common/disjoint_sets.hpp"
#include "base/threads/allowed_threads.hpp"
#include "base/threads/blocks.hpp"
#include "base/threads/stopping.hpp"
#include "kauri/core/error.hpp"
#include "ordering/orderer.hpp"
#include "ordering/piece_order.hpp"

namespace kauri {
namespace ordering {
namespace {

/// Builds a separator tree place by place: open subtrees grow until a later place joins them.
class Growing {
 public:
  Growing(Index n, Index leaf) : n_(n), leaf_(leaf) {}

  /// Adds place k, after places 0 to k-1. lowest: the lowest place of the neighbours of the vertex
  /// at place k, if that is less than k, else k.
  void add(Index k, Index lowest) {
    auto met = open_.end();
    while (met != open_.begin() && (met == open_.end() ? k : met->begin) > lowest) --met;
    const auto joined = open_.end() - met;
    const Index begin = joined == 0 ? k : met->begin;
    if (joined == 1) return;  // k is one more of the own places of that subtree's root
    if (joined == 0 || k + 1 - begin <= leaf_) {
      open_.erase(met, open_.end());
      open_.push_back({begin, begin, {}});
      return;
    }
    OpenNode whole{begin, k, {}};
    for (auto child = met; child != open_.end(); ++child) whole.child.push_back(close(*child));
    open_.erase(met, open_.end());
    open_.push_back(std::move(whole));
  }

  SeparatorTree finish() {
    for (OpenNode& root : open_) close(root);
    // Numbers nodes in the order of their own places, so each node comes after all nodes below it.
    std::vector<Index> node_of(at(n_), kNone), number(own_.size());
    for (std::size_t node = 0; node < own_.size(); ++node)
      node_of[at(own_[node])] = static_cast<Index>(node);
    SeparatorTree tree;
    tree.first.clear();
    for (Index k = 0; k < n_; ++k)
      if (const Index node = node_of[at(k)]; node != kNone) {
        number[at(node)] = static_cast<Index>(tree.first.size());
        tree.first.push_back(k);
      }
    tree.first.push_back(n_);
    tree.parent.resize(own_.size(), kNone);
    for (std::size_t node = 0; node < own_.size(); ++node)
      if (parent_[node] != kNone) tree.parent[at(number[node])] = number[at(parent_[node])];
    return tree;
  }

 private:
  struct OpenNode {
    Index begin, own;          // first place of the subtree; first of its root's own places
    std::vector<Index> child;  // closed nodes directly below its root
  };
  static std::size_t at(Index k) { return static_cast<std::size_t>(k); }

  Index close(const OpenNode& open) {
    const auto node = static_cast<Index>(own_.size());
    own_.push_back(open.own);
    parent_.push_back(kNone);
    for (const Index c : open.child) parent_[at(c)] = node;
    return node;
  }

  const Index n_, leaf_;
  std::vector<OpenNode> open_;  // open subtrees: adjacent ranges, which cover all places so far
  std::vector<Index> own_, parent_;  // by closed node: first of its own places; parent or kNone
};

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorKind::input, "separators: " + what);
}

void check_size(const Permutation& perm, Index n) {
  if (perm.size() != n)
    refuse("a permutation of " + std::to_string(perm.size()) + " rows for a graph of " +
           std::to_string(n) + " vertices, expected one of all vertices");
}

/// A separator tree that was checked on construction, with queries. Borrows the tree. The
/// constructor throws Error(input) if the permutation or the tree does not have n places, or if the
/// tree is no forest in postorder.
class Nodes {
 public:
  Nodes(Index n, const Permutation& perm, const SeparatorTree& tree)
      : tree_(tree), lowest_(tree.parent.size()) {
    check_size(perm, n);
    check_places(n);
    check_forest();
    node_of_.resize(static_cast<std::size_t>(n));
    for (Index k = 0; k < tree.count(); ++k)
      for (Index place = tree.first[k]; place < tree.first[k + 1]; ++place)
        node_of_[perm.old_of(place)] = k;
  }

  [[nodiscard]] Index of(Index row) const { return node_of_[row]; }
  [[nodiscard]] bool is_leaf(Index k) const { return lowest_[k] == k; }
  [[nodiscard]] Index lowest(Index k) const { return lowest_[k]; }
  [[nodiscard]] bool holds(Index above, Index k) const { return lowest_[above] <= k && k <= above; }
  [[nodiscard]] bool related(Index a, Index b) const { return holds(a, b) || holds(b, a); }
  /// First place of the subtree of node k: begin(k); one past its last place: end(k).
  [[nodiscard]] Index begin(Index k) const { return tree_.first[lowest_[k]]; }
  [[nodiscard]] Index end(Index k) const { return tree_.first[k + 1]; }

 private:
  void check_places(Index n) const {
    if (tree_.first.size() != tree_.parent.size() + 1)
      refuse("`first` must be one longer than `parent`");
    if (tree_.first.front() != 0 || tree_.first.back() != n)
      refuse("nodes must hold places 0 to " + std::to_string(n - 1));
    for (Index k = 0; k < tree_.count(); ++k)
      if (tree_.first[k + 1] < tree_.first[k])
        refuse("`first` descends at node " + std::to_string(k) + ", expected ascending places");
  }
  void check_forest() {
    const Index count = tree_.count();
    std::iota(lowest_.begin(), lowest_.end(), 0);
    for (Index k = 0; k < count; ++k) {
      const Index up = tree_.parent[k];
      if (up == kNone) continue;
      if (up <= k || up >= count)
        refuse("the parent of node " + std::to_string(k) +
               " is not a later node; expected one, or kNone for a root");
      lowest_[up] = std::min(lowest_[up], lowest_[k]);
    }
    std::vector<Index> begin(
        lowest_.size());  // by node: 1 + number that its next child, from right to left, must have
    std::iota(begin.begin(), begin.end(), 0);
    Index root = count;
    for (Index k = count - 1; k >= 0; --k) {
      Index& next = tree_.parent[k] == kNone ? root : begin[tree_.parent[k]];
      if (next != k + 1)
        refuse("node " + std::to_string(k) +
               " is not in postorder, expected each subtree in nodes that end with its root");
      next = lowest_[k];
    }
  }

  const SeparatorTree& tree_;
  std::vector<Index> lowest_;  // by node: the lowest node of its subtree
  std::vector<Index> node_of_;
};

/// Nodes whose subtrees are to be reordered.
class Marks {
 public:
  Marks(const Nodes& nodes, const SeparatorTree& tree)
      : nodes_(nodes), tree_(tree), marked_(tree.parent.size(), 0), up_(tree.parent.size()) {
    std::iota(up_.begin(), up_.end(), 0);
  }

  void mark(Index k) { marked_[k] = 1; }
  /// Marks the root of the smallest subtree that contains nodes a and b; returns false if none
  /// contains both. Nodes on the way whose subtrees do not contain both lie inside the marked
  /// subtree, so later searches skip them.
  bool mark_common(Index a, Index b) {
    Index k = root_of(up_, std::max(a, b));
    for (; !nodes_.holds(k, std::min(a, b)); k = root_of(up_, k)) {
      if (tree_.parent[k] == kNone) return false;
      up_[k] = tree_.parent[k];
    }
    marked_[k] = 1;
    return true;
  }
  [[nodiscard]] const std::vector<char>& marked() const { return marked_; }

 private:
  const Nodes& nodes_;
  const SeparatorTree& tree_;
  std::vector<char> marked_;
  std::vector<Index> up_;
};

/// Places [begin, end) whose rows are reordered.
struct Range {
  Index begin, end;
};

Permutation order_ranges(const Graph& graph, const Permutation& perm,
                         const std::vector<Range>& ranges, const OrderingOptions& options) {
  std::vector<Index> old_of(perm.old_of().begin(), perm.old_of().end());
  PieceOrderer orderer(graph, options);
  Blocks(static_cast<Index>(ranges.size()), 1).for_each([&](Index k, Index, Index) {
    const auto begin = static_cast<std::size_t>(ranges[k].begin),
               end = static_cast<std::size_t>(ranges[k].end);
    // Isolated: a thread that waits within a range takes no other range, which would hold the
    // memory of both.
    isolated([&] { orderer.run(std::span(old_of).subspan(begin, end - begin)); });
  });
  return Permutation::from_old_of(std::move(old_of));
}

/// Returns the ranges of places of the marked subtrees that are not inside other marked ones, from
/// the last to the first.
std::vector<Range> outermost(const Nodes& nodes, const std::vector<char>& marked) {
  std::vector<Range> ranges;
  for (auto k = static_cast<Index>(marked.size()) - 1; k >= 0; --k)
    if (marked[k] != 0) {
      ranges.push_back({nodes.begin(k), nodes.end(k)});
      k = nodes.lowest(k);
    }
  return ranges;
}

template <class F>
Permutation in_arena(const OrderingOptions& options, F&& f) {
  require_sound(options, "order");
  if (!options.last.empty())
    throw Error(ErrorKind::usage,
                "order: in a tree of separators rows come last by their node, not by options.last");
  const StopScope scope(options.stop);
  std::optional<Permutation> found;
  with_threads(options.threads, [&] { found = f(); });
  return *std::move(found);
}

}  // namespace
}  // namespace ordering

SeparatorTree separator_tree(const Graph& graph, const Permutation& perm, Index leaf) {
  const Index n = graph.size();
  ordering::check_size(perm, n);
  if (leaf < 1)
    throw Error(ErrorKind::usage,
                "separator_tree: leaf is " + std::to_string(leaf) + ", expected 1 or more");
  ordering::Growing growing(n, leaf);
  for (Index k = 0; k < n; ++k) {
    Index lowest = k;
    for (const Index u : graph.neighbours(perm.old_of(k)))
      lowest = std::min(lowest, perm.new_of(u));
    growing.add(k, lowest);
  }
  return growing.finish();
}

Permutation order_within(const Graph& graph, const Permutation& perm, const SeparatorTree& tree,
                         const OrderingOptions& options) {
  return ordering::in_arena(options, [&] {
    const ordering::Nodes nodes(graph.size(), perm, tree);
    const StopCheck stop;
    for (Index v = 0; v < graph.size(); ++v) {
      stop.at(v);
      for (const Index u : graph.neighbours(v))
        if (!nodes.related(nodes.of(u), nodes.of(v)))
          ordering::refuse(
              "rows " + std::to_string(v) + " and " + std::to_string(u) +
              " are neighbours in nodes " + std::to_string(nodes.of(v)) + " and " +
              std::to_string(nodes.of(u)) +
              ", neither of which is above the other; expected a separator between the two");
    }
    std::vector<ordering::Range> leaves;
    for (Index k = 0; k < tree.count(); ++k)
      if (nodes.is_leaf(k)) leaves.push_back({nodes.begin(k), nodes.end(k)});
    return ordering::order_ranges(graph, perm, leaves, options);
  });
}

Permutation reorder(const Graph& graph, const Permutation& perm, const SeparatorTree& tree,
                    std::span<const Index> changed, const OrderingOptions& options) {
  return ordering::in_arena(options, [&] {
    const ordering::Nodes nodes(graph.size(), perm, tree);
    ordering::Marks marks(nodes, tree);
    const StopCheck stop;
    bool everything = false;
    for (std::size_t k = 0; k < changed.size(); ++k) {
      stop.at(static_cast<std::int64_t>(k));
      const Index v = changed[k];
      if (v < 0 || v >= graph.size())
        ordering::refuse("changed row " + std::to_string(k) + " is " + std::to_string(v) +
                         ", expected 0 to " + std::to_string(graph.size() - 1));
      if (nodes.is_leaf(nodes.of(v))) marks.mark(nodes.of(v));
      for (const Index u : graph.neighbours(v))
        if (!nodes.related(nodes.of(u), nodes.of(v)) &&
            !marks.mark_common(nodes.of(u), nodes.of(v)))
          everything = true;
    }
    std::vector<ordering::Range> ranges = ordering::outermost(nodes, marks.marked());
    if (everything) ranges = {{0, graph.size()}};
    return ordering::order_ranges(graph, perm, ranges, options);
  });
}

}  // namespace kauri
