// Compares lower_factor() and lower_diagonal() with Factor::entry(), entry by entry.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "kauri/extras/lower_factor.hpp"

namespace kauri::test {

/// Returns what is wrong with the copies of L, or an empty text. O(n^2).
template <class T>
std::string flaw_of_lower_factor(const Factor<T>& factor) {
  const LowerFactor<T> l = lower_factor(factor);
  const std::vector<T> diagonal = lower_diagonal(factor);
  const Index n = factor.plan().n;
  if (l.col_ptr.size() != static_cast<std::size_t>(n) + 1 || l.col_ptr[0] != 0) return "col_ptr";
  if (diagonal.size() != static_cast<std::size_t>(n)) return "length of the diagonal";
  if (l.row.size() != l.value.size() || static_cast<Offset>(l.row.size()) != l.col_ptr.back())
    return "lengths";
  for (Index j = 0; j < n; ++j) {
    const std::string at = " of column " + std::to_string(j);
    Offset k = l.col_ptr[j];
    if (k >= l.col_ptr[j + 1] || l.row[k] != j || l.value[k] != diagonal[j])
      return "the diagonal" + at;
    for (Index i = j; i < n; ++i) {
      const bool there = k < l.col_ptr[j + 1] && l.row[k] == i;
      const T expected = factor.entry(i, j);
      if ((there ? l.value[k] : T(0)) != expected) return "entry " + std::to_string(i) + at;
      if (there) ++k;
    }
    if (k != l.col_ptr[j + 1]) return "rows" + at;
  }
  return "";
}

}  // namespace kauri::test
