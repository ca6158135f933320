// kauri's own nested dissection: A. George, "Nested dissection of a regular finite element mesh", SIAM J. Numer. Anal. 10 (1973).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "kauri/ordering.hpp"
#include "ordering/graph/graph_view.hpp"

namespace kauri::ordering {

struct DissectionOptions {
  std::uint64_t seed = 1;
  Effort effort = Effort::standard;
};

/// Writes to order (length graph.size()) a nested dissection: where there are many, hanging trees and chains, which are eliminated first
/// (peel); of what is left the vertices of either side of a separator, then the separator, in the same way for the sides, down to leaves of
/// some 200 vertices, which are ordered by minimum degree with their surroundings in sight (leaf_minimum_degree). Separators are the best
/// of several, by predicted_work(): level sets of distances and multilevel ones, refined and exchanged for minimum cuts of the band around.
/// A part that a thin separator divides, as of networks, is a leaf whatever its size, and so is one that nothing divides well. The graph
/// need not be connected. Dense rows are the caller's business, as in approximate_minimum_degree, which orders all of a thin graph.
///
/// A function of graph, seed and effort alone. Threads are those of the calling arena of oneTBB. Memory: two to three times that of the
/// graph.
void nested_dissection(const GraphView& graph, const DissectionOptions& options, std::span<Index> order);

/// The same for the vertices v < interior; the others are a halo: they come later, count in the degrees of leaves, and edges between them
/// need not be there. order: length interior.
void nested_dissection(const GraphView& graph, Index interior, const DissectionOptions& options, std::span<Index> order);

}  // namespace kauri::ordering
