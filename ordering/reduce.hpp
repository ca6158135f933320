// What is done to a graph before any ordering method sees it: dense rows set aside, indistinguishable vertices merged, components told
// apart.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ordering/graph_view.hpp"

namespace kauri::ordering {

/// Degree above which a row of a graph of n vertices is dense: max(16, dense*sqrt(n)); n (that is: none) for dense <= 0 or not a number.
Index dense_degree(Index n, double dense);

/// representative[v] = the least vertex u with the same closed neighbourhood, {u} + neighbours(u) = {v} + neighbours(v), vertices that are
/// not kept being disregarded; representative[v] = v for a vertex that is not kept. Hashing finds candidates, comparison decides.
/// hash_mask: bits of the hash that are used; fewer make collisions (for tests) and change nothing else.
/// kept: length graph.size(), or empty: all are. O(n + nnz) expected; workspace 12n bytes. Ashcraft, "Compressed graphs and the minimum
/// degree algorithm", SIAM J. Sci. Comput. 16 (1995).
std::vector<Index> indistinguishable(const GraphView& graph, std::span<const char> kept, std::uint64_t hash_mask = ~std::uint64_t{0});

/// A graph made ready: connected components one after the other, in the order of their least vertex. Read-only once built.
class Reduction {
 public:
  /// compress: merge indistinguishable vertices. dense: rows of degree > dense_degree(n, dense) are set aside.
  /// Borrows the graph, which outlives the reduction. O(n + nnz).
  Reduction(const Graph& graph, bool compress, double dense);

  [[nodiscard]] Index components() const { return static_cast<Index>(first_.size()) - 1; }
  /// Vertices and directed edges of the reduced graph, all components together.
  [[nodiscard]] Index size() const { return first_.back(); }
  [[nodiscard]] Offset edges() const { return whole_.edges(); }
  /// Vertices of the reduced graph in component c.
  [[nodiscard]] Index size(Index c) const { return first_[c + 1] - first_[c]; }
  /// Component c with its own numbering, which keeps the caller's order.
  [[nodiscard]] GraphView component(Index c) const;

  /// Appends to old_of, in the caller's numbering, the vertices of component c in the order given: order[k] = local vertex placed k-th,
  /// length size(c). The members of a merged vertex stay together, ascending.
  void expand(Index c, std::span<const Index> order, std::vector<Index>& old_of) const;
  /// Appends the rows that were set aside, ascending.
  void append_dense(std::vector<Index>& old_of) const;

 private:
  void find_components(const GraphView& graph);
  void extract(const GraphView& graph);

  GraphView whole_;                    // the caller's graph where nothing had to be copied, else views of the arrays below
  std::vector<Index> dense_;           // rows set aside, ascending
  std::vector<Index> representative_;  // length n, or empty if no vertex was merged
  std::vector<Index> next_member_;     // length n, or empty likewise: chain of the members of a merged vertex, ascending
  std::vector<char> kept_;             // length n: neither dense nor merged into another; or empty: all are
  std::vector<Index> component_of_;    // length n while the reduction is built
  std::vector<Index> vertex_;          // the caller's number of each reduced vertex, by component; empty: the identity
  std::vector<Index> first_;           // component c is vertex_[first_[c]] ... vertex_[first_[c+1]-1]
  std::vector<Offset> ptr_;            // of the reduced graph, as are:
  std::vector<Index> adjacency_;       // numbers local to the component
  std::vector<Index> weight_;
};

}  // namespace kauri::ordering
