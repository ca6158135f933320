// A graph that owns its arrays: a subgraph of a dissection, or a coarse level.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "ordering/graph/graph_view.hpp"

namespace kauri::ordering::dissection {

struct LevelGraph {
  std::vector<Offset> ptr{0};
  Array<Index> adjacency;
  std::vector<Index> weight;  ///< weight of each vertex; empty: all are 1
  Array<Index> edge_weight;  ///< parallel to adjacency: number of edges of the finest graph; empty:
                             ///< all are 1

  [[nodiscard]] Index size() const { return static_cast<Index>(ptr.size()) - 1; }
  [[nodiscard]] GraphView view() const { return {ptr, adjacency, weight}; }
};

}  // namespace kauri::ordering::dissection
