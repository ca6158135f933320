// Several separations of one graph, the best of which is taken.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

#include "ordering/dissection/band_cut.hpp"
#include "ordering/dissection/level_sets.hpp"
#include "ordering/dissection/multilevel.hpp"

namespace kauri::ordering::dissection {

/// What is tried.
struct Trials {
  bool multilevel = true;
  bool level_sets = true;
  int sources = 2;         ///< of breadth-first searches: their distances and the differences of these are the functions tried
  int refined = 2;         ///< of these functions: the best so many are refined
  int rounds = 1;          ///< of the minimum cut of the band round the winner; 0: none
  bool polish_all = false; ///< round all that were refined
};

/// Memory of a thread that looks for separators.
struct SeparatorWorkspace {
  MultilevelWorkspace multilevel;
  LevelSetWorkspace level;
  BandCutWorkspace cut;
};

/// The outcome. Where the graph is not connected there is no separation: `reached` are the vertices of one component.
struct Found {
  std::optional<Separation> best;
  std::vector<Index> reached;     ///< distances from a vertex, kNone where there is no path; empty if the graph is connected
  double multilevel_work = 0;     ///< predicted, on one scale; 0: not tried
  double level_set_work = 0;
};

/// The graph has at least two vertices. A function of its arguments alone.
Found best_separation(const GraphView& graph, const Trials& trials, std::uint64_t seed, SeparatorWorkspace& workspace);

}  // namespace kauri::ordering::dissection
