// Fundamental supernodes: the finest partition of columns into dense blocks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "kauri/core/types.hpp"

namespace kauri::symbolic {

/// The assembly tree as sizes of fronts, numbered so that parents come after their children.
struct FrontTree {
  std::vector<Index> parent;  ///< length count(): the parent front, > its child, or kNone
  std::vector<Index> order;   ///< m of each front
  std::vector<Index> pivots;  ///< p of each front

  [[nodiscard]] Index count() const { return static_cast<Index>(parent.size()); }
  [[nodiscard]] Index contribution(Index s) const { return order[s] - pivots[s]; }
};

/// Front s holds the nodes [first[s], first[s+1]) of a tree.
struct Partition {
  std::vector<Index> first;  ///< length fronts+1
  FrontTree fronts;
};

/// Divides columns into fundamental supernodes: columns j and j+1 share one if j+1 is j's parent, j
/// is its only child and the structures nest (count[j] = count[j+1] + 1): J. W. H. Liu, E. G. Ng &
/// B. W. Peyton, "On finding supernodes for sparse matrix computations", SIAM J. Matrix Anal. Appl.
/// 14 (1993).
/// parent, count: of a postordered elimination tree. A node j may stand for weight[j] columns that
/// share a supernode anyway; count[j] is then the count of the first of them. weight is empty if
/// all are 1. The last `last` nodes, a chain, form one supernode without other columns. O(n).
Partition fundamental_supernodes(std::span<const Index> parent, std::span<const Index> count,
                                 std::span<const Index> weight = {}, Index last = 0);

}  // namespace kauri::symbolic
