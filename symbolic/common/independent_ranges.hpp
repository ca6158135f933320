// Independent ranges of an elimination, and subtrees of a forest, which threads process side by
// side: no two of them share an entry of A.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/threads/blocks.hpp"
#include "symbolic/common/permuted_adjacency.hpp"

namespace kauri::symbolic {

/// Places [begin, end) of an elimination; the supervariable at place k is eliminated k-th.
struct IndexRange {
  Index begin, end;
};

/// Returns disjoint ranges of at most `most` places each, ascending. No supervariable in a range
/// has a neighbour at a place before the range, so ranges can be eliminated independently, before
/// all other places. In a dissection, and in any order whose elimination tree is nearly in
/// postorder, the ranges are subtrees of separators; places in no range belong to large separators.
/// If there are at most `most` places, one range holds all of them. O(edges).
std::vector<IndexRange> independent_ranges(const PermutedAdjacency& adjacency, Index most);

/// Nodes [begin, end) of a forest in postorder: whole subtrees, or nodes above other subtrees.
struct TreePart {
  Index begin, end;
  bool whole;  ///< true: complete subtrees, and the parents of their roots are at or beyond `end`;
               ///< false: nodes above other subtrees
};

/// Cuts a postordered forest into parts, ascending, that cover all nodes: whole subtrees of at most
/// `size` nodes each, several small ones in one part, and runs of nodes with larger subtrees.
/// parent[j] > j or kNone. O(nodes).
std::vector<TreePart> cut_into_subtrees(std::span<const Index> parent, Index size);

/// Groups `parts` ranges or parts of trees into less than 512 blocks of a parallel loop: there may
/// be millions of parts of one node each.
inline Blocks batches(std::size_t parts) {
  constexpr Index kBatches = 256;
  const auto count = static_cast<Index>(parts);
  return {count, std::max<Index>(1, count / kBatches)};
}

/// Returns the most nodes of a range or subtree when `count` nodes are divided among the threads of
/// the calling arena: a 64th of all, at least 128, so that every thread finds work; all nodes with
/// one thread. Returns `asked` if it is > 0 (tests set it: no result depends on the size).
Index part_size(Index count, Index asked);

}  // namespace kauri::symbolic
