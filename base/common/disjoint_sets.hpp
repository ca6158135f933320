// Disjoint sets by path halving (Tarjan & van Leeuwen 1984) and splicing (Rem; Dijkstra 1976):
// components of a growing graph.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <numeric>
#include <utility>
#include <vector>

#include "kauri/core/types.hpp"

namespace kauri {

/// Returns the root of v, the first x with up[x] = x on the path v, up[v], up[up[v]] ... Halves the
/// path for later calls.
inline Index root_of(std::vector<Index>& up, Index v) {
  while (up[v] != v) v = up[v] = up[up[v]];
  return v;
}

/// Disjoint sets of the integers 0 to n-1, at first {0}, {1}, ... {n-1}. Holds one array of n
/// indices.
class DisjointSets {
 public:
  explicit DisjointSets(Index n) : up_(static_cast<std::size_t>(n)) {
    std::iota(up_.begin(), up_.end(), 0);
  }

  /// Unites the sets of u and v; returns true if they were two. The least member represents a set.
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
  /// Returns the least member of the set that contains v.
  [[nodiscard]] Index representative(Index v) { return root_of(up_, v); }

 private:
  std::vector<Index> up_;
};

/// Disjoint sets as in DisjointSets, but threads may unite members concurrently (Jayanti & Tarjan
/// 2016). Links lead only to lesser members of the same set, so a thread that reads an outdated
/// link still stays in the set. The sets do not depend on the order of the calls of unite().
class SharedDisjointSets {
 public:
  explicit SharedDisjointSets(Index n) : up_(static_cast<std::size_t>(n)) {
    std::iota(up_.begin(), up_.end(), 0);
  }

  void unite(Index u, Index v) {
    for (;;) {
      u = representative(u), v = representative(v);
      if (u == v) return;
      if (u < v) std::swap(u, v);
      Index alone = u;
      if (std::atomic_ref(up_[u]).compare_exchange_strong(alone, v, std::memory_order_relaxed))
        return;
    }
  }
  /// Returns the least member of the set that contains v, provided that no thread calls unite() any
  /// more.
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
  [[nodiscard]] Index load(Index v) {
    return std::atomic_ref(up_[v]).load(std::memory_order_relaxed);
  }

  std::vector<Index> up_;
};

}  // namespace kauri
