// kauri's own nested dissection: A. George, "Nested dissection of a regular finite element mesh",
// SIAM J. Numer. Anal. 10 (1973).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "kauri/core/ordering.hpp"
#include "ordering/graph/graph_view.hpp"

namespace kauri::ordering {

/// Steps that are counted for each vertex and each directed edge of a part whose separator is
/// sought. The unit is an entry of a list that minimum degree visits, 5 ns: in a graph of 100,000
/// vertices, nine halvings down to parts of 200 vertices then count as many steps as fit into the
/// predicted seconds of a dissection (order_seconds()).
inline constexpr Offset kDissectionSteps = 8;

/// Options of nested_dissection(), and its count of steps.
struct DissectionOptions {
  std::uint64_t seed = 1;
  Effort effort = Effort::standard;
  Offset most_work = std::numeric_limits<Offset>::max();  ///< most steps; with more, the dissection
                                                          ///< is given up
  Offset* work = nullptr;  ///< receives the number of steps, if not null
};

/// Writes a nested dissection to order (length graph.size()). Hanging trees and chains, if the
/// graph has many, are eliminated first (peel). The order of the rest is the two sides of a
/// separator, each ordered recursively, then the separator. Leaves have about 200 vertices and are
/// ordered by minimum degree with their neighbours as a halo (leaf_minimum_degree). A separator is
/// the best of several by predicted_work(): level sets of distances and multilevel ones, refined,
/// then replaced by minimum cuts of the band around them. A part with a thin separator, as in
/// networks, or without a good separator is a leaf of any size. The graph need not be connected.
/// Dense rows are ordered like all others. If the whole graph has a thin separator,
/// approximate_minimum_degree() orders it.
///
/// The result is a function of graph, seed and effort alone. Uses the threads of the calling oneTBB
/// arena. Memory: two to three times that of the graph.
///
/// Returns false, and leaves order unspecified, if more than most_work steps would be made: a
/// function of the same arguments. An entry of a list that minimum degree visits in a leaf of more
/// than BitMatrixLimits, or in an undivided graph, is one step; each vertex and each directed edge
/// of a part whose separator is sought is kDissectionSteps, whatever the effort.
bool nested_dissection(const GraphView& graph, const DissectionOptions& options,
                       std::span<Index> order);

/// Writes a nested dissection of the vertices v < interior to order (length interior). The other
/// vertices are a halo: they are not ordered, and count in the degrees of leaves. Edges between
/// interior and halo must be given in both directions; edges within the halo may be missing.
/// Returns false as the function above.
bool nested_dissection(const GraphView& graph, Index interior, const DissectionOptions& options,
                       std::span<Index> order);

}  // namespace kauri::ordering
