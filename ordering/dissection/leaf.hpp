// Orders leaves of a dissection with their neighbours as a halo.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "ordering/dissection/piece.hpp"
#include "ordering/leaf/minimum_degree.hpp"

namespace kauri::ordering::dissection {

/// Memory of a thread that orders leaves.
struct LeafOrderWorkspace {
  LeafWorkspace order;
  LevelGraph graph;
  std::vector<Index> halo, slot, sequence;
  std::vector<Offset> next;
};

/// Returns the vertices of a piece ordered by minimum degree, as if all other vertices came later.
/// whole: the graph that contains the piece; every neighbour of the piece outside it counts as
/// halo. place, by vertex of whole: for vertices of the piece, `first` plus their number in the
/// piece; for others, a value outside [first, first + piece size). The result holds numbers of the
/// piece, and is valid until the workspace is used again; it is empty if leaf_minimum_degree() gave
/// up. O(edges of the piece, including those to its halo), and minimum degree.
std::span<const Index> order_leaf(const GraphView& whole, const PieceView& piece,
                                  std::span<const Index> place, Index first,
                                  LeafOrderWorkspace& workspace, const LeafOptions& options = {});

}  // namespace kauri::ordering::dissection
