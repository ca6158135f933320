// Finds indistinguishable vertices and merges each class into one weighted vertex. Ordering and
// symbolic phase both work on the compressed graph.
// C. Ashcraft, "Compressed graphs and the minimum degree algorithm", SIAM J. Sci. Comput. 16
// (1995).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ordering/graph/graph_source.hpp"
#include "ordering/graph/graph_view.hpp"

namespace kauri::ordering {

/// Returns representative[v], the least vertex u with the same closed neighbourhood, {u} +
/// neighbours(u) = {v} + neighbours(v), not counting vertices that are not kept; representative[v]
/// = v for a vertex that is not kept. Hashes find candidates, a comparison of lists decides.
/// hash_mask: bits of the hash that are used; fewer bits cause collisions (for tests) and change
/// nothing else.
/// kept: length graph.size(), or empty: all are kept. O(n + nnz) expected; workspace 4 n bytes.
std::vector<Index> indistinguishable(const GraphView& graph, std::span<const char> kept,
                                     std::uint64_t hash_mask = ~std::uint64_t{0});

/// Returns true if merging pays: at least one vertex in 64 is represented by another. With fewer,
/// the copy of the graph, and weights in all later work, cost more than they save, and minimum
/// degree merges twins by itself.
bool worth_merging(std::span<const Index> representative);

/// A graph with its indistinguishable vertices merged, if that pays or if the caller gives the
/// classes. Its vertices are *supervariables*, in the order of their least members; the members are
/// rows of A, ascending. If merging does not pay or is not asked for, view() is the source's own
/// graph, and nothing is copied. If the source is a pattern and many rows are merged with the row
/// before, the graph of single rows is never made. Read-only once built.
class CompressedGraph {
 public:
  /// Compresses a graph. merge: false makes every row a supervariable. apart: rows of the graph
  /// that are never merged. Borrows the graph or pattern behind source, which must outlive the
  /// CompressedGraph. O(n + nnz).
  CompressedGraph(GraphSource source, bool merge, std::span<const Index> apart = {});
  /// Compresses by given classes, whether or not that pays: representative[v] = the least row of
  /// v's class, length n. Rows of a class must have equal closed neighbourhoods.
  CompressedGraph(GraphSource source, std::span<const Index> representative);
  CompressedGraph(CompressedGraph&&) =
      default;  // moved vectors keep their storage, so the view stays valid
  CompressedGraph& operator=(CompressedGraph&&) = default;
  CompressedGraph(const CompressedGraph&) = delete;
  CompressedGraph& operator=(const CompressedGraph&) = delete;

  /// Graph of the supervariables; without weights if nothing is merged.
  [[nodiscard]] const GraphView& view() const { return view_; }
  /// Source of the graph of the rows.
  [[nodiscard]] const GraphSource& source() const { return source_; }
  [[nodiscard]] bool merged() const { return !member_.empty(); }
  [[nodiscard]] Index size() const { return view_.size(); }
  [[nodiscard]] Index weight(Index v) const { return view_.weight_of(v); }
  /// Member t of supervariable v, 0 <= t < weight(v).
  [[nodiscard]] Index member(Index v, Index t) const {
    return merged() ? member_[first_[v] + t] : v;
  }
  /// Returns the supervariable of a row.
  [[nodiscard]] Index vertex_of(Index row) const { return merged() ? vertex_of_[row] : row; }

 private:
  void take_blocks(Graph blocks, std::vector<Index> first);
  /// Merges classes of vertices of `base`, and sets all arrays below and view_. Vertex v of base is
  /// the rows from first[v] to first[v + 1] - 1; if first is empty, row v. representative, by
  /// vertex of base: the least vertex of its class.
  void merge_classes(GraphView base, std::span<const Index> first,
                     std::span<const Index> representative);
  /// Builds ptr_ and adjacency_, the graph of the classes. leader[s]: the least vertex of class s,
  /// whose list stands for the class. representative, class_of: by vertex of base.
  void join_classes(const GraphView& base, std::span<const Index> leader,
                    std::span<const Index> representative, std::span<const Index> class_of);

  GraphSource source_;
  GraphView view_;  // of the caller's graph, blocks_ or the arrays below
  Graph blocks_;    // graph of blocks of adjacent rows, while view_ refers to it
  // All arrays below are empty if nothing is merged; ptr_ and adjacency_ also if view_ is of
  // blocks_.
  std::vector<Index> vertex_of_;  // by row: its supervariable
  std::vector<Index> member_;     // all rows, supervariable after supervariable
  std::vector<Index> first_;      // by supervariable: its first place in member_; then n
  std::vector<Offset> ptr_;
  std::vector<Index> adjacency_;
  std::vector<Index> weight_;
};

}  // namespace kauri::ordering
