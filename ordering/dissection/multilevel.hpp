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

/// Coarsens, takes the best of several grown separations of the coarsest graph, and refines it on each level on the way back, all with two
/// bounds on the sides; returns the better one. backwards: vertices are matched in reverse order, for another hierarchy. The graph has at
/// least one vertex. A function of its arguments alone.
Separation multilevel_separation(const GraphView& graph, std::uint64_t seed, bool backwards, MultilevelWorkspace& workspace);

}  // namespace kauri::ordering::dissection
