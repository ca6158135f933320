// Column counts by leaves of row subtrees and their least common ancestors (Gilbert, Ng & Peyton 1994).
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/column_counts.hpp"

#include <algorithm>

namespace kauri::symbolic {
namespace {

/// The root of x's set; halves the path on its way.
Index find_root(std::vector<Index>& up, Index x) {
  while (up[x] != x) {
    up[x] = up[up[x]];
    x = up[x];
  }
  return x;
}

}  // namespace

std::vector<Index> column_counts(const Pairs& pairs, std::span<const Index> position, std::span<const Index> parent) {
  const Index n = pairs.size();
  std::vector<Index> count(position.size(), 0), first(position.size()), up(position.size()), place(position.size());
  for (Index j = 0; j < n; ++j) {
    first[j] = up[j] = j;  // first: the least position in the subtree
    place[position[j]] = j;
  }
  std::vector<Index> leaf(position.size(), kNone);  // by place: the last leaf of its row subtree so far; a column is one if no earlier
                                                    // leaf lies in its own subtree
  // count[j] becomes the weight whose sum over the subtree of j is the count of column j: that of the row where a row subtree has a leaf,
  // minus that where two of its branches meet, and minus that at the parent of its root.
  for (Index j = 0; j < n; ++j) {
    const Index k = place[j], least = first[j], weight = pairs.weight(k);
    Index sum = least == j ? weight : 0;  // the diagonal starts at leaves of the tree and is carried up
    for (const Index i : pairs.higher(k)) {
      if (leaf[i] >= least) continue;
      const Index row = pairs.weight(i);
      sum += row;
      if (leaf[i] != kNone) count[find_root(up, leaf[i])] -= row;
      leaf[i] = j;
    }
    count[j] += sum;
    if (const Index p = parent[j]; p != kNone) {
      count[p] -= weight;
      up[j] = p;
      first[p] = std::min(first[p], least);
    }
  }
  for (Index j = 0; j < n; ++j)
    if (parent[j] != kNone) count[parent[j]] += count[j];
  return count;
}

}  // namespace kauri::symbolic
