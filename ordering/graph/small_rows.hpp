// Small independent rows of a block arrow, eliminated at once: the points of bundle adjustment, unknowns of groups under common ones.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ordering/graph/graph_view.hpp"

namespace kauri::ordering {

/// A graph without its small rows, with their neighbours joined to cliques.
struct WithoutSmallRows {
  std::vector<char> eliminated;  ///< by vertex
  Index vertices = 0;            ///< that are left
  Offset rows = 0;               ///< their weight
  // In the numbering of the graph; lists of those eliminated or not kept are empty, all others ascend.
  std::vector<Offset> ptr;
  std::vector<Index> adjacency;
};

/// A vertex is a *small row* if each of its neighbours, of which it has one at least, has kSmallRow times its degree or more, by weight. No
/// two are neighbours; each stays small until one of its neighbours goes, so minimum degree takes all of them before any of these, and
/// there is nothing else to find out about them. They are eliminated where they are half of all rows or more and leave no more edges than
/// there were; else nothing is returned. kept: length graph.size(), or empty: all are; vertices that are not kept are disregarded. O(n +
/// edges) and the squares of the degrees of small rows, of which no more are visited than kSmallRowWork entries an edge.
std::optional<WithoutSmallRows> eliminate_small_rows(const GraphView& graph, std::span<const char> kept);

constexpr Offset kSmallRow = 4, kSmallRowWork = 64;

}  // namespace kauri::ordering
