// Separators from breadth-first distances: A. George & J. W. H. Liu, "An automatic nested dissection algorithm for irregular finite element
// problems", SIAM J. Numer. Anal. 15 (1978), for distances from one vertex and for differences of two of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ordering/dissection/separation.hpp"
#include "ordering/graph_view.hpp"

namespace kauri::ordering::dissection {

struct LevelSetWorkspace {
  std::vector<Index> queue, key, upper, lower, below;
};

/// Distances from one vertex.
struct Distances {
  std::vector<Index> of;   ///< of each vertex; kNone where it is not reached
  Index reached = 0;       ///< vertices
  Index farthest = kNone;  ///< of those at the greatest distance the one of least degree, of these the first
  [[nodiscard]] Index levels() const { return of[farthest] + 1; }
};

Distances breadth_first(const GraphView& graph, Index start, LevelSetWorkspace& workspace);

/// The best separation, by predicted_work, among those between vertices of keys below a threshold and the others, the separator being the
/// vertices on one side of it that have a neighbour on the other. key: of each vertex, 0 <= key < keys. `most`: share of the weight that
/// either side may reach, unless it takes a separator some hundred times as heavy as one that halves the graph.
Separation threshold_separation(const GraphView& graph, std::span<const Index> key, Index keys, double most, LevelSetWorkspace& workspace);

}  // namespace kauri::ordering::dissection
