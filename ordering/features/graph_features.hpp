// Features of a graph that predict which orderings suit it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ordering/graph/graph_view.hpp"

namespace kauri::ordering {

/// Returns the share of the vertices with at most two neighbours, which is large in trees, chains
/// and networks of roads, pipes or wires. 0 for an empty graph.
double hanging_share(const GraphView& graph);

/// Statistics of the numbers of neighbours; all 0 for an empty graph.
struct DegreeSpread {
  double mean = 0;
  double deviation = 0;  ///< standard deviation
  double most = 0;       ///< largest number of neighbours
  double commonest = 0;  ///< share of the vertices that have the most frequent number of neighbours
};

/// Returns the statistics of the numbers of neighbours. O(n + most).
DegreeSpread degree_spread(const GraphView& graph);

/// Returns true if a vertex has more than 16 times the mean number of neighbours. Graphs with hubs,
/// as of normal equations, circuits and social networks, have few levels and no thin separators.
bool has_hubs(const DegreeSpread& spread);

/// Returns true for meshes of triangles or tetrahedra and for point clouds: the numbers of
/// neighbours are similar, but no number is shared by most vertices, as in lattices.
bool is_irregular_mesh(const DegreeSpread& spread);

/// Returns true if most vertices have the same number of neighbours, and the others' numbers are
/// close to it.
bool is_lattice(const DegreeSpread& spread);

/// Returns the vertices per level of a breadth-first search from a vertex far from vertex 0; for a
/// mesh, about the size of a separator. The graph must be connected and have at least one vertex.
/// O(n + edges), by the threads of the calling arena.
double level_width(const GraphView& graph);

/// Returns the dimension by which neighbourhoods grow: log2 of the ratio of the vertices within
/// four edges to those within two, of sample vertices spread over the graph. Measured: 1.6 to 1.9
/// for surfaces and plane lattices, 2.1 to 2.9 for solids. 0 for an empty graph. Infinite if these
/// neighbourhoods together have more edges than the graph plus a constant, as in graphs of very
/// small diameter. O(n + edges).
double growth_dimension(const GraphView& graph);

}  // namespace kauri::ordering
