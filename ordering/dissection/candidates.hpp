// Several separations of one graph, the best of which is taken.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

#include "base/threads/per_thread.hpp"
#include "ordering/dissection/flow/band_cut.hpp"
#include "ordering/dissection/multilevel/multilevel.hpp"
#include "ordering/separation/level_sets.hpp"

namespace kauri::ordering::dissection {

/// What is tried for a separator.
struct Trials {
  bool multilevel = true;
  bool level_sets = true;
  bool backwards = false;   ///< a second multilevel separation, of vertices matched in reverse
  bool follow = true;       ///< where one of the two wins by far it is tried alone below
  int sources = 2;          ///< of breadth-first searches: their distances and the differences of these are the functions tried
  int refined = 2;          ///< of these functions: the best so many are refined
  int rounds = 1;           ///< of minimum cuts of the band round the winner
  bool thorough = false;    ///< MultilevelOptions::thorough
  bool polish_all = false;  ///< round all that were refined
};

/// Memory of a thread that looks for separators.
struct SeparatorWorkspace {
  MultilevelWorkspace multilevel;
  LevelSetWorkspace level;
  BandCutWorkspace cut;
};

/// A thread takes its workspace after it has waited for others, not before: while it waits it may do another search.
using SeparatorWorkspaces = PerThread<SeparatorWorkspace>;

struct Search {
  std::optional<Separation> best;  ///< empty where the graph was found not to be connected
  Trials below;                    ///< what to try for the two sides
  /// The separator is_thin(), and as wide as half a mean level: the graph is a long strip or bar, whose fill minimum degree would leave as
  /// small, in a tree as deep as the graph is long. In trees and networks, which are full of shorter ways round, levels are much wider.
  bool is_across = false;
};

/// The graph has at least two vertices. A level set that is_thin() is taken where nothing else is tried beside it. A function of
/// graph, trials and seed alone: large graphs are worked on by several threads of the caller's arena.
Search best_separation(const GraphView& graph, const Trials& trials, std::uint64_t seed, SeparatorWorkspaces& workspaces);

}  // namespace kauri::ordering::dissection
