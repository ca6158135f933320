// Multithreaded approximate minimum degree: rounds of pivots that have no neighbour in common.
// Multiple elimination: J. W. H. Liu, "Modification of the minimum-degree algorithm by multiple
// elimination", ACM TOMS 11 (1985) 141-153; at distance 2, with approximate degrees: Y.-H. Chang,
// A. Buluc, J. Demmel, "Parallelizing the approximate minimum degree ordering algorithm: strategies
// and evaluation", arXiv 2504.17097 (2025).
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

/// Statistics and times of a run, for studies.
struct ParallelAmdReport {
  enum Stage { load, gather, claim, eliminate, commit, collect, horizon, number, kStages };
  static constexpr std::array<const char*, kStages> kNames{
      "load", "gather", "claim", "eliminate", "commit", "collect", "horizon", "number"};
  std::array<double, kStages> seconds{};
  Offset bucketed = 0;                  ///< largest number of entries in the lists by degree
  Offset rounds = 0, alone = 0;         ///< all rounds; rounds that ran on one thread
  Offset candidates = 0, winners = 0;   ///< sums over all rounds
  Offset claimed = 0, collections = 0;  ///< entries of the elements of winners; garbage collections
  double alone_s = 0;                   ///< seconds from claim to eliminate in rounds on one thread
};

/// Options of parallel_minimum_degree(), and optional outputs.
struct ParallelAmdOptions {
  bool aggressive = true;  ///< absorb elements that become subsets of the newest one
  double factor = 1.1;  ///< candidates have degrees of at most factor * least + slack; larger: more
                        ///< per round, and more fill
  Index slack = 1;      ///< added to factor * least degree: see factor
  double tries =
      1.6;  ///< candidates per expected winner, > 1; larger: fewer rounds, more work in each
  double ahead = 8;              ///< vertices chosen in advance per candidate, >= 1
  Index most = 512;              ///< most candidates of a round
  Index sequential_below = 500;  ///< smaller graphs are ordered by approximate_minimum_degree()
  bool sequential_hubs = true;   ///< graphs with hubs are ordered by approximate_minimum_degree(),
                                 ///< too, which need not read a hub's long list for each pivot
  double elbow = 0.5;            ///< AmdOptions::elbow; the order never depends on it
  Offset task_entries = 512;  ///< expected entries of the new elements of a task; a round of less
                              ///< than two tasks runs on one thread; the order never depends on it
  std::uint64_t last_claims =
      (std::uint64_t{1} << 24) -
      1;  ///< rounds before claims are cleared (for tests); the order never depends on it
  Offset most_work =
      std::numeric_limits<Offset>::max();  ///< AmdOptions::most_work if
                                           ///< approximate_minimum_degree() orders the graph
  Offset* work = nullptr;                  ///< AmdOptions::work in that case; else not written
  bool backwards = false;  ///< processes the candidates of a round in reverse order (for tests);
                           ///< the order never depends on it
  Index largest_tag =
      std::numeric_limits<Index>::max();   ///< all marks are cleared before the stamp that they are
                                           ///< compared with exceeds it (for tests). The order
                                           ///< never depends on it.
  std::vector<AmdPivot>* trace = nullptr;  ///< null, or the steps are appended to it in order
  ParallelAmdReport* report = nullptr;     ///< filled if not null
};

/// Writes to order (length graph.size()) the vertices in elimination order, as
/// approximate_minimum_degree() does: a postorder of the assembly tree, the vertices of a front
/// ascending. All threads of the calling arena take part; the order is a function of graph and
/// options alone. Workspace: 2 (1 + elbow) nnz + 20 n numbers of 4 bytes, and n per thread. Calls
/// approximate_minimum_degree() in the cases that the options name, and if lists could need more
/// than 2^32 entries; only then uses `workspace`, and leaves order unspecified if more than
/// options.most_work entries would be visited.
void parallel_minimum_degree(const GraphView& graph, const ParallelAmdOptions& options,
                             AmdWorkspace& workspace, std::span<Index> order);

}  // namespace kauri::ordering
