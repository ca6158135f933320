// Initial order of vertices of equal degree. Private to this folder.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kauri/core/ordering.hpp"
#include "ordering/graph/graph_view.hpp"

namespace kauri::ordering {

/// Returns a permutation of the vertices; among vertices of equal degree, the earlier one is
/// eliminated first. TieBreak::first: by ascending number. last: by descending number.
/// pseudo_peripheral: by breadth-first level from a pseudo-peripheral vertex of the component
/// (George & Liu, ACM TOMS 5, 1979), the levels farthest from the middle one first, ascending
/// within |level - middle|. O(n + edges) times the few searches that find the vertex.
std::vector<Index> initial_order(const GraphView& graph, TieBreak tie_break);

}  // namespace kauri::ordering
