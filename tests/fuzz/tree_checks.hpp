// The definition of separator trees, for the target that orders within them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "kauri/extras/separators.hpp"

namespace kauri::fuzz {

/// Returns whether the nodes cover all places, parents have higher numbers, and a walk that visits
/// the children of each node before it, in ascending order, meets the nodes in order of their
/// numbers.
inline bool is_forest_in_postorder(const SeparatorTree& tree, Index n) {
  const Index count = tree.count();
  if (tree.first.size() != tree.parent.size() + 1 || tree.first.front() != 0 ||
      tree.first.back() != n)
    return false;
  if (!std::is_sorted(tree.first.begin(), tree.first.end())) return false;
  std::vector<std::vector<Index>> below(static_cast<std::size_t>(count) + 1);  // the last element
                                                                               // holds the roots
  for (Index k = count - 1; k >= 0; --k) {
    const Index up = tree.parent[k];
    if (up != kNone && (up <= k || up >= count)) return false;
    below[up == kNone ? count : up].push_back(k);
  }
  std::vector<Index> stack{count};
  Index met = 0;
  while (!stack.empty()) {
    const Index k = stack.back();
    if (below[k].empty()) {
      stack.pop_back();
      if (k != met++) return false;
    } else {
      stack.push_back(below[k].back());
      below[k].pop_back();
    }
  }
  return true;
}

/// A tree that is a forest in postorder, with the places of an ordering.
class NaiveTree {
 public:
  NaiveTree(const SeparatorTree& tree, const Permutation& perm)
      : tree_(tree), lowest_(tree.parent.size()), node_of_(static_cast<std::size_t>(perm.size())) {
    std::iota(lowest_.begin(), lowest_.end(), 0);
    for (Index k = 0; k < tree.count(); ++k) {
      if (tree.parent[k] != kNone)
        lowest_[tree.parent[k]] = std::min(lowest_[tree.parent[k]], lowest_[k]);
      for (Index place = tree.first[k]; place < tree.first[k + 1]; ++place)
        node_of_[perm.old_of(place)] = k;
    }
  }

  [[nodiscard]] Index count() const { return tree_.count(); }
  [[nodiscard]] Index of(Index row) const { return node_of_[row]; }
  [[nodiscard]] Index parent(Index k) const { return tree_.parent[k]; }
  [[nodiscard]] bool is_leaf(Index k) const { return lowest_[k] == k; }
  [[nodiscard]] bool is_above(Index a, Index b) const {
    return lowest_[a] <= b && b <= a;
  }  // or a == b; uses the postorder
  [[nodiscard]] bool related(Index a, Index b) const { return is_above(a, b) || is_above(b, a); }
  [[nodiscard]] Index lowest(Index k) const { return lowest_[k]; }
  [[nodiscard]] Index begin(Index k) const { return tree_.first[lowest_[k]]; }
  [[nodiscard]] Index own_begin(Index k) const { return tree_.first[k]; }
  [[nodiscard]] Index end(Index k) const { return tree_.first[k + 1]; }

  [[nodiscard]] bool fits(const Graph& graph) const {
    for (Index v = 0; v < graph.size(); ++v)
      for (const Index u : graph.neighbours(v))
        if (!related(of(u), of(v))) return false;
    return true;
  }

 private:
  const SeparatorTree& tree_;
  std::vector<Index> lowest_;  // lowest node of each subtree
  std::vector<Index> node_of_;
};

}  // namespace kauri::fuzz
