// Row structures of the supernodes, and the map of A's entries and of contributions into each
// front.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "symbolic/common/assembly.hpp"
#include "symbolic/plan/plan_draft.hpp"

namespace kauri::symbolic {

/// Fills draft.supernodes.row, whose length is row_ptr.back(), and returns the maps of A's entries
/// and of contributions.
/// Rows of B are taken in ascending order. Each row is appended to the supernode of each of its
/// entries and to that supernode's ancestors below the row, so all lists come out sorted (row
/// subtrees on supernodes, after J. W. H. Liu, "A compact row storage scheme for Cholesky factors
/// using elimination trees", ACM Trans. Math. Softw. 12 (1986)). All members of a supervariable are
/// taken at once. The map of A's entries is made row by row if the members of supervariables do not
/// form blocks (see in_blocks()), and in the order of PlanDraft::listed if the draft has these
/// lists. lower: the pattern that the draft was made from. O(nnz log n + rows of all fronts).
Assembly fill_structure(const Pattern& lower, PlanDraft& draft);

}  // namespace kauri::symbolic
