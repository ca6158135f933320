// Separators from breadth-first distances: A. George & J. W. H. Liu, "An automatic nested dissection algorithm for irregular finite element
// problems", SIAM J. Numer. Anal. 15 (1978), for distances from one vertex and for differences of two of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ordering/graph/graph_view.hpp"
#include "ordering/separation/separation.hpp"

namespace kauri::ordering::dissection {

struct LevelSetWorkspace {
  std::vector<Index> queue, key;
  std::vector<Index> upper, lower, below;  // by threshold: weight of the separator on either side of it; of all vertices below
};

/// Distances from one vertex.
struct Distances {
  std::vector<Index> of;   ///< of each vertex; kNone where it is not reached
  Index reached = 0;       ///< vertices
  Index farthest = kNone;  ///< of those at the greatest distance the one of least degree, of these the first
  [[nodiscard]] Index levels() const { return of[farthest] + 1; }
};

Distances breadth_first(const GraphView& graph, Index start, LevelSetWorkspace& workspace);

/// The best separation, by predicted_work(), among those between vertices at less than some distance and the others, the separator being
/// the vertices at that distance. Of at least three levels. most: share of the weight that either side may reach, unless it takes a
/// separator some hundred times as heavy as one that halves the graph.
Separation level_separation(const GraphView& graph, const Distances& distances, double most, LevelSetWorkspace& workspace);

/// The same for the difference of two distances, the separator being the vertices on one side of a threshold that have a neighbour on the
/// other.
Separation difference_separation(const GraphView& graph, const Distances& a, const Distances& b, double most, LevelSetWorkspace& workspace);

}  // namespace kauri::ordering::dissection
