// An order of children that keeps the stack of contribution blocks low.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "kauri/core/types.hpp"
#include "symbolic/tree/supernodes.hpp"

namespace kauri::symbolic {

/// Returns position[s], a postorder of the fronts. Children come in the order that minimises the
/// peak of live contribution blocks in a sequential run, in which a front's block is written while
/// the blocks of its children are still live: by the peak of the child's subtree minus the size of
/// its block, largest first (J. W. H. Liu, "On the storage requirement in the out-of-core
/// multifrontal method for sparse factorization", ACM Trans. Math. Softw. 12 (1986)). Below a front
/// with above[s] != 0 the children with late[c] != 0 nevertheless come last, so that tasks near the
/// root stay contiguous; either both spans are empty or both have one element per front. Ties keep
/// the numbering. Throws Error(overflow) if the entries of live blocks exceed an Offset.
/// O(fronts log fronts).
std::vector<Index> stack_postorder(const FrontTree& fronts,
                                   std::span<const unsigned char> above = {},
                                   std::span<const unsigned char> late = {});

}  // namespace kauri::symbolic
