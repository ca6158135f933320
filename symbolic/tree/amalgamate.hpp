// Relaxed amalgamation: neighbouring fronts are merged while that saves predicted time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "symbolic/common/cost_table.hpp"
#include "symbolic/tree/supernodes.hpp"

namespace kauri::symbolic {

/// Groups of fundamental supernodes. Merging child c (m_c, p_c) into its parent s (m_s, p_s) gives a front with p = p_c + p_s and
/// m = p_c + m_s, since the rows of c beyond its pivots all are rows of s.
struct Groups {
  std::vector<Index> group;  ///< length fronts: the group of each front
  FrontTree fronts;          ///< one per group, parents after children
};

/// Every front its own group.
Groups no_amalgamation(FrontTree fronts);

/// Greedy, bottom-up: each front in turn takes in those of its children (any of them, most profitable first) whose merging lowers the
/// predicted seconds of the two fronts in a factorisation and a solve. On a device also counts how much longer the longest path from a leaf
/// through the merged front is, by the share of the work on such paths that lies below it: there, and not at the leaves, a path has nobody
/// beside it. (A hundred leaves merged into a front of few pivots, which saves a hundred fronts, is a chain of hundreds of pivots.) The sum
/// of m p stays below storage_limit(), by raising the price of a padded entry until it does. In the spirit of C. Ashcraft & R.
/// Grimes, "The influence of relaxed supernode partitions on the multifrontal method", ACM Trans. Math. Softw. 15 (1989), with a cost model
/// in place of a tolerance for zeros. Front `apart` takes in none. O(fronts log fronts).
Groups amalgamate(const FrontTree& fronts, const CostTable& table, Index apart = kNone);

/// 1.3 times the sum of m p of `fronts`, or 4 entries per column beyond it if that is more: where L is about as small as A, time counts.
double storage_limit(const FrontTree& fronts);

}  // namespace kauri::symbolic
