// Elimination tree and postorder.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "symbolic/common/permuted_adjacency.hpp"

namespace kauri::symbolic {

/// Returns parent[k], the least place > k with an entry in column k of L, or kNone; columns are
/// supervariables by place. Uses ancestor path compression: J. W. H. Liu, "The role of elimination
/// trees in sparse factorization", SIAM J. Matrix Anal. Appl. 11 (1990). O(pairs log n) time at
/// worst, in practice linear; O(n) memory. The threads of the calling arena process independent
/// ranges side by side. part: places of a range, as `asked` of part_size().
std::vector<Index> elimination_tree(const PermutedAdjacency& adjacency, Index part = 0);

/// Returns position[j], the place of node j in a postorder of the forest: subtrees are contiguous
/// and end with their root, and children keep their order. parent[j] > j or kNone. O(n) time,
/// without recursion or a stack: each parent hands out the places of its subtree to its children
/// from the end.
std::vector<Index> postorder(std::span<const Index> parent);

}  // namespace kauri::symbolic
