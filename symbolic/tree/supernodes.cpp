// Finds fundamental supernodes in one pass over the postordered tree.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/tree/supernodes.hpp"

namespace kauri::symbolic {

Partition fundamental_supernodes(std::span<const Index> parent, std::span<const Index> count,
                                 std::span<const Index> weight, Index last) {
  const auto width = [&](Index j) { return weight.empty() ? 1 : weight[j]; };
  const auto n = static_cast<Index>(parent.size());
  std::vector<Index> owner(parent.size());
  std::vector<unsigned char> children(parent.size(), 0);  // 0, 1, or 2 for two and more
  for (Index j = 0; j < n; ++j)
    if (parent[j] != kNone && children[parent[j]] < 2) ++children[parent[j]];
  Partition partition;
  for (Index j = 0; j < n; ++j) {
    const bool joins = j > 0 && j != n - last && parent[j - 1] == j && children[j] == 1 &&
                       count[j - 1] == count[j] + width(j - 1);
    if (!joins) partition.first.push_back(j);
    owner[j] = static_cast<Index>(partition.first.size()) - 1;
  }
  const auto fronts = static_cast<Index>(partition.first.size());
  partition.first.push_back(n);
  FrontTree& tree = partition.fronts;
  tree.parent.resize(static_cast<std::size_t>(fronts));
  tree.order.resize(static_cast<std::size_t>(fronts));
  tree.pivots.assign(static_cast<std::size_t>(fronts), 0);
  for (Index s = 0; s < fronts; ++s) {
    const Index begin = partition.first[s], end = partition.first[s + 1];
    for (Index j = begin; j < end; ++j) tree.pivots[s] += width(j);
    tree.order[s] = count[begin];
    tree.parent[s] = parent[end - 1] == kNone ? kNone : owner[parent[end - 1]];
  }
  return partition;
}

}  // namespace kauri::symbolic
