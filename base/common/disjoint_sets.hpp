// Disjoint sets by path halving (Tarjan & van Leeuwen 1984) and splicing (Rem; Dijkstra 1976): components of a growing graph.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <numeric>
#include <utility>
#include <vector>

#include "kauri/types.hpp"

namespace kauri {

/// Where the links up from v end: at the first x = up[x]. Halves the path.
inline Index root_of(std::vector<Index>& up, Index v) {
  while (up[v] != v) v = up[v] = up[up[v]];
  return v;
}

/// {0}, {1}, ... {n-1} at first. One array of n.
class DisjointSets {
 public:
  explicit DisjointSets(Index n) : up_(static_cast<std::size_t>(n)) { std::iota(up_.begin(), up_.end(), 0); }

  /// Makes one set of the two that u and v are in; true if they were two. The least member stands for the set.
  bool unite(Index u, Index v) {
    while (up_[u] != up_[v]) {
      if (up_[u] < up_[v]) std::swap(u, v);
      const Index above = up_[u];
      up_[u] = up_[v];
      if (above == u) return true;
      u = above;
    }
    return false;
  }
  /// The least member of the set that v is in.
  [[nodiscard]] Index representative(Index v) { return root_of(up_, v); }

 private:
  std::vector<Index> up_;
};

/// The same for threads that unite any members at once (Jayanti & Tarjan 2016): links only ever lead to lesser members, so one that is seen
/// late leads to a member of the same set, too. Once all have been united, which sets there are depends on nothing else.
class SharedDisjointSets {
 public:
  explicit SharedDisjointSets(Index n) : up_(static_cast<std::size_t>(n)) { std::iota(up_.begin(), up_.end(), 0); }

  void unite(Index u, Index v) {
    for (;;) {
      u = representative(u), v = representative(v);
      if (u == v) return;
      if (u < v) std::swap(u, v);
      Index alone = u;
      if (std::atomic_ref(up_[u]).compare_exchange_strong(alone, v, std::memory_order_relaxed)) return;
    }
  }
  /// The least member of the set that v is in, if nobody is uniting any more.
  [[nodiscard]] Index representative(Index v) {
    for (;;) {
      const Index up = load(v);
      if (up == v) return v;
      const Index next = load(up);
      if (next == up) return up;
      std::atomic_ref(up_[v]).store(next, std::memory_order_relaxed);
      v = next;
    }
  }

 private:
  [[nodiscard]] Index load(Index v) { return std::atomic_ref(up_[v]).load(std::memory_order_relaxed); }

  std::vector<Index> up_;
};

}  // namespace kauri
