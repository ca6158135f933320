// Degrees, and two searches.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/shape.hpp"

#include "ordering/dissection/level_sets.hpp"

namespace kauri::ordering {

double hanging_share(const GraphView& graph) {
  const Index n = graph.size();
  Index hanging = 0;
  for (Index v = 0; v < n; ++v) hanging += graph.degree(v) <= 2 ? 1 : 0;
  return n == 0 ? 0 : static_cast<double>(hanging) / n;
}

double level_width(const GraphView& graph) {
  dissection::LevelSetWorkspace workspace;
  const Index end = dissection::breadth_first(graph, 0, workspace).farthest;
  return static_cast<double>(graph.size()) / dissection::breadth_first(graph, end, workspace).levels();
}

}  // namespace kauri::ordering
