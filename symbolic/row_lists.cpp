// Two counting passes over A: how many, then where.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/row_lists.hpp"

#include <algorithm>

namespace kauri::symbolic {

RowLists row_lists(const Pattern& lower, const Permutation& perm) {
  const Index n = lower.n;
  const auto new_of = perm.new_of();
  RowLists lists;
  lists.ptr.assign(static_cast<std::size_t>(n) + 1, 0);
  lists.column_entries.assign(static_cast<std::size_t>(n), 0);
  for (Index j = 0; j < n; ++j) {
    const Index a = new_of[j];
    for (Offset k = lower.col_ptr[j] + 1; k < lower.col_ptr[j + 1]; ++k) {
      const Index b = new_of[lower.row[k]];
      ++lists.ptr[std::max(a, b) + 1];
      ++lists.column_entries[std::min(a, b)];
    }
  }
  for (Index i = 0; i < n; ++i) lists.ptr[i + 1] += lists.ptr[i];
  lists.column.resize(static_cast<std::size_t>(lists.ptr[n]));
  lists.source.resize(static_cast<std::size_t>(lists.ptr[n]));
  std::vector<Offset> next(lists.ptr.begin(), lists.ptr.end() - 1);
  for (Index j = 0; j < n; ++j) {
    const Index a = new_of[j];
    for (Offset k = lower.col_ptr[j] + 1; k < lower.col_ptr[j + 1]; ++k) {
      const Index b = new_of[lower.row[k]];
      const Offset slot = next[std::max(a, b)]++;
      lists.column[slot] = std::min(a, b);
      lists.source[slot] = k;
    }
  }
  return lists;
}

}  // namespace kauri::symbolic
