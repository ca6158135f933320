// Nested dissection by METIS: G. Karypis, V. Kumar, "A fast and high quality multilevel scheme for partitioning irregular graphs",
// SIAM J. Sci. Comput. 20 (1998) 359-392.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ordering/graph/graph_view.hpp"

namespace kauri::ordering {

/// False when kauri was built without METIS.
bool metis_available();
/// True where METIS is compiled into kauri, and leaves signals, standard error and rand() of the process alone.
bool metis_is_own();

/// Throws Error(overflow) for a graph of n vertices and `edges` directed edges that METIS's 32-bit indices cannot number. O(1).
void require_metis_size(Offset n, Offset edges);

/// METIS copies of the graph; one per thread, reused for any number of graphs.
struct MetisWorkspace {
  std::vector<std::int32_t> ptr, adjacency, weight, new_of;
};

/// Writes to order (length graph.size()) METIS_NodeND's nested dissection. Graphs of at most two vertices or of no edges keep their order:
/// METIS does not survive all of them. seed: 1 is METIS's own default (its seed -1), so that results compare; any other value is folded to
/// a seed of its own. In the system's METIS one call at a time runs, the others wait: it reseeds and draws from the process's rand(), whose
/// state it changes, and takes SIGTERM and SIGABRT over for that time; see docs/limits.md.
///
/// METIS merges indistinguishable vertices itself, but later than order() can: with the reduced, weighted graph in its place it took half
/// the time on systems of three unknowns a node (elast3d 24: 0.56 to 0.67) at about the same fill (1.00 in the geometric mean of 9 systems,
/// 3 numberings and 3 seeds each, 0.99 to 1.04 on one system and numbering: the spread of its seeds). Throws Error(usage) when kauri was
/// built without METIS, Error(overflow) as require_metis_size, Error(memory), and Error(cancelled) where the system's METIS took a SIGTERM.
void metis_nested_dissection(const GraphView& graph, std::uint64_t seed, MetisWorkspace& workspace, std::span<Index> order);

}  // namespace kauri::ordering
