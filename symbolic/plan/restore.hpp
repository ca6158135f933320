// A plan as few arrays that no target has a part in, and the plan made of them again.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kauri/plan.hpp"
#include "symbolic/tree/supernodes.hpp"

namespace kauri::symbolic {

/// What decides a plan: A's pattern, the final permutation and the supernodes; all else follows from these, target and workers.
struct PlanCore {
  std::vector<Index> old_of;  ///< length n: of Plan::perm
  std::vector<Index> pivots;  ///< of each supernode
  std::vector<Index> length;  ///< length n: entries of A in column j of B below the diagonal
  Array<Index> row;           ///< their rows in A, column after column of B, in the order of Assembly::entry_source
  Index last = 0;             ///< so many columns at the end are one dense supernode whatever the pattern says; 0: none are
  OrderingMethod ordering = OrderingMethod::natural;
  bool given = false;
  std::string target;
  int workers = 1;
};

/// Of a sound plan. By the threads of the calling arena. O(n + nnz).
PlanCore core_of(const Plan& plan);

/// The plan that the core is of, every field of it, if it is for core.target and by core.workers; else that of the same supernodes for
/// another target. Nothing of the core is trusted: Error(input) says what does not fit, as text that begins with no name. By the threads of
/// the calling arena. O(nnz log n + rows of all fronts).
///
/// look, if it is not empty, gets the tree of fronts with their sizes as soon as it is known, in time and memory O(nnz log n): before there
/// are lists of rows and tasks, which a small core may have very many of. What it throws is thrown.
using LookAtFronts = std::function<void(const FrontTree& fronts)>;
std::shared_ptr<const Plan> restore_plan(const PlanCore& core, std::string_view target, int workers, const LookAtFronts& look = {});

/// Places of L below and on the diagonal, front by front: the sum of p m - p (p - 1) / 2.
Offset lower_entries(const Supernodes& nodes);
Offset lower_entries(std::span<const Index> pivots, std::span<const Index> order);

}  // namespace kauri::symbolic
