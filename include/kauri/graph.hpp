// The adjacency graph of a symmetric matrix.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kauri/matrix.hpp"

namespace kauri {

/// Undirected graph of A: vertex v for row v, an edge {u,v} for each a(u,v) != 0 off the diagonal. Both directions are stored,
/// neighbours ascending, no loops, no repeats. Owned.
class Graph {
 public:
  /// No vertices; so is one that was moved from.
  Graph() = default;
  /// From the lower triangle of A (checked), by several threads inside of kauri's own calls, else by the calling one. Throws Error(input).
  /// O(n + nnz).
  explicit Graph(const Pattern& lower);
  /// Says of a pattern that it was checked: check().
  struct Checked {
    explicit Checked() = default;
  };
  /// The same without another look: where the pattern is not sound, nothing is promised.
  Graph(const Pattern& lower, Checked);
  /// From adjacency lists that already keep the promises above: ptr of length n+1, adjacency of length ptr[n]. Checked: Error(input).
  Graph(std::vector<Offset> ptr, std::vector<Index> adjacency);

  /// Vertices.
  [[nodiscard]] Index size() const { return ptr_.empty() ? 0 : static_cast<Index>(ptr_.size()) - 1; }
  /// Directed edges, i.e. twice the number of undirected ones.
  [[nodiscard]] Offset edges() const { return ptr_.empty() ? 0 : ptr_.back(); }
  /// Neighbours of v, 0 <= v < size().
  [[nodiscard]] Index degree(Index v) const { return static_cast<Index>(begin(v + 1) - begin(v)); }
  /// Ascending, length degree(v), in this object. 0 <= v < size().
  [[nodiscard]] std::span<const Index> neighbours(Index v) const {
    return {adjacency_.data() + begin(v), static_cast<std::size_t>(begin(v + 1) - begin(v))};
  }
  /// Length size()+1.
  [[nodiscard]] std::span<const Offset> ptr() const { return ptr_.empty() ? std::span<const Offset>(kNoPointers) : ptr_; }
  [[nodiscard]] std::span<const Index> adjacency() const { return adjacency_; }  ///< length edges()

 private:
  [[nodiscard]] Offset begin(Index v) const { return ptr_[static_cast<std::size_t>(v)]; }
  std::vector<Offset> ptr_;  // empty where there are no vertices, and none were given
  std::vector<Index> adjacency_;
};

}  // namespace kauri
