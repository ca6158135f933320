// Vertex separators by the multilevel scheme: G. Karypis & V. Kumar, "A fast and high quality
// multilevel scheme for partitioning irregular graphs", SIAM J. Sci. Comput. 20 (1998).
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
  bool backwards = false;  ///< matches vertices in reverse order, for another hierarchy
  bool thorough = false;   ///< more moves, and both limits of the sides on all levels, not only on
                           ///< those of up to 1000 vertices
};

/// Coarsens the graph, takes the best of several grown separations of the coarsest graph, and
/// refines it on each finer level. Small levels keep two separations, with a tight and a loose
/// limit of a side's weight; larger ones go on with the better of the two. Works in two steps,
/// since the last level, the graph itself, may take as long as all others and can be skipped if a
/// better separation is known. The graph has at least one vertex and must outlive the search. The
/// separation is a function of graph, options and seed alone.
class MultilevelSearch {
 public:
  /// Coarsens the graph, grows separations of the coarsest level, and refines them there and on all
  /// finer levels but the graph itself, which is refined here only if it could not be coarsened.
  MultilevelSearch(const GraphView& graph, const MultilevelOptions& options, std::uint64_t seed,
                   MultilevelWorkspace& workspace);
  /// Weights of the best separation so far; its projection to the graph has the same weights.
  [[nodiscard]] const PartWeights& weight() const;
  /// Returns the best separation, projected to the graph and refined there. Call finish() once; the
  /// workspace may differ from the constructor's.
  Separation finish(MultilevelWorkspace& workspace);

 private:
  struct Track {
    RefineLimits limits;
    Separation separation;
  };
  void go_down(const GraphView& graph, const std::vector<Index>& coarse_of,
               RefineWorkspace& workspace);
  void keep_better();

  const GraphView graph_;
  const bool thorough_;
  std::vector<Index>
      coarse_of_;  // by vertex of the graph: its coarse vertex; empty if nothing was coarsened
  std::vector<Track> tracks_;
};

/// Runs both steps of a MultilevelSearch, and returns its separation of the graph.
Separation multilevel_separation(const GraphView& graph, const MultilevelOptions& options,
                                 std::uint64_t seed, MultilevelWorkspace& workspace);

}  // namespace kauri::ordering::dissection
