// Orderings as trees of separators: what an ordering is made of, orders inside a given partition, and after a local change of the graph.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "kauri/graph.hpp"
#include "kauri/ordering.hpp"
#include "kauri/permutation.hpp"

namespace kauri {

/// The places of an ordering in nodes of a forest, in postorder: node k holds places [first[k], first[k+1]), which follow those of all
/// nodes below it. It fits a graph if each edge joins two vertices of one node, or one of a node to one of a node above it: then what is
/// below a node falls apart without the node and those above, and nodes without one below them are leaves of a dissection.
struct SeparatorTree {
  std::vector<Index> first{0};  ///< length count()+1, ascending; first.back() = n
  std::vector<Index> parent;    ///< length count(): > k, or kNone

  /// Nodes.
  [[nodiscard]] Index count() const { return static_cast<Index>(parent.size()); }
  friend bool operator==(const SeparatorTree&, const SeparatorTree&) = default;
};

/// The tree that an ordering of a graph amounts to, whatever method it is of, down to subtrees of at most `leaf` vertices, each of which is
/// one node, as are vertices that extend one subtree alone: a separator that first touches one of its sides alone begins there. For an
/// ordering in postorder of its elimination tree, as those of kauri are, these are the ranges of places that are closed: nothing in them
/// has a neighbour before them. (The symbolic phase finds the same, to work on subtrees side by side, so no tree need be handed to it.)
/// Throws Error(input) if the sizes differ, Error(usage) for leaf < 1. O(n + nnz).
SeparatorTree separator_tree(const Graph& graph, const Permutation& perm, Index leaf = 200);

/// A numbering of the same nodes at the same places, each leaf ordered anew by nested dissection with its surroundings in sight; nodes
/// above others keep their sequence. This is how a partition of the caller's is kept, of domains say: perm has the rows of each domain in
/// any sequence, those of the interfaces behind them, and the tree says which is which. options: seed, effort, compress, dense, threads.
/// Throws Error(usage) for threads < 0 and for options.last, since the tree says what comes last; Error(input) if perm or tree are not of
/// the graph's size, if the tree is no forest in postorder, or does not fit the graph: with two rows that are neighbours and their nodes.
Permutation order_within(const Graph& graph, const Permutation& perm, const SeparatorTree& tree, const OrderingOptions& options = {});

/// An ordering of a graph that has changed a little since perm and tree were made: subtrees in which nothing has changed keep their places
/// and their sequence. changed: the rows that have other neighbours now, both ends of each new and of each missing edge, in any sequence.
/// Leaves with such rows are ordered anew, and of an edge between two branches the least subtree that holds both. In the spirit of Parth
/// (B. Zarebavani, M. Kaufman, D. I. W. Levin, M. Mehri Dehnavi, "Adaptive algebraic reuse of reordering in Cholesky factorization with
/// dynamic sparsity patterns", 2025). Separators are never made smaller, so after many changes order() does better. options and errors as
/// for order_within(), but that the tree need not fit; and Error(input) for changed rows that are out of range. O(n + edges of changed
/// rows) beyond what is ordered anew.
Permutation reorder(const Graph& graph, const Permutation& perm, const SeparatorTree& tree, std::span<const Index> changed,
                    const OrderingOptions& options = {});

}  // namespace kauri
