// The strictly lower triangle of B = P A P^T by rows: what the elimination tree, the counts and the row structures are read from.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "kauri/matrix.hpp"
#include "kauri/permutation.hpp"

namespace kauri::symbolic {

/// Row i of B holds the columns column[ptr[i] .. ptr[i+1]), all < i, in no particular order; entry k stands at source[k] in A's arrays.
struct RowLists {
  std::vector<Offset> ptr;            ///< length n+1
  std::vector<Index> column;          ///< length ptr[n] = nnz(A) - n
  std::vector<Offset> source;         ///< length ptr[n]
  std::vector<Index> column_entries;  ///< length n: entries of column j of B below the diagonal

  [[nodiscard]] Index size() const { return static_cast<Index>(ptr.size()) - 1; }
};

/// perm.size() == lower.n. O(n + nnz) time and memory, two passes over A.
RowLists row_lists(const Pattern& lower, const Permutation& perm);

}  // namespace kauri::symbolic
