// The row structures of all fronts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "symbolic/common/assembly.hpp"
#include "symbolic/plan/plan_draft.hpp"

namespace kauri::symbolic {

/// Fills draft.supernodes.row and assembly.run_ptr. Each row of B climbs its row subtree on the
/// assembly tree (after J. W. H. Liu, "A compact row storage scheme for Cholesky factors using
/// elimination trees", ACM Trans. Math. Softw. 12 (1986)), so the rows of a front come out
/// ascending.
/// place: length n; for the first member of each supervariable, by row of B, the supervariable's
/// place in draft.adjacency.
/// The threads of the calling arena process subtrees of fronts side by side; in each subtree they
/// also let those rows climb to its root that are pivots of fronts above the subtree. One thread
/// then does the fronts above the subtrees. part: fronts of a subtree, as `asked` of part_size().
/// O(rows of all fronts, a supervariable counting once, + k log k for the k pairs that leave a
/// subtree).
void fill_front_rows(std::span<const Index> place, PlanDraft& draft, Assembly& assembly,
                     Index part = 0);

}  // namespace kauri::symbolic
