// One step of coarsening: vertices are matched and each pair becomes one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "ordering/separation/level_graph.hpp"

namespace kauri::ordering::dissection {

struct Coarser {
  LevelGraph graph;
  std::vector<Index> coarse_of;  ///< of each finer vertex
};

/// Memory of coarsen(); one per thread.
struct CoarsenWorkspace {
  std::vector<Index> mate, place;
};

/// Matches each vertex with an unmatched neighbour along the heaviest edge (Karypis & Kumar 1998), the lightest such neighbour, none
/// heavier together than `most`, in blocks of fixed size by themselves and then across these; of those left over, vertices that hang on
/// the same neighbour are matched two by two, so that stars shrink too. Edges into one another become one that weighs as much. edge_weight:
/// as LevelGraph's.
Coarser coarsen(const GraphView& graph, std::span<const Index> edge_weight, Index most, bool backwards, CoarsenWorkspace& workspace);

}  // namespace kauri::ordering::dissection
