// Separators from breadth-first distances to one vertex, and from differences of the distances to
// two: A. George & J. W. H. Liu, "An automatic nested dissection algorithm for irregular finite
// element problems", SIAM J. Numer. Anal. 15 (1978).
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
  std::vector<Index> upper, lower,
      below;  // by threshold: weights of its upper and lower separator, and of all vertices below
              // it
};

/// Distances from one vertex.
struct Distances {
  std::vector<Index> of;   ///< distance of each vertex; kNone if not reached
  Index reached = 0;       ///< number of vertices reached
  Index farthest = kNone;  ///< first vertex of least degree at the greatest distance
  [[nodiscard]] Index levels() const { return of[farthest] + 1; }
};

Distances breadth_first(const GraphView& graph, Index start, LevelSetWorkspace& workspace);

/// Returns the best separation by predicted_work() into the vertices nearer than some distance,
/// those at that distance (the separator) and those beyond. The graph must be connected, with at
/// least three levels. most: share of all weight that a side may have; a side may have more only if
/// every separator within this limit is some hundred times as heavy as the one that halves the
/// graph.
Separation level_separation(const GraphView& graph, const Distances& distances, double most,
                            LevelSetWorkspace& workspace);

/// Returns the best separation, by predicted_work(), of those by thresholds of the difference a - b
/// of two distances. The separator is the vertices on one side of a threshold that have a neighbour
/// on the other. The graph must be connected. most: as for level_separation().
Separation difference_separation(const GraphView& graph, const Distances& a, const Distances& b,
                                 double most, LevelSetWorkspace& workspace);

}  // namespace kauri::ordering::dissection
