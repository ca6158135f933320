// Approximate minimum degree by several threads: rounds of pivots that have no neighbour in common. Multiple elimination: J. W. H. Liu,
// "Modification of the minimum-degree algorithm by multiple elimination", ACM TOMS 11 (1985) 141-153; at distance 2, with approximate
// degrees: Y.-H. Chang, A. Buluc, J. Demmel, "Parallelizing the approximate minimum degree ordering algorithm: strategies and evaluation",
// arXiv 2504.17097 (2025).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "ordering/amd/amd.hpp"
#include "ordering/graph/graph_view.hpp"

namespace kauri::ordering {

/// What a run did and where its time went; for studies.
struct ParallelAmdReport {
  enum Phase { load, gather, claim, eliminate, commit, collect, horizon, number, kPhases };
  static constexpr std::array<const char*, kPhases> kNames{"load",   "gather",  "claim",   "eliminate",
                                                           "commit", "collect", "horizon", "number"};
  std::array<double, kPhases> seconds{};
  Offset bucketed = 0;                  ///< most entries of the lists by degree at any time
  Offset rounds = 0, alone = 0;         ///< all of them; those that one thread did
  Offset candidates = 0, winners = 0;   ///< of all rounds
  Offset claimed = 0, collections = 0;  ///< entries of the elements of winners; garbage collections
  double alone_s = 0;                   ///< claim and eliminate of the rounds that one thread did
};

struct ParallelAmdOptions {
  bool aggressive = true;        ///< elements that become subsets of the newest one are absorbed
  double factor = 1.1;           ///< candidates have degrees of at most factor * least + slack: more are eliminated at once, with more fill
  Index slack = 1;               ///< as above
  double tries = 1.6;            ///< candidates for each winner hoped for, > 1: more make fewer rounds and more work in each
  double ahead = 8;              ///< vertices chosen in advance for each candidate, >= 1
  Index most = 512;              ///< candidates of a round at most
  Index sequential_below = 500;  ///< vertices: smaller graphs are left to approximate_minimum_degree()
  bool sequential_hubs = true;   ///< and so are those with hubs of long lists, which that one passes over
  double elbow = 0.5;            ///< as for AmdOptions; the order never depends on it
  Offset task_entries = 512;     ///< expected entries that are worth a task; the order never depends on it
  std::uint64_t last_claims =
      (std::uint64_t{1} << 24) - 1;                       ///< rounds before claims are cleared (for tests); the order never depends on it
  Offset most_work = std::numeric_limits<Offset>::max();  ///< of AmdOptions, where the graph is left to approximate_minimum_degree()
  Offset* work = nullptr;                                 ///< of AmdOptions, likewise; 0 where the graph is not left to it
  bool backwards = false;  ///< the last candidate of a round is the first to be worked on (for tests). The order never depends on it.
  Index largest_tag = std::numeric_limits<Index>::max();  ///< marks are cleared above it (for tests). The order never depends on it.
  std::vector<AmdPivot>* trace = nullptr;                 ///< receives the steps, in their order, if not null
  ParallelAmdReport* report = nullptr;                    ///< filled if not null
};

/// Writes to order (length graph.size()) the vertices in the order of elimination, as approximate_minimum_degree() does: the assembly tree
/// in postorder, the vertices of a front ascending. A function of graph and options, not of the threads of the calling arena, which all
/// work on it. Workspace: 2 (1 + elbow) nnz + 20 n numbers, and n for each thread. What needs more than 2^32 entries of lists is left to
/// approximate_minimum_degree().
void parallel_minimum_degree(const GraphView& graph, const ParallelAmdOptions& options, AmdWorkspace& workspace, std::span<Index> order);

}  // namespace kauri::ordering
