// Elimination tree and postorder.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "symbolic/row_lists.hpp"

namespace kauri::symbolic {

/// parent[j] = min { i > j : L(i,j) != 0 }, or kNone; length n. By ancestor path compression: J. W. H. Liu, "The role of elimination
/// trees in sparse factorization", SIAM J. Matrix Anal. Appl. 11 (1990). O(nnz log n) time at worst, in practice linear; O(n) memory.
std::vector<Index> elimination_tree(const RowLists& rows);

/// position[j] = place of node j in a postorder of the forest: subtrees are contiguous and end with their root, children keep their order.
/// parent[j] > j or kNone. O(n) time, no recursion and no stack: each parent hands out the places below it from the end.
std::vector<Index> postorder(std::span<const Index> parent);

}  // namespace kauri::symbolic
