// Finds the elimination tree by path compression (Liu 1990), and a postorder from sizes of
// subtrees.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/tree/elimination_tree.hpp"

#include "base/threads/stopping.hpp"
#include "symbolic/common/independent_ranges.hpp"

namespace kauri::symbolic {

std::vector<Index> elimination_tree(const PermutedAdjacency& adjacency, Index part) {
  const Index n = adjacency.size();
  std::vector<Index> parent(static_cast<std::size_t>(n), kNone);
  std::vector<Index> shortcut(static_cast<std::size_t>(n),
                              kNone);  // per node: a known ancestor, as high as possible; kNone if
                                       // none is known
  const auto add_rows = [&](Index begin, Index end) {
    const StopCheck check_stop;
    for (Index i = begin; i < end; ++i) {
      check_stop.at(i);
      for (Index j : adjacency.lower(i))
        while (shortcut[j] != i) {
          const Index up = shortcut[j];
          shortcut[j] = i;
          if (up == kNone) {
            parent[j] = i;
            break;
          }
          j = up;
        }
    }
  };
  const std::vector<IndexRange> ranges = independent_ranges(adjacency, part_size(n, part));
  batches(ranges.size()).for_each([&](Index, Index begin, Index end) {
    for (Index k = begin; k < end; ++k) add_rows(ranges[k].begin, ranges[k].end);
  });
  Index done = 0;
  for (const IndexRange& range : ranges) {
    add_rows(done, range.begin);
    done = range.end;
  }
  add_rows(done, n);
  return parent;
}

std::vector<Index> postorder(std::span<const Index> parent) {
  const auto n = static_cast<Index>(parent.size());
  std::vector<Index> position(parent.size()), free_end(parent.size(), 1);
  for (Index j = 0; j < n; ++j)  // free_end holds subtree sizes first, then the end of the places
                                 // that the node has not yet handed out
    if (parent[j] != kNone) free_end[parent[j]] += free_end[j];
  Index root_end = n;
  for (Index j = n - 1; j >= 0; --j) {
    Index& end = parent[j] == kNone ? root_end : free_end[parent[j]];
    const Index size = free_end[j];
    position[j] = end - 1;
    free_end[j] = end - 1;
    end -= size;
  }
  return position;
}

}  // namespace kauri::symbolic
