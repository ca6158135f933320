// Structures of L by definition: the elimination game column by column on sets.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <set>
#include <vector>

#include "kauri/core/matrix.hpp"
#include "kauri/core/permutation.hpp"

namespace kauri::test {

/// Returns the rows of each column of L for B = P A P^T, including the diagonal. O(sum of c_j^2 log
/// n).
inline std::vector<std::set<Index>> naive_columns(const Pattern& lower, const Permutation& perm) {
  std::vector<std::set<Index>> column(static_cast<std::size_t>(lower.n));
  for (Index j = 0; j < lower.n; ++j)
    for (Offset k = lower.col_ptr[j]; k < lower.col_ptr[j + 1]; ++k) {
      const Index a = perm.new_of(j), b = perm.new_of(lower.row[k]);
      column[std::min(a, b)].insert(std::max(a, b));
    }
  for (Index j = 0; j < lower.n; ++j)
    for (auto a = std::next(column[j].begin()); a != column[j].end();
         ++a)  // the neighbours of j become a clique
      for (auto b = a; b != column[j].end(); ++b) column[*a].insert(*b);
  return column;
}

/// Returns the first row of each column below its diagonal, or kNone: the elimination tree by
/// definition.
inline std::vector<Index> naive_tree(const std::vector<std::set<Index>>& column) {
  std::vector<Index> parent;
  for (const auto& rows : column)
    parent.push_back(rows.size() > 1 ? *std::next(rows.begin()) : kNone);
  return parent;
}

}  // namespace kauri::test
