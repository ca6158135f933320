// What a look at a graph says of the orderings that suit it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ordering/graph_view.hpp"

namespace kauri::ordering {

/// Share of the vertices that have no more than two neighbours: most of those of trees, chains and networks of roads, pipes or wires.
/// 0 of an empty graph.
double hanging_share(const GraphView& graph);

/// Vertices over levels of a breadth-first search from a vertex far from vertex 0: on a mesh about the size of a separator. The graph has
/// at least one vertex and is connected. O(n + edges), by the threads of the calling arena.
double level_width(const GraphView& graph);

}  // namespace kauri::ordering
