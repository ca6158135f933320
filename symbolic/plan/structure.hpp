// Row structures of the supernodes, and what each front gathers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "symbolic/plan/plan_draft.hpp"

namespace kauri::symbolic {

/// Fills draft.supernodes.row (presized by row_ptr) and returns the maps of A's entries and of contributions.
/// Row by row of B, ascending, each entry's supernode and its ancestors below the row take the row as their next: so all lists come out
/// sorted, as the row subtrees of J. W. H. Liu, "A compact row storage scheme for Cholesky factors using elimination trees", ACM Trans.
/// Math. Softw. 12 (1986), on supernodes; here the members of a supervariable are taken at once. Where its members are not neighbours in
/// the caller's numbering, the map of A's entries is made row by row all the same; of PlanDraft::listed in that order. lower: the pattern
/// the draft was made of. O(nnz + rows of all fronts).
Assembly fill_structure(const Pattern& lower, PlanDraft& draft);

}  // namespace kauri::symbolic
