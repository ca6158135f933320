// Elimination tree and postorder.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "symbolic/common/permuted_adjacency.hpp"

namespace kauri::symbolic {

/// parent[k] = the least place > k that column k of L meets, or kNone; columns are supervariables by place. By ancestor path compression:
/// J. W. H. Liu, "The role of elimination trees in sparse factorization", SIAM J. Matrix Anal. Appl. 11 (1990). O(pairs log n) time at
/// worst, in practice linear; O(n) memory. Independent ranges are done side by side by the threads of the calling arena. part: as for
/// part_size().
std::vector<Index> elimination_tree(const PermutedAdjacency& adjacency, Index part = 0);

/// position[j] = place of node j in a postorder of the forest: subtrees are contiguous and end with their root, children keep their order.
/// parent[j] > j or kNone. O(n) time, no recursion and no stack: each parent hands out the places below it from the end.
std::vector<Index> postorder(std::span<const Index> parent);

}  // namespace kauri::symbolic
