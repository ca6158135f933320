// Eliminates hanging trees and chains before a dissection.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "ordering/separation/level_graph.hpp"

namespace kauri::ordering::dissection {

/// A partial elimination and the remaining graph.
struct Peeling {
  LevelGraph core;            ///< remaining graph: neighbours of an eliminated vertex have become
                              ///< neighbours of each other
  Index interior = 0;         ///< number of vertices of the core that are not halo; they come first
  std::vector<Index> vertex;  ///< number in the graph of each vertex of the core; ascending
  std::vector<Index> peeled;  ///< eliminated vertices, in elimination order
  std::vector<std::array<Index, 2>>
      above;  ///< above[k]: numbers of the one or two neighbours that peeled[k] has when it is
              ///< eliminated; the second is kNone if there is only one
};

/// Eliminates vertices v < interior with one neighbour, then those with two, whose neighbours
/// become neighbours of each other. Repeats rounds while each shrinks the graph considerably.
/// Returns nothing if less than a tenth of the vertices have at most two neighbours. Skips vertices
/// whose elimination would create more fill than they have edges, by weight. Below the core, the
/// elimination tree of hanging trees without long chains is O(log n) high, and so is that of chains
/// of equal weights of any length. The graph need not be connected; edges within the halo may be
/// missing. A function of the graph alone. O(n + edges) per round; most graphs take a few.
std::optional<Peeling> peel(const GraphView& graph, Index interior);

/// Writes the order of all interior vertices, given that of the core. Each vertex, of the core or
/// peeled, comes right after all peeled vertices below it: a postorder, so ranges that are closed
/// in the core's order stay closed. A peeled vertex is directly below the one of its neighbours in
/// `above` that is eliminated first. core_order: length peeling.interior, numbers of the core.
/// order: length interior of peel(), numbers of the graph. O(n).
void place_all(const Peeling& peeling, std::span<const Index> core_order, std::span<Index> order);

}  // namespace kauri::ordering::dissection
