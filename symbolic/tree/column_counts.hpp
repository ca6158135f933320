// Column counts of L, computed from A's pattern.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "symbolic/common/permuted_adjacency.hpp"

namespace kauri::symbolic {

/// Returns the number of entries of each column of L, the diagonal included, by position in a
/// postorder of the elimination tree. position[k] is the position of the supervariable at place k;
/// parent is the tree by position (parent[j] > j or kNone). A supervariable of weight w stands for
/// w consecutive columns: the result [j] is the count of the first one, and the counts of the
/// others fall by one each.
/// Counts leaves of row subtrees: J. R. Gilbert, E. G. Ng & B. W. Peyton, "An efficient algorithm
/// to compute row and column counts for sparse Cholesky factorization", SIAM J. Matrix Anal. Appl.
/// 15 (1994), here with weighted rows. O(pairs log n) time at worst, in practice linear; O(n)
/// memory per thread.
/// The threads of the calling arena process subtrees side by side; above itself, a subtree acts as
/// one leaf of each row that it meets there. part: nodes of a subtree, as `asked` of part_size().
std::vector<Index> column_counts(const PermutedAdjacency& adjacency,
                                 std::span<const Index> position, std::span<const Index> parent,
                                 Index part = 0);

}  // namespace kauri::symbolic
