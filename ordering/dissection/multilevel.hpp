// Vertex separators by the multilevel scheme: G. Karypis & V. Kumar, "A fast and high quality multilevel scheme for partitioning irregular
// graphs", SIAM J. Sci. Comput. 20 (1998).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "ordering/dissection/coarsen.hpp"
#include "ordering/dissection/node_refine.hpp"

namespace kauri::ordering::dissection {

struct MultilevelWorkspace {
  CoarsenWorkspace coarsen;
  RefineWorkspace refine;
};

struct MultilevelOptions {
  bool backwards = false;  ///< vertices are matched in reverse order, for another hierarchy
  bool thorough = false;   ///< more moves, and both bounds on all levels, not on those up to some size alone
};

/// Coarsens, takes the best of several grown separations of the coarsest graph, and refines it on each level on the way back, with two
/// bounds on the sides as long as that costs little; returns the better one. The graph has at least one vertex. A function of graph,
/// options and seed alone.
Separation multilevel_separation(const GraphView& graph, const MultilevelOptions& options, std::uint64_t seed,
                                 MultilevelWorkspace& workspace);

}  // namespace kauri::ordering::dissection
