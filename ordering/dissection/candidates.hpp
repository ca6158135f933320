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
  bool follow = true;      ///< if level sets or multilevel separations win clearly, the two sides
                           ///< try the winning kind alone
  int sources = 2;         ///< number of breadth-first searches; the level sets of each search's
                           ///< distances, and of each difference of two, are tried
  int refined = 2;         ///< number of the best of these level sets that are refined
  int rounds = 1;  ///< most minimum cuts that are tried in turn on the band around the winning
                   ///< separator
  bool thorough = false;    ///< value of MultilevelOptions::thorough
  bool polish_all = false;  ///< tries minimum cuts on the bands around all refined separators, not
                            ///< only around the winner
};

/// Memory of a thread that searches separators.
struct SeparatorWorkspace {
  MultilevelWorkspace multilevel;
  LevelSetWorkspace level;
  BandCutWorkspace cut;
};

/// Workspaces by thread. A thread must not hold its workspace while it waits for other threads: it
/// may run another search meanwhile, in the same workspace.
using SeparatorWorkspaces = PerThread<SeparatorWorkspace>;

struct SeparatorSearch {
  std::optional<Separation> best;  ///< empty if level sets were tried and the graph is not
                                   ///< connected
  Trials below;                    ///< methods to try for the two sides
  /// True if the separator is_thin() and at least half as wide as a mean level: the graph is a long
  /// strip or bar. Minimum degree would give it as little fill, but a tree as deep as the graph is
  /// long. In trees and networks, which have many shortcuts, levels are much wider.
  bool is_across = false;
};

/// Returns the best separation of a graph with at least two vertices, and what to try for its two
/// sides. Takes a balanced level set that is_thin() without a multilevel separation if the graph
/// has less than 20,000 vertices. The result is a function of graph, trials and seed alone. Several
/// threads of the calling arena work on large graphs.
SeparatorSearch best_separation(const GraphView& graph, const Trials& trials, std::uint64_t seed,
                                SeparatorWorkspaces& workspaces);

}  // namespace kauri::ordering::dissection
