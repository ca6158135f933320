// The draft of a plan: all that follows from column counts alone, which is the final numbering, sizes of fronts, tasks, memory and cost.
// A draft is cheap enough to compare orderings by; make_plan.cpp completes the chosen draft with row structures and maps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kauri/plan.hpp"
#include "ordering/graph/compress.hpp"
#include "symbolic/common/cost_table.hpp"
#include "symbolic/common/permuted_adjacency.hpp"
#include "symbolic/device/levels.hpp"
#include "symbolic/host/cost.hpp"

namespace kauri::symbolic {

/// The lists of A's entries as a saved plan has them: those of column j of B, but for the diagonal, are [ptr[j], ptr[j+1]).
struct ListedEntries {
  std::vector<Offset> ptr;      ///< length n+1
  std::span<const Index> row;   ///< the row of A, which comes after j in B
  Array<std::uint32_t> source;  ///< the position in the caller's value array
};

/// A plan without row structures: supernodes.row is empty, and so is the schedule if the target is a device. All other members are final.
struct PlanDraft {
  /// The graph that the structure is computed from: its supervariables are eliminated whole by the ordering.
  const ordering::CompressedGraph* graph = nullptr;
  std::unique_ptr<const ordering::CompressedGraph> own;  ///< owns *graph if the ordering takes supervariables of the given graph apart
  const ListedEntries* listed = nullptr;                 ///< of a saved plan, whose lists of entries keep their order; else null
  PermutedAdjacency adjacency;                           ///< of *graph in the ordering's own sequence
  std::vector<Index> row_of;                             ///< by place in it: the final row of the supervariable's first member
  Permutation perm;                                      ///< final
  EliminationTree tree;                                  ///< final
  Supernodes supernodes;
  FrontTree fronts;  ///< sizes of supernodes
  std::vector<Offset> panel_ptr;
  int workers = 1;
  Schedule schedule;  ///< empty for a device: its cost is predicted without a schedule
  Cost cost;
  DeviceLevels device_levels;  ///< for the target of a device
  DeviceWork device_work;      ///< for the target of a device
  CoreSeconds core;            ///< depends on pattern, permutation and table alone
};

struct DraftOptions {
  int workers = 1;         ///< tasks at once, >= 1
  bool amalgamate = true;  ///< relaxed supernodes
  Index last = 0;          ///< so many rows at the end of perm stay there, in their sequence, as one front: OrderingOptions::last
};

/// Sets columns, parents, row_ptr and panel_ptr of the supernodes from the sizes in out.fronts. Throws Error(overflow).
void set_sizes(PlanDraft& out);

/// Predicts costs of a draft whose tree and supernodes are set, and makes the CPU's schedule or the levels of a device.
void predict_costs(const Pattern& lower, const CostTable& table, PlanDraft& out);

/// Makes the CPU's schedule of a draft that has none. O(edges log children + fronts log fronts) plus the placement of blocks.
void set_schedule(const CostTable& table, PlanDraft& out);

/// Supervariables are eliminated whole, so the phase runs on `graph`, A's with indistinguishable rows merged, and expands what it finds to
/// columns. Where perm takes members of a supervariable apart, it is divided into the runs that perm leaves. Borrows the graph as long as
/// the draft lives. perm.size() == lower.n; lower is valid, and graph that of lower; the last rows are supervariables of their own.
/// O(edges * inverse Ackermann + n log n).
PlanDraft draft_plan(const Pattern& lower, const ordering::CompressedGraph& graph, const Permutation& perm, const CostTable& table,
                     const DraftOptions& options);

}  // namespace kauri::symbolic
