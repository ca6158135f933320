// Symbolic factorisation on the quotient graph in the storage of A (George & Liu, ACM TOMS 6,
// 1980).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "kauri/core/graph.hpp"
#include "kauri/core/permutation.hpp"

namespace kauri::symbolic {

/// Eliminates the vertices of a graph in the order of a permutation, as an oracle that shares no
/// code with the elimination tree. An eliminated vertex k is an element: the clique of the later
/// vertices that it reaches, which are the rows of L(:,k) below the diagonal. Its list is stored in
/// the blocks of what it absorbs: the edges of A from k to later vertices, and the elements whose
/// least vertex is k. As |L_k| <= |A_k| + sum (|L_f| - 1), the list always fits, and one half of
/// the edges of A is all the storage for lists. All vertices here are new numbers.
class QuotientElimination {
 public:
  /// Copies the edges: neither argument is read afterwards. Throws Error(usage) if their sizes
  /// differ. O(n + edges) time; storage: edges()/2 list entries + about 8 arrays of length n.
  QuotientElimination(const Graph& graph, const Permutation& permutation);

  [[nodiscard]] Index size() const { return static_cast<Index>(ptr_.size()) - 1; }
  /// Eliminates the next vertex and returns its later neighbours (without itself), in no order; the
  /// span is valid until the next call. O(their number + lengths of the elements absorbed). May be
  /// called size() times.
  std::span<const Index> eliminate_next();

  /// Returns the number of entries that lists have room for: edges()/2, fixed when built.
  [[nodiscard]] Offset capacity() const { return static_cast<Offset>(list_.size()); }
  /// Returns the most entries that live lists held at any time; <= capacity().
  [[nodiscard]] Offset peak() const { return peak_; }

 private:
  void append_block(Index k, Index block);
  void gather(Index k, Index element);
  void store(Index k);

  std::vector<Offset> ptr_;    // block of k: list_[ptr_[k] .. ptr_[k+1])
  std::vector<Index> list_;    // at first the neighbours of k that are later than k
  std::vector<Index> length_;  // length of an element's list
  std::vector<Index> next_block_,
      last_block_;  // an element's list fills a chain of blocks that starts at first_block_
  std::vector<Index> first_block_;
  std::vector<Index> first_child_, next_child_;  // elements whose least vertex is k
  std::vector<Index> mark_, reached_;   // mark_[u] == k: u is k or among reached_, of which the
                                        // first reached_count_ are k's later neighbours
  Index next_ = 0, reached_count_ = 0;  // next_: vertex to eliminate next
  Offset live_ = 0, peak_ = 0;          // entries of live lists: now, and most at any time
};

/// Returns the exact number of entries of each column of L, diagonal included, for the elimination
/// order of the permutation: length graph.size(), by new number. O(n + edges + nnz(L)) time, O(n +
/// edges) storage.
std::vector<Index> quotient_column_counts(const Graph& graph, const Permutation& permutation);

/// Calls visit(k, rows) for k = 0 .. n-1: rows of L(:,k), ascending, new numbers, diagonal (k
/// itself) first; the span is valid during the call only. O(n + edges + nnz(L) log n) time, O(n +
/// edges) storage.
void quotient_structures(
    const Graph& graph, const Permutation& permutation,
    const std::function<void(Index column, std::span<const Index> rows)>& visit);

}  // namespace kauri::symbolic
