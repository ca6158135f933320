// What a look at a graph says of the orderings that suit it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ordering/graph/graph_view.hpp"

namespace kauri::ordering {

/// Share of the vertices that have no more than two neighbours: most of those of trees, chains and networks of roads, pipes or wires.
/// 0 of an empty graph.
double hanging_share(const GraphView& graph);

/// Of the numbers of neighbours; all 0 of an empty graph.
struct DegreeSpread {
  double mean = 0;
  double deviation = 0;  ///< standard deviation
  double most = 0;       ///< of any vertex
  double commonest = 0;  ///< share of the vertices that have the number of neighbours that most of them have
};

/// O(n + most).
DegreeSpread degree_spread(const GraphView& graph);

/// What hubs tie together, as in normal equations, circuits and social networks, has few levels and no thin separators: true if a vertex
/// has more than 16 times the mean number of neighbours.
bool has_hubs(const DegreeSpread& spread);

/// Meshes of triangles or tetrahedra and point clouds: vertices have about as many neighbours each, but most of them do not have the same
/// number, as those of lattices do.
bool is_irregular_mesh(const DegreeSpread& spread);

/// Most vertices have the same number of neighbours, and no number is far from it.
bool is_lattice(const DegreeSpread& spread);

/// Vertices over levels of a breadth-first search from a vertex far from vertex 0: on a mesh about the size of a separator. The graph has
/// at least one vertex and is connected. O(n + edges), by the threads of the calling arena.
double level_width(const GraphView& graph);

/// Dimension by which neighbourhoods grow: log2 of the vertices within four edges over those within two, of some vertices all over the
/// graph. Measured: 1.6 to 1.9 on surfaces and in plane lattices, 2.1 to 2.9 in bodies. 0 of an empty graph; infinite where these balls
/// together have more edges than the graph, as where everything is near to everything. O(n + edges).
double growth_dimension(const GraphView& graph);

}  // namespace kauri::ordering
