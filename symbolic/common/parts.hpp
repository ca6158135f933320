// What may be done side by side: stretches of an elimination, and subtrees, that have nothing in common.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/threads/blocks.hpp"
#include "symbolic/common/pairs.hpp"

namespace kauri::symbolic {

/// Places [begin, end).
struct Stretch {
  Index begin, end;
};

/// Stretches of at most `most` places each, ascending, in which no supervariable has a neighbour at a place before the stretch: what is
/// eliminated there says nothing of other stretches. In a dissection these are subtrees of separators, and so they are of any order in
/// which the elimination tree is nearly in postorder; the places between are those of large separators. All of them where one thread is
/// all there is. O(pairs).
std::vector<Stretch> closed_stretches(const Pairs& pairs, Index most);

/// Nodes [begin, end) of a forest in postorder.
struct TreePart {
  Index begin, end;
  bool whole;  ///< one subtree or several with nothing of theirs elsewhere: parents of their roots are beyond `end`. Or nodes above others
};

/// Cuts a postordered forest into whole subtrees of at most `size` nodes, several small ones together, and runs of nodes above.
/// parent[j] > j or kNone. O(nodes).
std::vector<TreePart> cut_into_subtrees(std::span<const Index> parent, Index size);

/// So many parts, or stretches, in a few hundred blocks at most: there may be millions, of a node each.
inline Blocks batches(std::size_t parts) {
  constexpr Index kBatches = 256;
  const auto count = static_cast<Index>(parts);
  return {count, std::max<Index>(1, count / kBatches)};
}

/// Nodes of a part when `count` of them are worked on: few enough that threads find work, and that what lies above all parts is small; all
/// of them if there is one thread. `asked` if that is > 0 (for tests: no result depends on it).
Index part_size(Index count, Index asked);

}  // namespace kauri::symbolic
