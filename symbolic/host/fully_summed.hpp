// Fully summed columns of contribution blocks: the first columns, which are pivots of the parent.
// They are dead once the parent's panel is assembled.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "kauri/core/types.hpp"
#include "symbolic/common/permuted_adjacency.hpp"
#include "symbolic/host/task_memory.hpp"

namespace kauri::symbolic {

/// Returns Schedule::fully_summed_columns, a number of columns for each front's contribution block.
/// For a block that is handed to another task it counts the columns that are pivots of the parent,
/// rounded down to a multiple of kTile unless these are all columns; it may be 0 for a block of at
/// most kTile columns in any case. For other blocks it is q. A row of B that is a pivot of the
/// parent is a row of the child if it has an entry in the columns of the child's subtree.
/// adjacency, row_of: as in PlanDraft; first: first column of each front, then n. O(n + pairs in
/// the rows of parents in other tasks * log of their children).
std::vector<Index> fully_summed_columns(const TaskTree& tree, const PermutedAdjacency& adjacency,
                                        std::span<const Index> row_of,
                                        std::span<const Index> first);

}  // namespace kauri::symbolic
