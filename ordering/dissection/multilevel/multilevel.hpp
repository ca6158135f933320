// Vertex separators by the multilevel scheme: G. Karypis & V. Kumar, "A fast and high quality multilevel scheme for partitioning irregular
// graphs", SIAM J. Sci. Comput. 20 (1998).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "ordering/dissection/multilevel/coarsen.hpp"
#include "ordering/dissection/multilevel/node_refine.hpp"

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
/// bounds on the sides as long as that costs little; the better one is what was looked for. In two steps, since the last level, the graph
/// itself, may take as long as all others and need not be gone through where something better is known. The graph has at least one
/// vertex, and stays as long as the search. A function of graph, options and seed alone.
class MultilevelSearch {
 public:
  /// All levels but the graph itself.
  MultilevelSearch(const GraphView& graph, const MultilevelOptions& options, std::uint64_t seed, MultilevelWorkspace& workspace);
  /// What the best separation weighs that was found so far; one of the graph weighs the same.
  [[nodiscard]] const PartWeights& weight() const;
  /// That separation of the graph, refined there. To be called once; the workspace need not be the first one.
  Separation finish(MultilevelWorkspace& workspace);

 private:
  struct Track {
    RefineLimits limits;
    Separation separation;
  };
  void go_down(const GraphView& graph, const std::vector<Index>& coarse_of, RefineWorkspace& workspace);
  void keep_better();

  const GraphView graph_;
  const bool thorough_;
  std::vector<Index> coarse_of_;  // of the graph's vertices; empty where nothing was coarsened
  std::vector<Track> tracks_;
};

/// Both steps.
Separation multilevel_separation(const GraphView& graph, const MultilevelOptions& options, std::uint64_t seed,
                                 MultilevelWorkspace& workspace);

}  // namespace kauri::ordering::dissection
