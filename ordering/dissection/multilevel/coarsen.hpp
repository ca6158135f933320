// One step of coarsening: matches vertices and merges each pair into one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "ordering/separation/level_graph.hpp"

namespace kauri::ordering::dissection {

/// A coarser graph and the map to it.
struct Coarser {
  LevelGraph graph;
  std::vector<Index> coarse_of;  ///< coarse vertex of each fine vertex
};

/// Memory of coarsen(); one per thread.
struct CoarsenWorkspace {
  std::vector<Index> mate, place;
};

/// Returns the graph in which each matched pair and each vertex without a partner is one vertex.
/// Matches each vertex with an unmatched neighbour along the heaviest edge (Karypis &
/// Kumar 1998), of several the lightest neighbour, if the pair weighs at most `most`. Matches
/// within blocks of fixed size first, then across them; if `backwards`, visits vertices from the
/// last. If more than an eighth of the vertices are left over, matches pairs of these that hang on
/// the same neighbour, so that stars shrink too. Parallel edges become one edge of their total
/// weight. edge_weight: as LevelGraph::edge_weight, for `graph`.
Coarser coarsen(const GraphView& graph, std::span<const Index> edge_weight, Index most,
                bool backwards, CoarsenWorkspace& workspace);

}  // namespace kauri::ordering::dissection
