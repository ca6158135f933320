// Disjoint sets by path halving (Tarjan & van Leeuwen 1984): components of a growing graph.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "kauri/types.hpp"

namespace kauri {

/// Where the links up from v end: at the first x = up[x]. Halves the path.
inline Index root_of(std::vector<Index>& up, Index v) {
  while (up[v] != v) v = up[v] = up[up[v]];
  return v;
}

/// {0}, {1}, ... {n-1} at first. One array of n. Threads may unite members of ranges that do not meet.
class DisjointSets {
 public:
  explicit DisjointSets(Index n) : up_(static_cast<std::size_t>(n)) { std::iota(up_.begin(), up_.end(), 0); }

  /// Makes one set of the two that u and v are in; true if they were two. The least member stands for the set.
  bool unite(Index u, Index v) {
    u = root_of(up_, u), v = root_of(up_, v);
    if (u == v) return false;
    up_[std::max(u, v)] = std::min(u, v);
    return true;
  }
  /// The least member of the set that v is in.
  [[nodiscard]] Index representative(Index v) { return root_of(up_, v); }

 private:
  std::vector<Index> up_;
};

}  // namespace kauri
