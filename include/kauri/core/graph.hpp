// Graph: the adjacency graph of a symmetric matrix.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kauri/core/matrix.hpp"

namespace kauri {

/// Undirected graph of A: vertex v for row v, an edge {u,v} for each stored entry a(u,v) off the
/// diagonal, also if its value is zero. Both directions are stored; the neighbours of a vertex
/// ascend, without loops or repetitions. Owns its arrays.
class Graph {
 public:
  /// Makes a graph without vertices; a graph that was moved from is one, too.
  Graph() = default;
  /// Makes the graph of A from its lower triangle, which is checked. Several threads share the work
  /// if other calls of kauri have started them, else the calling thread does it. Throws
  /// Error(input) for a bad pattern. O(n + nnz).
  explicit Graph(const Pattern& lower);
  /// Tag by which the caller of a constructor states that the pattern has passed check().
  struct Checked {
    explicit Checked() = default;
  };
  /// Makes the graph of A without checking the pattern; the behaviour is undefined if the pattern
  /// is bad.
  Graph(const Pattern& lower, Checked);
  /// Makes a graph of n vertices from adjacency lists: those of vertex v are adjacency[ptr[v]] to
  /// adjacency[ptr[v+1] - 1]; ptr of length n+1, adjacency of length ptr[n]. Throws Error(input)
  /// unless lists ascend and have each edge in both directions, without loops.
  Graph(std::vector<Offset> ptr, std::vector<Index> adjacency);

  /// Returns the number of vertices.
  [[nodiscard]] Index size() const {
    return ptr_.empty() ? 0 : static_cast<Index>(ptr_.size()) - 1;
  }
  /// Returns the number of directed edges, twice that of undirected ones.
  [[nodiscard]] Offset edges() const { return ptr_.empty() ? 0 : ptr_.back(); }
  /// Returns the number of neighbours of v, 0 <= v < size().
  [[nodiscard]] Index degree(Index v) const { return static_cast<Index>(begin(v + 1) - begin(v)); }
  /// Returns the neighbours of v, 0 <= v < size(): ascending, length degree(v), a view into this
  /// object.
  [[nodiscard]] std::span<const Index> neighbours(Index v) const {
    return {adjacency_.data() + begin(v), static_cast<std::size_t>(begin(v + 1) - begin(v))};
  }
  /// Returns the start of each vertex's neighbours in adjacency(): length size()+1, a view into
  /// this object.
  [[nodiscard]] std::span<const Offset> ptr() const {
    return ptr_.empty() ? std::span<const Offset>(kNoPointers) : ptr_;
  }
  [[nodiscard]] std::span<const Index> adjacency() const {
    return adjacency_;
  }  ///< all neighbours, vertex by vertex: length edges()

 private:
  [[nodiscard]] Offset begin(Index v) const { return ptr_[static_cast<std::size_t>(v)]; }
  std::vector<Offset> ptr_;  // empty for a default-constructed graph
  std::vector<Index> adjacency_;
};

}  // namespace kauri
