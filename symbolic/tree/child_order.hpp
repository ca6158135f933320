// Order of children that keeps the stack of contribution blocks low.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "kauri/types.hpp"
#include "symbolic/tree/supernodes.hpp"

namespace kauri::symbolic {

/// Postorder of the fronts: position[s], children in the order that minimises the peak of live contribution blocks in a sequential run,
/// where a front's block is written while the blocks of its children are still there: by peak of the child's subtree minus what it leaves,
/// largest first (J. W. H. Liu, "On the storage requirement in the out-of-core multifrontal method for sparse factorization",
/// ACM Trans. Math. Softw. 12 (1986)). Below a front with above[s] != 0 the children with late[c] != 0 come last all the same, so that
/// tasks near the root stay contiguous. Both may be empty. Ties keep the numbering. O(fronts log fronts).
std::vector<Index> stack_postorder(const FrontTree& fronts, std::span<const unsigned char> above = {},
                                   std::span<const unsigned char> late = {});

}  // namespace kauri::symbolic
