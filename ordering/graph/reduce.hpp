// Prepares a graph for the ordering methods: merges indistinguishable vertices, eliminates small
// rows of a block arrow, sets aside dense rows and rows that come last, and splits the rest into
// components.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "kauri/core/permutation.hpp"
#include "ordering/graph/compress.hpp"
#include "ordering/graph/small_rows.hpp"

namespace kauri::ordering {

/// Returns the degree above which a row of a graph of n vertices is dense: max(16, dense*sqrt(n)),
/// at most n; n, so that none is dense, if dense <= 0 or NaN.
Index dense_degree(Index n, double dense);

/// Returns the identity, except that the rows of `last` come last in their given sequence. n: rows
/// of the graph. Throws Error(input) if a row of `last` is out of range or occurs twice. O(n).
Permutation natural_order(Index n, std::span<const Index> last);

/// A graph with vertices merged, small rows eliminated, and dense and last rows set aside:
/// connected components one after the other, in the order of their least vertex. Read-only once
/// built.
class Reduction {
 public:
  /// Reduces a graph. compress: merges indistinguishable vertices, and later vertices that only
  /// dense, small or last rows distinguished. Small rows of a block arrow are eliminated
  /// (eliminate_small_rows()). dense: of the n rows that remain, those of degree > dense_degree(n,
  /// dense) are set aside; but if small rows were eliminated, and more than half of the remaining
  /// vertices would be set aside, none are. last: rows that are set aside, never merged, and not
  /// counted in n and degrees. Borrows the graph or pattern behind source, and last; both must
  /// outlive the reduction. Throws as natural_order(). O(n + nnz).
  Reduction(const GraphSource& source, bool compress, double dense,
            std::span<const Index> last = {});

  /// The graph after the first compression, including the rows set aside.
  [[nodiscard]] const CompressedGraph& compressed() const { return compressed_; }

  [[nodiscard]] Index components() const { return static_cast<Index>(first_.size()) - 1; }
  /// Numbers of vertices and of directed edges of the reduced graph, all components together.
  [[nodiscard]] Index size() const { return first_.back(); }
  [[nodiscard]] Offset edges() const { return whole_.edges(); }
  /// Number of vertices of the reduced graph in component c.
  [[nodiscard]] Index size(Index c) const { return first_[c + 1] - first_[c]; }
  /// Number of vertices in the components before c, 0 <= c <= components().
  [[nodiscard]] Index first(Index c) const { return first_[c]; }
  /// Component c in local numbers, which keep the caller's order.
  [[nodiscard]] GraphView component(Index c) const;

  /// Appends to old_of, in the caller's numbering, the vertices of component c in the given order:
  /// order[k] = local vertex placed k-th, length size(c). Members of a merged vertex stay together:
  /// its supervariables by their least member, the rows of each ascending.
  void expand(Index c, std::span<const Index> order, std::vector<Index>& old_of) const;
  /// Appends to old_of the rows that were set aside: dense ones, by supervariable as in expand(),
  /// then the rows of `last`, in their given sequence.
  void append_rest(std::vector<Index>& old_of) const;
  /// Returns old_of, which holds all other rows, with the eliminated small rows inserted, each
  /// right before the first of its neighbours. O(n + nnz).
  [[nodiscard]] std::vector<Index> with_small_rows(std::vector<Index> old_of) const;

 private:
  void take_out_last();
  void eliminate();
  void set_aside(double dense);
  void merge_the_rest();
  void find_components();
  template <class Sets>
  void number_components();
  void extract();
  void append_members(Index v, std::vector<Index>& old_of) const;

  // From here on, vertices are supervariables of compressed_.
  CompressedGraph compressed_;
  GraphView whole_;  // view of compressed_ if nothing had to be copied, else of the arrays below
  std::span<const Index> last_;   // rows, not vertices, that come last
  std::vector<Index> uncounted_;  // by vertex, during construction: number of its neighbours that
                                  // come last, one row each; empty if no list contains last rows
  // Result of the elimination of small rows, without its graph after construction; empty if none
  // were eliminated.
  std::optional<WithoutSmallRows> arrow_;
  std::vector<Index> dense_;  // vertices set aside as dense, ascending
  std::vector<Index> next_;   // by vertex: the next one merged with it after rows were set aside,
                              // ascending, or kNone; empty if none were merged
  std::vector<char> kept_;    // by vertex: neither eliminated, set aside nor merged into another;
                              // empty if all are kept
  std::vector<Index> component_of_;  // by vertex, during construction: its component, or kNone
  std::vector<Index>
      vertex_;  // by reduced vertex, by component: its supervariable; empty: the identity
  std::vector<Index> first_;      // component c is the reduced vertices first_[c] ... first_[c+1]-1
  std::vector<Offset> ptr_;       // reduced graph, if it had to be copied: this and the next two
  std::vector<Index> adjacency_;  // in numbers local to the component
  std::vector<Index> weight_;
};

}  // namespace kauri::ordering
