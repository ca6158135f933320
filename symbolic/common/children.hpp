// Children of every node of a forest as one compressed list.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "kauri/core/types.hpp"

namespace kauri::symbolic {

/// Children of s: child[ptr[s] .. ptr[s+1]); the roots follow as the children of node count.
struct Children {
  std::vector<Index> ptr;    ///< length count+2: beginning of each node's children
  std::vector<Index> child;  ///< length count: nodes by their parent

  [[nodiscard]] std::span<Index> of(Index s) {
    return {child.data() + ptr[s], static_cast<std::size_t>(ptr[s + 1] - ptr[s])};
  }
  [[nodiscard]] std::span<const Index> of(Index s) const {
    return {child.data() + ptr[s], static_cast<std::size_t>(ptr[s + 1] - ptr[s])};
  }
};

/// Returns the children of each node, ascending, from parent links (kNone at roots). O(count).
inline Children children_of(std::span<const Index> parent) {
  const auto count = static_cast<Index>(parent.size());
  Children lists{std::vector<Index>(parent.size() + 2, 0), std::vector<Index>(parent.size())};
  const auto slot = [&](Index s) { return parent[s] == kNone ? count : parent[s]; };
  for (Index s = 0; s < count; ++s) ++lists.ptr[slot(s) + 1];
  for (Index s = 0; s <= count; ++s) lists.ptr[s + 1] += lists.ptr[s];
  std::vector<Index> next(lists.ptr.begin(), lists.ptr.end() - 1);
  for (Index s = 0; s < count; ++s) lists.child[next[slot(s)]++] = s;
  return lists;
}

}  // namespace kauri::symbolic
