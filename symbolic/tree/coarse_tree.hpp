// The postordered elimination tree of supervariables with its column counts, which a plan is made
// from.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "symbolic/common/permuted_adjacency.hpp"

namespace kauri::symbolic {

/// The elimination tree of supervariables, with nodes numbered by a postorder.
struct CoarseTree {
  std::vector<Index> parent, count;  // per node: its parent, > the node, or kNone; entries of its
                                     // first column of L, the diagonal included
  std::vector<Index> lowest;    // if rows come last: each node's parent in the elimination tree of
                                // B, but the next node for the last rows; else empty
  std::vector<Index> weight;    // rows of each node; empty: all are 1
  std::vector<Index> position;  // by place in the ordering: the node of the supervariable
};

/// Makes the tree. The last `last` places, supervariables of one row, become a chain, as if they
/// were a clique; nodes below any of them become descendants of the first one. So these rows stay
/// the last in postorder and form one supernode. O(pairs log n) time at worst, in practice linear.
CoarseTree coarse_tree(const PermutedAdjacency& adjacency, Index last);

/// Returns the parents after nodes are renumbered by position: result[position[j]] =
/// position[parent[j]].
std::vector<Index> renamed(std::span<const Index> parent, std::span<const Index> position);

}  // namespace kauri::symbolic
