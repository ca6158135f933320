// What is done to a graph before any ordering method sees it: indistinguishable vertices merged, small rows of a block arrow eliminated,
// dense rows and those that are to come last set aside, components told apart.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "kauri/permutation.hpp"
#include "ordering/graph/compress.hpp"
#include "ordering/graph/small_rows.hpp"

namespace kauri::ordering {

/// Degree above which a row of a graph of n vertices is dense: max(16, dense*sqrt(n)); n (that is: none) for dense <= 0 or not a number.
Index dense_degree(Index n, double dense);

/// The numbering as it is, but for the rows of `last`, which stand last in their sequence. n: of the graph. Throws Error(input) for one
/// that is out of range or there twice. O(n).
Permutation natural_order(Index n, std::span<const Index> last);

/// A graph made ready: connected components one after the other, in the order of their least vertex. Read-only once built.
class Reduction {
 public:
  /// compress: merge indistinguishable vertices, and then those that dense rows and small ones alone told apart. Small rows of a block
  /// arrow are eliminated (eliminate_small_rows()). dense: of n rows that are left by then those of degree > dense_degree(n, dense) are set
  /// aside; but where small rows were eliminated none are if that would be more than half of them. last: rows that are set aside, too,
  /// never merged, and not counted in n and degrees. Borrows what the graph is made from, and rows, which outlive the reduction. Throws as
  /// natural_order(). O(n + nnz).
  Reduction(const GraphSource& source, bool compress, double dense, std::span<const Index> last = {});

  /// The graph as it was compressed first, with all that is set aside.
  [[nodiscard]] const CompressedGraph& compressed() const { return compressed_; }

  [[nodiscard]] Index components() const { return static_cast<Index>(first_.size()) - 1; }
  /// Vertices and directed edges of the reduced graph, all components together.
  [[nodiscard]] Index size() const { return first_.back(); }
  [[nodiscard]] Offset edges() const { return whole_.edges(); }
  /// Vertices of the reduced graph in component c.
  [[nodiscard]] Index size(Index c) const { return first_[c + 1] - first_[c]; }
  /// Those of the components before c <= components().
  [[nodiscard]] Index first(Index c) const { return first_[c]; }
  /// Component c with its own numbering, which keeps the caller's order.
  [[nodiscard]] GraphView component(Index c) const;

  /// Appends to old_of, in the caller's numbering, the vertices of component c in the order given: order[k] = local vertex placed k-th,
  /// length size(c). The members of a merged vertex stay together: its supervariables by their least member, each ascending.
  void expand(Index c, std::span<const Index> order, std::vector<Index>& old_of) const;
  /// Appends the rows that were set aside: dense ones by supervariable in the same way, then `last`.
  void append_rest(std::vector<Index>& old_of) const;
  /// old_of with the small rows that were eliminated, each right before the first of its neighbours; all others are in old_of. O(n + nnz).
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

  // Vertices are supervariables of compressed_ from here on.
  CompressedGraph compressed_;
  GraphView whole_;               // of compressed_ where nothing had to be copied, else views of the arrays below
  std::span<const Index> last_;   // rows
  std::vector<Index> uncounted_;  // while the reduction is built, by vertex: neighbours that come last, which are one row each; or empty
  std::optional<WithoutSmallRows> arrow_;  // its graph goes once the reduction is built
  std::vector<Index> dense_;               // set aside, ascending
  std::vector<Index> next_;                // chain of those merged since what is set aside does not count, ascending; or empty: none were
  std::vector<char> kept_;                 // neither eliminated, set aside nor merged into another; or empty: all are
  std::vector<Index> component_of_;        // while the reduction is built
  std::vector<Index> vertex_;              // the supervariable of each reduced vertex, by component; empty: the identity
  std::vector<Index> first_;               // component c is vertex_[first_[c]] ... vertex_[first_[c+1]-1]
  std::vector<Offset> ptr_;                // of the reduced graph, as are:
  std::vector<Index> adjacency_;           // numbers local to the component
  std::vector<Index> weight_;
};

}  // namespace kauri::ordering
