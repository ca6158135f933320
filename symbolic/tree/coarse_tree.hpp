// The tree of supervariables that a plan is made of.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "symbolic/common/permuted_adjacency.hpp"

namespace kauri::symbolic {

/// The tree of supervariables, by place in a postorder.
struct CoarseTree {
  std::vector<Index> parent, count;
  std::vector<Index> lowest;    // where rows come last: the first one below the diagonal, which is parent but for those; else empty
  std::vector<Index> weight;    // empty: all are 1
  std::vector<Index> position;  // of the supervariable that the ordering eliminates k-th
};

/// The last `last` places, supervariables of one row, become a chain, as if they were a clique, with all that is below any of them below
/// the first: so they stay the last in postorder, and one supernode. O(pairs * inverse Ackermann).
CoarseTree coarse_tree(const PermutedAdjacency& adjacency, Index last);

/// Names nodes by their position: result[position[j]] = position[parent[j]].
std::vector<Index> renamed(std::span<const Index> parent, std::span<const Index> position);

}  // namespace kauri::symbolic
