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
/// (George & Liu, ACM TOMS 5, 1979): the levels farthest from their component's middle level come
/// first, and vertices at the same distance from it ascend by number. This takes O(n + edges) for
/// each of the few searches that find the vertex, and O(n log n) to sort.
std::vector<Index> initial_order(const GraphView& graph, TieBreak tie_break);

}  // namespace kauri::ordering
