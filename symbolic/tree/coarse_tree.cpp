// Makes the elimination tree of supervariables.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/tree/coarse_tree.hpp"

#include <algorithm>

#include "base/threads/blocks.hpp"
#include "symbolic/tree/column_counts.hpp"
#include "symbolic/tree/elimination_tree.hpp"

namespace kauri::symbolic {
namespace {

constexpr Index kRenamedBlock = 16384;  // nodes in a block of a parallel loop

std::vector<Index> chained(std::vector<Index> parent, Index last) {
  const auto n = static_cast<Index>(parent.size()), first = n - last;
  for (Index k = 0; k < first; ++k) parent[k] = std::min(parent[k], first);
  for (Index k = first; k < n; ++k) parent[k] = k + 1 < n ? k + 1 : kNone;
  return parent;
}

}  // namespace

std::vector<Index> renamed(std::span<const Index> parent, std::span<const Index> position) {
  std::vector<Index> out(parent.size());
  Blocks(static_cast<Index>(parent.size()), kRenamedBlock)
      .for_each([&](Index, Index begin, Index end) {
        for (Index j = begin; j < end; ++j)
          out[position[j]] = parent[j] == kNone ? kNone : position[parent[j]];
      });
  return out;
}

CoarseTree coarse_tree(const PermutedAdjacency& adjacency, Index last) {
  CoarseTree tree;
  {
    std::vector<Index> parent = elimination_tree(adjacency);
    if (last > 0) {
      const std::vector<Index> chain = chained(parent, last);
      std::copy(chain.end() - last, chain.end(), parent.end() - last);
      tree.position = postorder(chain);
      tree.lowest = renamed(parent, tree.position);
      parent = chain;
    } else {
      tree.position = postorder(parent);
    }
    tree.parent = renamed(parent, tree.position);
  }
  if (adjacency.merged()) {
    tree.weight.resize(tree.parent.size());
    for (Index k = 0; k < adjacency.size(); ++k)
      tree.weight[tree.position[k]] = adjacency.weight(k);
  }
  tree.count = column_counts(adjacency, tree.position, tree.parent);
  for (Index k = 1; k <= last; ++k)
    tree.count[tree.count.size() - static_cast<std::size_t>(k)] = k;  // the last columns are dense
  return tree;
}

}  // namespace kauri::symbolic
