// Column counts of L from A's pattern alone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "symbolic/common/permuted_adjacency.hpp"

namespace kauri::symbolic {

/// Entries of columns of L, the diagonal included, by place in a postorder of the elimination tree: position[k] is that of the
/// supervariable at place k, parent the tree by position (parent[j] > j or kNone). A supervariable of weight w stands for w columns in a
/// row; count[j] is that of its first one, the others fall by one each. By leaves of row subtrees: J. R. Gilbert, E. G. Ng & B. W. Peyton,
/// "An efficient algorithm to compute row and column counts for sparse Cholesky factorization", SIAM J. Matrix Anal. Appl. 15 (1994), here
/// with weighted rows. O(pairs * inverse Ackermann) time, O(n) memory per thread. Subtrees are done side by side by the threads of the
/// calling arena; to what is above one, it is one leaf of each row that it meets there. part: as for part_size().
std::vector<Index> column_counts(const PermutedAdjacency& adjacency, std::span<const Index> position, std::span<const Index> parent,
                                 Index part = 0);

}  // namespace kauri::symbolic
