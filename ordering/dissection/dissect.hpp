// kauri's own nested dissection: A. George, "Nested dissection of a regular finite element mesh", SIAM J. Numer. Anal. 10 (1973).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "kauri/ordering.hpp"
#include "ordering/graph_view.hpp"

namespace kauri::ordering {

struct DissectionOptions {
  std::uint64_t seed = 1;
  Effort effort = Effort::standard;
  int threads = 0;  ///< at most; 0: all that the process may use. Never reaches the order
  bool multilevel = true;
  int level_sets = 2;       ///< functions tried
  bool follow = true;       ///< what won by far is tried alone below
  Index leaf = 200;         ///< vertices at most of what is not divided further
};

/// Writes to order (length graph.size()) a nested dissection.
void nested_dissection(const GraphView& graph, const DissectionOptions& options, std::span<Index> order);

}  // namespace kauri::ordering
