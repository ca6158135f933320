// Computes several separations of a graph and returns the best.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

#include "base/threads/per_thread.hpp"
#include "ordering/dissection/flow/band_cut.hpp"
#include "ordering/dissection/multilevel/multilevel.hpp"
#include "ordering/separation/level_sets.hpp"

namespace kauri::ordering::dissection {

/// Methods that are tried for a separator.
struct Trials {
  bool multilevel = true;
  bool level_sets = true;
  bool backwards = false;  ///< also a multilevel separation with vertices matched in reverse order
  bool follow = true;      ///< if one of the two wins clearly, only that one is tried below
  int sources = 2;  ///< breadth-first searches; their distances and differences of these are the
                    ///< functions tried
  int refined = 2;  ///< number of the best of these functions that are refined
  int rounds = 1;   ///< minimum cuts of the band around the winner, at most
  bool thorough = false;  ///< value of MultilevelOptions::thorough
  bool polish_all =
      false;  ///< cut the band around all that were refined, not only around the winner
};

/// Memory of a thread that searches separators.
struct SeparatorWorkspace {
  MultilevelWorkspace multilevel;
  LevelSetWorkspace level;
  BandCutWorkspace cut;
};

/// Workspaces by thread. A thread must acquire its workspace after it has waited for others: while
/// it waits it may run another search.
using SeparatorWorkspaces = PerThread<SeparatorWorkspace>;

struct SeparatorSearch {
  std::optional<Separation> best;  ///< empty if the graph is not connected
  Trials below;                    ///< methods to try for the two sides
  /// True if the separator is_thin() and at least half as wide as a mean level: the graph is a long
  /// strip or bar. Minimum degree would give it as little fill, but a tree as deep as the graph is
  /// long. In trees and networks, which have many shortcuts, levels are much wider.
  bool is_across = false;
};

/// Returns the best separation of a graph with at least two vertices. Takes a level set that
/// is_thin() if nothing else is tried concurrently. A function of graph, trials and seed alone.
/// Several threads of the calling arena work on large graphs.
SeparatorSearch best_separation(const GraphView& graph, const Trials& trials, std::uint64_t seed,
                                SeparatorWorkspaces& workspaces);

}  // namespace kauri::ordering::dissection
