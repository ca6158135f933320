// What a dissection need not see: hanging trees and chains, eliminated beforehand.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "ordering/separation/level_graph.hpp"

namespace kauri::ordering::dissection {

/// A partial elimination and the graph that it leaves.
struct Peeling {
  LevelGraph core;                          ///< with the edges between vertices that were joined
  Index interior = 0;                       ///< vertices of the core that are no halo; they are its first
  std::vector<Index> vertex;                ///< of each vertex of the core, its number in the graph; ascending
  std::vector<Index> peeled;                ///< the vertices eliminated, in their order
  std::vector<std::array<Index, 2>> above;  ///< parallel: the neighbours that it had by then, or kNone
};

/// Eliminates vertices v < interior of one neighbour, then those of two, which joins the two, in rounds for as long as each makes the graph
/// smaller by a good part. Nothing where few vertices have two neighbours or less. No vertex is taken whose elimination makes more fill
/// than it has edges, counted by weight. What hangs in the elimination tree below the core is O(log n) high for hanging trees without long
/// chains, and so for chains of equal weights, whatever their length. The graph need not be connected; edges within the halo need not be
/// there. A function of the graph alone. O(n + edges) for each round, of which most graphs take a few.
std::optional<Peeling> peel(const GraphView& graph, Index interior);

/// The order of all from that of the core: what was peeled comes right before that of its neighbours which is eliminated first, a
/// postorder, so that what is closed in the core's order stays closed. core_order: length peeling.interior, numbers of the core; order:
/// length interior. O(n).
void place_all(const Peeling& peeling, std::span<const Index> core_order, std::span<Index> order);

}  // namespace kauri::ordering::dissection
