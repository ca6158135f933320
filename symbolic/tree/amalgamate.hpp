// Relaxed amalgamation: fronts are merged into their parents while that saves predicted time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "symbolic/common/cost_table.hpp"
#include "symbolic/tree/supernodes.hpp"

namespace kauri::symbolic {

/// Groups of fundamental supernodes. Merging child c (m_c, p_c) into its parent s (m_s, p_s) gives
/// a front with p = p_c + p_s and m = p_c + m_s, since the rows of c beyond its pivots are all rows
/// of s.
struct Groups {
  std::vector<Index> group;  ///< length fronts of the input: the group of each front
  FrontTree fronts;          ///< one front per group, parents after children
};

/// Returns the fronts with every front as a separate group.
Groups no_amalgamation(FrontTree fronts);

/// Merges fronts greedily, bottom-up: each front in turn takes in those of its children (any of
/// them, most profitable first) whose merging lowers the predicted seconds of the two fronts in a
/// factorisation and a solve, with a price (CostTable::padding_s) for each entry of L that it adds.
/// On a device (path_weight > 0) the price of a merge also counts by how much it lengthens the
/// longest path from a leaf through the merged front, weighted by the share of the work on critical
/// paths that lies in and below the front: near the root, unlike at the leaves, no other path runs
/// beside it. (A hundred
/// leaves merged into a front of few pivots save a hundred fronts, but make a chain of hundreds of
/// pivots.)
/// The sum of m p stays below storage_limit(): the price of a padded entry is raised until it does.
/// In the spirit of C. Ashcraft & R. Grimes, "The influence of relaxed supernode partitions on the
/// multifrontal method", ACM Trans. Math. Softw. 15 (1989), with a cost model in place of a
/// tolerance for zeros. Front `apart`, if it is not kNone, takes in no child. O(fronts log fronts).
Groups amalgamate(const FrontTree& fronts, const CostTable& table, Index apart = kNone);

/// Returns 1.3 times the sum of m p of `fronts`, or that sum plus 4 entries per column if this is
/// more: if L is about as small as A, time matters more than memory.
double storage_limit(const FrontTree& fronts);

}  // namespace kauri::symbolic
