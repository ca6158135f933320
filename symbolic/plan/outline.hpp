// Everything of a plan that follows from column counts alone: final numbering, sizes of fronts, tasks, memory, cost.
// Cheap enough to judge an ordering by; plan.cpp completes the chosen one with row structures and maps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kauri/plan.hpp"
#include "ordering/graph/compress.hpp"
#include "symbolic/common/cost_table.hpp"
#include "symbolic/common/pairs.hpp"
#include "symbolic/device/levels.hpp"
#include "symbolic/host/cost.hpp"

namespace kauri::symbolic {

/// The lists of A's entries as a saved plan has them: those of column j of B, but for the diagonal, are [ptr[j], ptr[j+1]).
struct ListedEntries {
  std::vector<Offset> ptr;      ///< length n+1
  std::span<const Index> row;   ///< the row of A, which comes after j in B
  Array<std::uint32_t> source;  ///< the position in the caller's value array
};

/// supernodes.row is still empty, and schedule for the target of a device; all else is final.
struct Outline {
  /// What the structure is read from: supervariables whose members the ordering keeps together.
  const ordering::CompressedGraph* graph = nullptr;
  std::unique_ptr<const ordering::CompressedGraph> own;  ///< holds *graph where the one that was given did not fit the ordering
  const ListedEntries* listed = nullptr;                 ///< where lists are to be as they were; else in an order of their own
  Pairs pairs;                                           ///< of *graph in the ordering's own sequence
  std::vector<Index> row_of;                             ///< by place in it: the final row of the supervariable's first member
  Permutation perm;                                      ///< final
  EliminationTree tree;                                  ///< final
  Supernodes supernodes;
  FrontTree fronts;  ///< sizes of supernodes
  std::vector<Offset> panel_ptr;
  int workers = 1;
  Schedule schedule;  ///< none yet for the target of a device, which is judged without
  Cost cost;
  DeviceLevels device_levels;  ///< for the target of a device
  DeviceWork device_work;      ///< the same
  CoreSeconds core;            ///< a function of pattern, permutation and table alone
};

struct OutlineOptions {
  int workers = 1;         ///< tasks at once, >= 1
  bool amalgamate = true;  ///< relaxed supernodes
  Index last = 0;          ///< so many rows at the end of perm stay there, in their sequence, as one front: OrderingOptions::last
};

/// Sizes of the supernodes, from those of out.fronts: columns, parents, presized rows and panels. Throws Error(overflow).
void set_sizes(Outline& out);

/// All that follows from a tree and supernodes that are there: cost and schedule, or levels and the seconds of a device.
void weigh(const Pattern& lower, const CostTable& table, Outline& out);

/// The CPU's schedule of an outline that has none yet. O(edges log children + fronts log fronts), and what places in memory take.
void set_schedule(const CostTable& table, Outline& out);

/// Supervariables are eliminated whole, so the phase runs on `graph`, A's with indistinguishable rows merged, and expands what it finds to
/// columns. Where perm takes members of a supervariable apart, it is divided into the runs that perm leaves. Borrows the graph as long as
/// the outline lives. perm.size() == lower.n; lower is valid, and graph that of lower; the last rows are supervariables of their own.
/// O(edges * inverse Ackermann + n log n).
Outline make_outline(const Pattern& lower, const ordering::CompressedGraph& graph, const Permutation& perm, const CostTable& table,
                     const OutlineOptions& options);

}  // namespace kauri::symbolic
