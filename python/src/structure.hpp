// RowsOfL: the rows of L, from the analysis alone; and the binding of the structure of L.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <vector>

#include "kauri/core/plan.hpp"
#include "python/src/symbolic.hpp"

namespace kauri::python {

/// Enumerates the rows of L of a plan, without the zeros that amalgamation stores. Row i is the
/// subtree of the elimination tree whose leaves are columns of row i of B (Liu, The role of
/// elimination trees in sparse factorization, SIAM J. Matrix Anal. Appl. 11, 1990). A row that
/// contains a column also contains its parent. So a chain, which is a run of columns each of which
/// is the parent of the one before, takes one step: a row of a band matrix is one run. O(n +
/// nnz(A)) memory.
class RowsOfL {
 public:
  explicit RowsOfL(const Plan& plan);

  /// Calls run(first, last) for the columns [first, last) of row i, the diagonal included. The runs
  /// are disjoint and in any order. Call this at most once for each row.
  template <class Run>
  void for_row(Index i, Run&& run) {
    for (Offset k = ptr_[i]; k < ptr_[i + 1]; ++k) climb(i, column_[k], run);
    run(i, i + 1);
  }

 private:
  /// Climbs the elimination tree from column j until it reaches i or a column of row i that an
  /// earlier call for this row has reached, and calls run() for the columns on the way.
  template <class Run>
  void climb(Index i, Index j, Run& run) {
    while (j != kNone && j < i) {
      const Index end = chain_end_[j];
      if (met_by_[end] == i) {  // the row has met this chain from a higher column on
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

  std::vector<Offset> ptr_;       // length n+1: first entry of each row of B in column_
  std::vector<Index> column_;     // length ptr_[n]: columns of B below the diagonal, row by row
  std::vector<Index> chain_end_;  // length n: last column of the chain that j is in
  std::vector<Index> met_by_;     // by the last column of a chain: last row that reached the chain
  std::vector<Index> met_from_;   // by the last column of a chain: least column that row reached
  const std::vector<Index>& parent_;
};

/// Adds the structure of L to the members of kauri._core.Symbolic.
void bind_structure(nanobind::class_<Symbolic>& symbolic);

}  // namespace kauri::python
