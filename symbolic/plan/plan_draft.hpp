// The draft of a plan: everything that follows from column counts alone, which is the final
// numbering, the sizes of fronts, tasks, memory and cost.
// A draft is cheap enough to compare orderings by; make_plan.cpp completes the chosen draft with
// row structures and maps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kauri/core/plan.hpp"
#include "ordering/graph/compress.hpp"
#include "symbolic/common/cost_table.hpp"
#include "symbolic/common/permuted_adjacency.hpp"
#include "symbolic/device/levels.hpp"
#include "symbolic/device/schedule_lists.hpp"
#include "symbolic/host/cost.hpp"

namespace kauri::symbolic {

/// The lists of A's entries as a saved plan stores them. The entries of column j of B, without the
/// diagonal, are [ptr[j], ptr[j+1]).
struct ListedEntries {
  std::vector<Offset> ptr;      ///< length n+1
  std::span<const Index> row;   ///< row of A of each entry; it is eliminated after column j
  Array<std::uint32_t> source;  ///< position of each entry in the caller's value array
};

/// A plan without row structures: supernodes.row is empty, and the schedule is empty if the target
/// is a device. All other members are final.
struct PlanDraft {
  /// Graph that the structure is computed from. The ordering eliminates each of its supervariables
  /// as a whole.
  const ordering::CompressedGraph* graph = nullptr;
  std::unique_ptr<const ordering::CompressedGraph>
      own;  ///< owner of *graph if the ordering divides supervariables; else null
  const ListedEntries* listed = nullptr;  ///< lists of a saved plan, whose order of A's entries the
                                          ///< new plan keeps; null for an analysis
  PermutedAdjacency adjacency;    ///< pairs of neighbours in *graph, by place: the supervariable at
                                  ///< place k is k-th in the ordering's own sequence
  std::vector<Index> row_of;      ///< length adjacency.size(): final row of the first member of the
                                  ///< supervariable at each place
  Permutation perm;               ///< final
  EliminationTree tree;           ///< final
  Supernodes supernodes;          ///< final, but `row` is empty
  FrontTree fronts;               ///< parents and sizes of the supernodes
  std::vector<Offset> panel_ptr;  ///< final PlanInternals::panel_ptr
  int workers = 1;                ///< DraftOptions::workers
  Schedule schedule;              ///< empty for a device: its cost is predicted without a schedule
  Cost cost;
  DeviceLevels device_levels;  ///< levels of fronts, if the target is a device
  DeviceWork device_work;      ///< counts of work, if the target is a device
  CoreSeconds core;            ///< seconds that orderings are compared by: they depend on pattern,
                               ///< permutation and table alone
};

struct DraftOptions {
  int workers = 1;         ///< tasks that run at once, >= 1
  bool amalgamate = true;  ///< true: relaxed supernodes; false: fundamental supernodes
  Index last = 0;  ///< number of rows at the end of perm that stay there, in their sequence, as one
                   ///< front: OrderingOptions::last
};

/// Sets the columns, parents and row_ptr of the supernodes, and panel_ptr, from the sizes in
/// out.fronts. Throws Error(overflow) if L has more than 2^63 - 1 entries.
void set_sizes(PlanDraft& out);

/// Predicts the costs of a draft whose numbering, tree and sizes are set, and makes the schedule
/// if the table is a CPU's, or else the levels and the counts of work of a device. Throws
/// Error(overflow).
void predict_costs(const Pattern& lower, const CostTable& table, PlanDraft& out);

/// Makes the CPU's schedule of a draft that has none; table: a CPU's. Throws Error(overflow).
/// O(edges log children + fronts log fronts) plus the placement of blocks.
void set_schedule(const CostTable& table, PlanDraft& out);

/// Drafts the plan of lower in the order of perm. Supervariables are eliminated as a whole, so the
/// phase runs on `graph`, the graph of A with indistinguishable rows merged, and expands its
/// results to columns. If perm takes the members of a supervariable apart, supervariables are
/// divided: see other_supervariables().
/// The draft borrows the graph as long as it lives. Requires: lower is valid, graph is that of
/// lower, perm.size() == lower.n, and each of the last options.last rows of perm is a supervariable
/// by itself. Throws Error(overflow) if a count or an offset exceeds its type. O(edges log n + n
/// log n) at worst, in practice O(edges + n log n), plus the schedule or levels.
PlanDraft draft_plan(const Pattern& lower, const ordering::CompressedGraph& graph,
                     const Permutation& perm, const CostTable& table, const DraftOptions& options);

}  // namespace kauri::symbolic
