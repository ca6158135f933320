// Eliminates small independent rows of a block arrow at once: points of bundle adjustment, unknowns
// of groups coupled by common ones.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ordering/graph/graph_view.hpp"

namespace kauri::ordering {

/// A graph from which small rows were eliminated: the neighbours of each small row are now a
/// clique.
struct WithoutSmallRows {
  std::vector<char> eliminated;  ///< true for each vertex that was eliminated
  Index vertices = 0;            ///< number of vertices that remain
  Offset rows = 0;               ///< weight of the vertices that remain
  // The remaining graph, in the original numbers. Lists of vertices that are eliminated or not kept
  // are empty, all others ascend.
  std::vector<Offset> ptr;
  std::vector<Index> adjacency;
};

/// Eliminates the small rows of a graph. A vertex is a *small row* if it has a neighbour and each
/// neighbour has at least kSmallRow times its degree, by weight. No two small rows are neighbours,
/// and each stays small until one of its neighbours is eliminated, so minimum degree would take all
/// of them before any of their neighbours, and running it on them gains nothing. Returns nothing
/// unless small rows are at least half of all rows and the elimination leaves no more edges than
/// before. kept: length graph.size(), or empty: all are kept; other vertices are ignored. O(n +
/// edges + squares of the degrees of small rows); gives up after kSmallRowWork * (n + edges)
/// entries of these squares.
std::optional<WithoutSmallRows> eliminate_small_rows(const GraphView& graph,
                                                     std::span<const char> kept);

constexpr Offset kSmallRow = 4, kSmallRowWork = 64;

}  // namespace kauri::ordering
