// A plan reduced to a few arrays that do not depend on the target, and the plan rebuilt from them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kauri/core/plan.hpp"
#include "symbolic/tree/supernodes.hpp"

namespace kauri::symbolic {

/// The data that determine a plan: A's pattern, the final permutation and the supernodes.
/// Everything else follows from these, the target and the number of workers.
struct PlanCore {
  std::vector<Index> old_of;  ///< length n: Plan::perm as old_of
  std::vector<Index> pivots;  ///< length supernodes: pivots of each supernode
  std::vector<Index> length;  ///< length n: entries of A in column j of B below the diagonal
  Array<Index> row;  ///< rows in A of these entries, column after column of B, in the order of
                     ///< Assembly::entry_source
  Index last = 0;    ///< number of columns at the end of B that are one dense supernode whatever
                     ///< the pattern says; 0: none
  OrderingMethod ordering = OrderingMethod::natural;
  bool given = false;
  std::string target;
  int workers = 1;
};

/// Reduces a sound plan to its core. Uses the threads of the calling arena. O(n + nnz).
PlanCore core_of(const Plan& plan);

/// Function that restore_plan() calls with the tree of fronts and their sizes. It can refuse the
/// plan by throwing.
using LookAtFronts = std::function<void(const FrontTree& fronts)>;
/// Rebuilds a plan from its core. With core.target and core.workers the result equals the plan that
/// the core was made from in every field, but for panels that left a device (spill()), which stay;
/// with another target it is the plan of the same supernodes for that target. workers >= 1. Checks
/// every array of the core: Error(input) says what does not fit, in a text that begins with no
/// function's name. Throws also Error(usage) for an unknown target, and Error(overflow). Uses the
/// threads of the calling arena. O(nnz log n + rows of all fronts).
///
/// look: if not empty, it is called as soon as the sizes of fronts are known, after O(nnz log n)
/// time and memory, and its exceptions are passed on. The lists of rows and tasks, which may be
/// very long for a small core, are made afterwards.
std::shared_ptr<Plan> restore_plan(const PlanCore& core, std::string_view target, int workers,
                                   const LookAtFronts& look = {});

/// Returns the number of entries of L on and below the diagonal, padding included: the sum of p m -
/// p (p - 1) / 2 over the fronts.
Offset lower_entries(const Supernodes& nodes);
Offset lower_entries(std::span<const Index> pivots, std::span<const Index> order);

}  // namespace kauri::symbolic
