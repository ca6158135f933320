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

/// A forest of nodes numbered in postorder; node k holds the vertices perm.old_of(i) of an ordering
/// perm with first[k] <= i < first[k+1], which come after those of all nodes below it. The forest
/// fits a graph if each edge joins two vertices of one node, or a vertex of a node to a vertex of a
/// node above it. A node is then a separator: without the vertices of the node and of those above
/// it, the subtrees below it are not connected to one another. Nodes that have none below them are
/// the leaves of the dissection.
struct SeparatorTree {
  std::vector<Index> first{0};  ///< length count()+1, ascending from 0 to n
  std::vector<Index> parent;    ///< length count(): the node above node k, > k; kNone at a root

  /// Returns the number of nodes.
  [[nodiscard]] Index count() const { return static_cast<Index>(parent.size()); }
  friend bool operator==(const SeparatorTree&, const SeparatorTree&) = default;
};

/// Returns the tree of separators of an ordering, which any method may have made. Subtrees of at
/// most `leaf` vertices become one node. A vertex whose earlier neighbours all lie in one subtree
/// joins that subtree's root; so the first vertices of a separator may end up in the root of one of
/// its sides. For an ordering in postorder of its elimination tree, as amd and nested_dissection
/// make for each component, a subtree is a range of the ordering in which no vertex has a neighbour
/// before the range. The symbolic phase finds these itself and needs no tree. Throws Error(input)
/// if the sizes differ, Error(usage) for leaf < 1. O(n + nnz).
SeparatorTree separator_tree(const Graph& graph, const Permutation& perm, Index leaf = 200);

/// Returns an ordering in which each node has the same vertices at the same positions [first[k],
/// first[k+1]) as in perm, but the vertices of each leaf are ordered anew by nested dissection,
/// which takes their neighbours outside the leaf into account as a halo. Use it to keep a given
/// partition, for example into domains: perm has the rows of each domain, in any sequence, followed
/// by the rows of interfaces, and each domain is a leaf of the tree. Other options than seed,
/// effort, compress, dense, threads and stop have no effect.
///
/// Throws Error: usage (options that order() refuses, whatever the method; a non-empty
/// options.last, since the tree says what comes last), input (a perm or tree that is not of the
/// graph's size; a tree that is no forest in postorder; a tree that does not fit the graph, with
/// two neighbouring rows and their nodes), cancelled, memory.
Permutation order_within(const Graph& graph, const Permutation& perm, const SeparatorTree& tree,
                         const OrderingOptions& options = {});

/// Returns an ordering of a graph that has changed a little since perm and tree were made. Leaves
/// that hold changed rows are ordered anew, and for a new edge between two branches the smallest
/// subtree that holds both ends. All other vertices keep their positions. changed: the
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
