// Finds adjacent rows that are indistinguishable, mostly the unknowns of a mesh node, in the stored
// lower triangle.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "kauri/core/graph.hpp"

namespace kauri::ordering {

/// Returns the first rows of blocks, ascending, and n at the end. Blocks are maximal runs of rows
/// with the same closed neighbourhood in A's graph, except that each row of `apart` is a block.
/// Returns an empty vector if there are nearly as many blocks as rows. lower: checked. Compares
/// consecutive columns, then looks for gaps between the entries of the first column of each run:
/// O(nnz), sequential in memory, and no graph is made.
std::vector<Index> row_blocks(const Pattern& lower, std::span<const Index> apart);

/// Returns the graph of the blocks, in their order: two blocks are neighbours if their rows are.
/// first: first rows of the blocks, ascending, and n at the end: those of row_blocks(), or of any
/// subdivision of these blocks. O(n + entries in the first column of each block).
Graph graph_of_blocks(const Pattern& lower, std::span<const Index> first);

}  // namespace kauri::ordering
