// Orderings as trees of separators: the tree of an ordering, orderings inside a given partition,
// and after a local change of the graph.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "kauri/core/graph.hpp"
#include "kauri/core/ordering.hpp"
#include "kauri/core/permutation.hpp"

namespace kauri {

/// A forest, in postorder, whose nodes hold the places of an ordering: node k holds places
/// [first[k], first[k+1]), which follow those of all nodes below it. The forest fits a graph if
/// each edge joins two vertices of one node, or a vertex of a node to a vertex of a node above it.
/// A node is then a separator: without the vertices of the node and of those above it, the subtrees
/// below it are not connected to one another. Nodes that have none below them are the leaves of the
/// dissection.
struct SeparatorTree {
  std::vector<Index> first{0};  ///< length count()+1, ascending; first.back() = n
  std::vector<Index> parent;    ///< length count(): > k, or kNone

  /// Returns the number of nodes.
  [[nodiscard]] Index count() const { return static_cast<Index>(parent.size()); }
  friend bool operator==(const SeparatorTree&, const SeparatorTree&) = default;
};

/// Returns the tree of separators of an ordering, which any method may have made. Subtrees of at
/// most `leaf` vertices become one node. Vertices that extend one subtree alone join its root, so a
/// separator that first touches one of its sides alone begins in that side's root. For an ordering
/// in postorder of its elimination tree, as kauri's orderings are, the subtrees are the
/// closed ranges of places: no vertex in them has a neighbour before them. The symbolic phase finds
/// these itself, to work on subtrees in parallel, so it needs no tree. Throws Error(input) if the
/// sizes differ, Error(usage) for leaf < 1. O(n + nnz).
SeparatorTree separator_tree(const Graph& graph, const Permutation& perm, Index leaf = 200);

/// Returns an ordering with the same nodes at the same places, in which each leaf is ordered anew
/// by nested dissection, with its neighbours outside as a halo. Nodes above others keep their
/// sequence. It keeps a partition of the caller's, for example into domains: perm has the rows of
/// each domain, in any sequence, with the rows of interfaces behind them, and the tree tells the
/// domains apart. Options that count: seed, effort, compress, dense, threads, stop.
///
/// Throws Error: usage (options that order() refuses, whatever the method; a non-empty
/// options.last, since the tree says what comes last), input (a perm or tree that is not of the
/// graph's size; a tree that is no forest in postorder; a tree that does not fit the graph, with
/// two neighbouring rows and their nodes), cancelled, memory.
Permutation order_within(const Graph& graph, const Permutation& perm, const SeparatorTree& tree,
                         const OrderingOptions& options = {});

/// Returns an ordering of a graph that has changed a little since perm and tree were made. Leaves
/// that hold changed rows are ordered anew; for an edge between two branches, the least subtree
/// that holds both ends is. All other subtrees keep their places and their sequence. changed: the
/// rows whose neighbours have changed, which are both ends of each new and of each removed edge, in
/// any sequence. The method is in the spirit of Parth (B. Zarebavani, M. Kaufman, D. I. W. Levin,
/// M. Mehri Dehnavi, "Adaptive algebraic reuse of reordering in Cholesky factorization with dynamic
/// sparsity patterns", 2025). It never makes a separator smaller, so order() does better after many
/// changes. Options and errors are those of order_within(), but the tree need not fit the graph,
/// and changed rows out of range throw Error(input). O(n + edges of changed rows) beside the pieces
/// ordered anew.
Permutation reorder(const Graph& graph, const Permutation& perm, const SeparatorTree& tree,
                    std::span<const Index> changed, const OrderingOptions& options = {});

}  // namespace kauri
