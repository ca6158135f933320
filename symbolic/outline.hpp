// Everything of a plan that follows from column counts alone: final numbering, sizes of fronts, tasks, memory, cost.
// Cheap enough to judge an ordering by; plan.cpp completes the chosen one with row structures and maps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kauri/plan.hpp"
#include "symbolic/cost.hpp"
#include "symbolic/cost_table.hpp"
#include "symbolic/row_lists.hpp"

namespace kauri::symbolic {

/// supernodes.row is still empty; all else is final.
struct Outline {
  RowLists rows;                ///< of B in the ordering's numbering, before it was postordered
  std::vector<Index> final_of;  ///< length n: final place of column k of the ordering's numbering
  Permutation perm;             ///< final
  EliminationTree tree;         ///< final
  Supernodes supernodes;
  std::vector<Offset> panel_ptr;
  Schedule schedule;
  Cost cost;
  CoreSeconds core;  ///< a function of pattern, permutation and table alone
};

/// perm.size() == lower.n; lower is valid; workers >= 1. O(nnz * inverse Ackermann + n log n).
Outline make_outline(const Pattern& lower, const Permutation& perm, const CostTable& table, int workers, bool amalgamate);

}  // namespace kauri::symbolic
