// Neighbouring rows that are indistinguishable, found in the lower triangle as it lies in memory: the unknowns of a node, mostly.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "kauri/graph.hpp"

namespace kauri::ordering {

/// Where blocks of rows begin, ascending, and n at the end: maximal runs of rows with the same closed neighbourhood in A's graph, but that
/// those of `apart` are blocks of their own. Empty where there are nearly as many as rows. lower: checked. Columns that follow one another
/// are compared, and of the first of each run it is looked where its entries do not follow one another: O(nnz), in sequence, and no graph
/// is made.
std::vector<Index> row_blocks(const Pattern& lower, std::span<const Index> apart);

/// The graph of the blocks, numbered as they are: two are neighbours if their rows are. first: where blocks begin, as row_blocks() gives it
/// or any that divide those. O(n + entries in the first column of each).
Graph graph_of_blocks(const Pattern& lower, std::span<const Index> first);

}  // namespace kauri::ordering
