// Nested dissection (George 1973): separators recursively, leaves by minimum degree.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "ordering/graph_view.hpp"

namespace kauri::ordering {

struct DissectionOptions {
  std::uint64_t seed = 1;
  Index leaf = 200;         ///< vertices at most of what is not divided further
  bool multilevel = true;
  int level_sets = 2;       ///< functions tried
  bool follow = true;       ///< what won by far is tried alone below
};

/// Writes to order (length graph.size()) a nested dissection.
void nested_dissection(const GraphView& graph, const DissectionOptions& options, std::span<Index> order);

}  // namespace kauri::ordering
