// The rows of all fronts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "symbolic/plan/plan_draft.hpp"

namespace kauri::symbolic {

/// Fills draft.supernodes.row and assembly.run_ptr: each row of B climbs its row subtree on the assembly tree (after J. W. H. Liu, "A
/// compact row storage scheme for Cholesky factors using elimination trees", ACM Trans. Math. Softw. 12 (1986)), so that the rows of a
/// front come ascending. place: by row of B, the place in draft.adjacency of the supervariable whose first member it is. Subtrees are done
/// side by side by the threads of the calling arena, with the rows that climb beyond them in turn; then the fronts above them. part: as for
/// part_size(). O(rows of all fronts, but once for supervariables, + pairs log of those that leave a subtree).
void fill_front_rows(std::span<const Index> place, PlanDraft& draft, Assembly& assembly, Index part = 0);

}  // namespace kauri::symbolic
