// Visits the rows of parents in other tasks, and finds for each of their entries the child that it
// comes through.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/host/fully_summed.hpp"

#include <algorithm>

#include "symbolic/common/children.hpp"
#include "symbolic/common/contribution_layout.hpp"

namespace kauri::symbolic {

std::vector<Index> fully_summed_columns(const TaskTree& tree, const PermutedAdjacency& adjacency,
                                        std::span<const Index> row_of,
                                        std::span<const Index> first) {
  const FrontTree& fronts = tree.fronts;
  std::vector<Index> columns(fronts.parent.size(), 0),
      last(fronts.parent.size(), kNone);  // per child: pivots of its parent counted so far, and the
                                          // place of the last one counted
  std::vector<unsigned char> takes(
      fronts.parent.size(), 0);  // 1: the front takes a block of another task that may be cut
  for (Index s = 0; s < fronts.count(); ++s)
    if (fronts.parent[s] != kNone && !tree.internal(s) &&
        fronts.contribution(s) > ContributionLayout::kTile)
      takes[fronts.parent[s]] = 1;
  std::vector<Index> front_of(static_cast<std::size_t>(first.back()));
  for (Index s = 0; s < fronts.count(); ++s)
    std::fill(front_of.begin() + first[s], front_of.begin() + first[s + 1], s);
  const Children children = children_of(fronts.parent);
  for (Index i = 0; i < adjacency.size(); ++i) {
    const Index up = front_of[row_of[i]];
    if (takes[up] == 0) continue;
    const auto mine = children.of(up);
    for (const Index below : adjacency.lower(i)) {
      const Index s = front_of[row_of[below]];
      if (s == up) continue;
      const Index c =
          *std::lower_bound(mine.begin(), mine.end(),
                            s);  // fronts are postordered: c is the last front of its subtree
      if (last[c] == i) continue;
      last[c] = i;
      columns[c] += adjacency.weight(i);
    }
  }
  for (Index s = 0; s < fronts.count(); ++s) {
    const Index q = fronts.contribution(s);
    const bool whole = fronts.parent[s] == kNone || tree.internal(s) || columns[s] == q;
    columns[s] = whole ? q : ContributionLayout::first_row(columns[s]);
  }
  return columns;
}

}  // namespace kauri::symbolic
