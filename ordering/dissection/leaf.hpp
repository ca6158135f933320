// Leaves of a dissection, ordered with all that surrounds them in sight.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "ordering/dissection/piece.hpp"
#include "ordering/leaf/minimum_degree.hpp"

namespace kauri::ordering::dissection {

/// Memory of a thread for leaves.
struct LeafOrderWorkspace {
  LeafWorkspace order;
  LevelGraph graph;
  std::vector<Index> halo, slot, sequence;
  std::vector<Offset> next;
};

/// The vertices of a piece in the order of minimum degree constrained to come before all others. whole: the graph that the piece is of, and
/// place: by vertex of it, for those of the piece its number there plus `first`, for others none of [first, first + piece size).
/// The result is of the piece's numbers; valid until the workspace is used again. O(edges at the piece).
std::span<const Index> order_leaf(const GraphView& whole, const PieceView& piece, std::span<const Index> place, Index first,
                                  LeafOrderWorkspace& workspace);

}  // namespace kauri::ordering::dissection
