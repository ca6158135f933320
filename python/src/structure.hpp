// What L looks like before there are numbers: its rows, pictures of it, its supernodes and their tree.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <vector>

#include "kauri/plan.hpp"
#include "python/src/symbolic.hpp"

namespace kauri::python {

/// Rows of L of a plan, one after the other, without the zeros that amalgamation stores: row i is the subtree of the elimination tree whose
/// leaves are columns of row i of B (Liu, The role of elimination trees in sparse factorization, SIAM J. Matrix Anal. Appl. 11, 1990).
/// A row that has a column has its parent too, so columns that are each other's parents one after the other, a chain, are met by one step:
/// a row of a band is one run. O(n + nnz(A)) memory.
class RowsOfL {
 public:
  explicit RowsOfL(const Plan& plan);

  /// run(first, last) for the columns [first, last) of row i, the diagonal among them: disjoint runs in no order that matters. Rows are
  /// asked for once each.
  template <class Run>
  void for_row(Index i, Run&& run) {
    for (Offset k = ptr_[i]; k < ptr_[i + 1]; ++k) climb(i, column_[k], run);
    run(i, i + 1);
  }

 private:
  /// From column j of row i up to i, or to what the row has met before.
  template <class Run>
  void climb(Index i, Index j, Run& run) {
    while (j != kNone && j < i) {
      const Index end = chain_end_[j];
      if (met_by_[end] == i) {  // the chain is met from a higher column on
        if (j < met_from_[end]) run(j, met_from_[end]);
        met_from_[end] = std::min(met_from_[end], j);
        return;
      }
      met_by_[end] = i;
      met_from_[end] = j;
      run(j, std::min<Index>(end + 1, i));
      j = parent_[end];
    }
  }

  std::vector<Offset> ptr_;       // length n+1: by rows of B, its columns below the diagonal
  std::vector<Index> column_;     // length ptr_[n]
  std::vector<Index> chain_end_;  // length n: the last column of the chain that j is in
  std::vector<Index> met_by_;     // by the last column of a chain: the row that met it last
  std::vector<Index> met_from_;   // likewise: the first of its columns that this row has
  const std::vector<Index>& parent_;
};

/// Members of kauri._core.Symbolic.
void bind_structure(nanobind::class_<Symbolic>& symbolic);

}  // namespace kauri::python
