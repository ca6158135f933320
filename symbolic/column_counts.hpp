// Column counts of L from A's pattern alone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "symbolic/row_lists.hpp"

namespace kauri::symbolic {

/// Entries of each column of L, the diagonal included, for the postordered matrix: count[j] for the column at position j.
/// rows: B as given; position: postorder of its elimination tree; parent: that tree with nodes named by position (parent[j] > j or kNone).
/// J. R. Gilbert, E. G. Ng & B. W. Peyton, "An efficient algorithm to compute row and column counts for sparse Cholesky factorization",
/// SIAM J. Matrix Anal. Appl. 15 (1994). O(nnz * inverse Ackermann) time, O(n + nnz) memory.
std::vector<Index> column_counts(const RowLists& rows, std::span<const Index> position, std::span<const Index> parent);

}  // namespace kauri::symbolic
