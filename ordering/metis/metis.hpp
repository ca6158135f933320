// Nested dissection by METIS: G. Karypis, V. Kumar, "A fast and high quality multilevel scheme for
// partitioning irregular graphs", SIAM J. Sci. Comput. 20 (1998) 359-392.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ordering/graph/graph_view.hpp"

namespace kauri::ordering {

/// Returns false if kauri was built without METIS.
bool metis_available();
/// Returns true if METIS is compiled into kauri; it then leaves signals, standard error and rand()
/// of the process alone.
bool metis_is_own();

/// Throws Error(overflow) if METIS's 32-bit indices cannot number n vertices and `edges` directed
/// edges. O(1).
void require_metis_size(Offset n, Offset edges);

/// Copies of the graph for METIS; one workspace per thread, reused for any number of graphs.
struct MetisWorkspace {
  std::vector<std::int32_t> ptr, adjacency, weight, new_of;
};

/// Writes METIS_NodeND's nested dissection to order (length graph.size()). Graphs of at most two
/// vertices or without edges keep their order: METIS crashes on some of them. seed: 1 is METIS's
/// default (its seed -1), so that results are comparable; any other value is hashed to a seed. The
/// system's METIS runs one call at a time, others wait: it reseeds and draws from the process's
/// rand(), whose state it changes, and takes over SIGTERM and SIGABRT meanwhile; see
/// docs/limits.md.
///
/// METIS merges indistinguishable vertices itself, but later than order() can: with the reduced,
/// weighted graph it took half the time on systems of three unknowns per node (elast3d 24: 0.56 to
/// 0.67) at about the same fill (1.00 in the geometric mean of 9 systems, 3 numberings and 3 seeds
/// each, 0.99 to 1.04 on one system and numbering: the spread of its seeds). Throws Error: usage
/// (kauri was built without METIS), overflow (as require_metis_size()), memory (METIS ran out of
/// memory), cancelled (the system's METIS took a SIGTERM, or the stop token of the current call was
/// asked to stop before METIS began); std::logic_error if METIS failed without a reason.
void metis_nested_dissection(const GraphView& graph, std::uint64_t seed, MetisWorkspace& workspace,
                             std::span<Index> order);

}  // namespace kauri::ordering
