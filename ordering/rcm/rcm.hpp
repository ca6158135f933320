// Reverse Cuthill-McKee with a pseudo-peripheral start: A. George, J. W. H. Liu, "An implementation
// of a pseudoperipheral node finder", ACM Trans. Math. Softw. 5 (1979) 284-295.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "ordering/graph/graph_view.hpp"

namespace kauri::ordering {

/// Memory for reverse_cuthill_mckee(); one per thread, reused for any number of graphs.
struct RcmWorkspace {
  std::vector<Index> level;  ///< breadth-first level of each vertex, or kNone
  std::vector<Index> queue;  ///< vertices in breadth-first order
};

/// Limit of the work of reverse_cuthill_mckee(). Each search and the numbering visit all vertices
/// and all entries of the lists of neighbours.
struct RcmOptions {
  Offset most_work =
      std::numeric_limits<Offset>::max();  ///< most visits; with more, the ordering is given up
  Offset* work = nullptr;                  ///< receives the number of visits, if not null
};

/// Writes to order (length graph.size()) the reverse of the breadth-first order from a
/// pseudo-peripheral vertex that visits the neighbours of each vertex by ascending degree (ties:
/// ascending number). The graph must be connected and not empty. O(nnz log(largest degree)).
/// Returns false, and leaves order unspecified, if more than most_work visits would be made: a
/// function of the graph and most_work alone.
bool reverse_cuthill_mckee(const GraphView& graph, RcmWorkspace& workspace, std::span<Index> order,
                           const RcmOptions& options = {});

}  // namespace kauri::ordering
