// Row structures of the supernodes and the map of A's values, in one walk over the rows of B.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "symbolic/outline.hpp"

namespace kauri::symbolic {

/// Fills outline.supernodes.row (presized by row_ptr) and returns entry_ptr, entry_source, entry_row; run_ptr holds the number of runs of
/// each supernode towards its parent, summed up. Row by row of B, ascending, each entry's supernode and its ancestors below the row take
/// the row as their next: so all lists come out sorted, as the row subtrees of J. W. H. Liu, "A compact row storage scheme for Cholesky
/// factors using elimination trees", ACM Trans. Math. Softw. 12 (1986), on supernodes. lower: the pattern the outline was made of.
/// O(nnz + rows of all fronts).
Assembly fill_structure(const Pattern& lower, Outline& outline);

/// Fills child_ptr, child and run (run_ptr is given). O(rows of all fronts).
void fill_runs(const Supernodes& supernodes, Assembly& assembly);

}  // namespace kauri::symbolic
