// Indistinguishable vertices: found, and merged into one weighted vertex each. Ordering and symbolic phase both work on what remains.
// C. Ashcraft, "Compressed graphs and the minimum degree algorithm", SIAM J. Sci. Comput. 16 (1995).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ordering/graph/graph_source.hpp"
#include "ordering/graph/graph_view.hpp"

namespace kauri::ordering {

/// representative[v] = the least vertex u with the same closed neighbourhood, {u} + neighbours(u) = {v} + neighbours(v), vertices that are
/// not kept being disregarded; representative[v] = v for a vertex that is not kept. Hashing finds candidates, comparison decides.
/// hash_mask: bits of the hash that are used; fewer make collisions (for tests) and change nothing else.
/// kept: length graph.size(), or empty: all are. O(n + nnz) expected; workspace 12n bytes.
std::vector<Index> indistinguishable(const GraphView& graph, std::span<const char> kept, std::uint64_t hash_mask = ~std::uint64_t{0});

/// Whether so many vertices are represented by another that the graph without them is worth making: one in 64. With fewer its copy, and
/// weights in all that is done with it, cost more than they spare, and minimum degree merges twins by itself.
bool worth_merging(std::span<const Index> representative);

/// A graph with its indistinguishable vertices merged, where that is worth it: what is left are *supervariables*, numbered by their least
/// member, each with its members, rows of A, ascending. Where nothing is merged it is the caller's graph itself and nothing is copied.
/// Where many rows are merged with their neighbours, the graph of a pattern is not made. Read-only once built.
class CompressedGraph {
 public:
  /// merge: false leaves every row a supervariable of its own; and so are those of `apart`, rows of the graph, in any case. Borrows what
  /// the graph is made from, which outlives this. O(n + nnz).
  CompressedGraph(GraphSource source, bool merge, std::span<const Index> apart = {});
  /// From classes: representative[v] = the least row of v's class, length n; rows of a class have equal closed neighbourhoods.
  CompressedGraph(GraphSource source, std::span<const Index> representative);
  CompressedGraph(CompressedGraph&&) = default;  // vectors keep their storage when they move, so the view stays right
  CompressedGraph& operator=(CompressedGraph&&) = default;
  CompressedGraph(const CompressedGraph&) = delete;
  CompressedGraph& operator=(const CompressedGraph&) = delete;

  /// The supervariables; no weights if nothing is merged.
  [[nodiscard]] const GraphView& view() const { return view_; }
  /// Where the graph of the rows is.
  [[nodiscard]] const GraphSource& source() const { return source_; }
  [[nodiscard]] bool merged() const { return !member_.empty(); }
  [[nodiscard]] Index size() const { return view_.size(); }
  [[nodiscard]] Index weight(Index v) const { return view_.weight_of(v); }
  /// Member t of supervariable v, 0 <= t < weight(v).
  [[nodiscard]] Index member(Index v, Index t) const { return merged() ? member_[first_[v] + t] : v; }
  /// The supervariable of a row.
  [[nodiscard]] Index vertex_of(Index row) const { return merged() ? vertex_of_[row] : row; }

 private:
  void take_blocks(Graph blocks, std::vector<Index> first);
  /// Classes of vertices of `base`, of which v is the rows from first[v] on; first empty: row v.
  void merge_classes(GraphView base, std::span<const Index> first, std::span<const Index> representative);
  /// Their graph, each class as its leader: leader[s], that of class s.
  void join_classes(const GraphView& base, std::span<const Index> leader, std::span<const Index> representative,
                    std::span<const Index> class_of);

  GraphSource source_;
  GraphView view_;  // of the caller's graph, or of the arrays below
  Graph blocks_;    // of rows, while view_ is theirs
  // All empty where nothing is merged.
  std::vector<Index> vertex_of_;  // length n
  std::vector<Index> member_;     // length n, by supervariable
  std::vector<Index> first_;      // length size()+1: into member_
  std::vector<Offset> ptr_;
  std::vector<Index> adjacency_;
  std::vector<Index> weight_;
};

}  // namespace kauri::ordering
