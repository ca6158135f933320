// The two halves of a matrix by columns: whether they agree, and which entries do not.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "base/common/digits.hpp"
#include "base/matrix/symmetry.hpp"
#include "kauri/matrix.hpp"

namespace kauri {

[[noreturn]] inline void fail_matrix(const std::string& what) { throw Error(ErrorKind::input, "matrix: " + what); }

/// How errors call the entry in row `row` of column `col`.
struct Names {
  Offset base = 0;
  bool rows = false;  ///< what are columns here are the caller's rows
  [[nodiscard]] std::string at(Index row, Index col) const {
    return "(" + std::to_string((rows ? col : row) + base) + ", " + std::to_string((rows ? row : col) + base) + ")";
  }
  [[nodiscard]] std::string column(Index j) const { return (rows ? "row " : "column ") + std::to_string(j + base); }
};

/// Rows of a column ascend and are `least` to `beyond` - 1. Without a branch within the column, so that many rows are looked at
/// at once.
template <class Number>
bool ascends(const Number* row, Offset begin, Offset end, Offset least, Offset beyond) {
  if (begin == end) return true;
  bool good = row[begin] >= least && row[end - 1] < beyond;
  for (Offset k = begin + 1; k < end; ++k) good &= row[k] > row[k - 1];
  return good;
}

/// Entries sorted by (column, row), still with duplicates: a counting sort by row, then by column, both stable.
template <class T>
struct Sorted {
  std::vector<Offset> col_ptr;
  std::vector<Index> row;
  std::vector<T> value;
};

template <class T>
Sorted<T> transpose(Index n, const Sorted<T>& a) {
  Sorted<T> b{std::vector<Offset>(static_cast<std::size_t>(n) + 1, 0), std::vector<Index>(a.row.size()), std::vector<T>(a.row.size())};
  for (const Index i : a.row) ++b.col_ptr[i + 1];
  std::partial_sum(b.col_ptr.begin(), b.col_ptr.end(), b.col_ptr.begin());
  std::vector<Offset> next(b.col_ptr.begin(), b.col_ptr.end() - 1);
  for (Index j = 0; j < n; ++j)
    for (Offset k = a.col_ptr[j]; k < a.col_ptr[j + 1]; ++k) {
      const Offset q = next[a.row[k]]++;
      b.row[q] = j;
      b.value[q] = a.value[k];
    }
  return b;
}

/// Both halves of a matrix by columns, rows counting from base. Indices may be anything: agree() finds out. Borrowed.
template <class T, class Number>
class Halves {
 public:
  Halves(std::span<const Offset> col_ptr, std::span<const Number> row, Offset base, std::span<const T> value, const SymmetryRule<T>& rule)
      : ptr_(col_ptr.data()),
        row_(row.data()),
        value_(value.data()),
        n_(static_cast<Offset>(col_ptr.size()) - 1),
        base_(base),
        rule_(rule) {}

  /// Whether rows ascend in all columns and the two halves agree by the rule: entries below the diagonal, column by column, meet those
  /// above it in the order in which these lie in their columns, so that no transpose is made. next: by column, its first entry above the
  /// diagonal that was not met yet; where they agree, at the end, the first that is not above it. O(n + entries).
  bool agree(std::vector<Offset>& next) {
    next.assign(ptr_, ptr_ + n_);
    const Offset* const ptr = ptr_;  // so that nobody asks where these are after each store
    const Number* const row = row_;
    const T* const value = value_;
    Offset* const open = next.data();
    for (Offset j = 0; j < n_; ++j) {
      const Offset end = ptr[j + 1];
      if (!ascends(row, ptr[j], end, base_, n_ + base_) || !none_left(j, j, open[j])) return false;
      Offset k = open[j];
      for (k += k < end && row[k] == j + base_ ? 1 : 0; k < end; ++k) {
        const Offset i = static_cast<Offset>(row[k]) - base_, partner = open[i];
        if (partner < ptr[i + 1] && row[partner] == j + base_) {
          if (value[k] != value[partner] && !agrees_inexactly(value[k], value[partner], i, j)) return false;
          ++open[i];
        } else if (!agrees_alone(k, i, j, open[i])) {
          return false;
        }
      }
    }
    return true;
  }

  /// Of halves that agree: all entries have a partner of the same value, so that either half may be taken for the other.
  [[nodiscard]] bool exact() const { return exact_; }

  /// Whether the entries x at (i, j) and y at (j, i) agree.
  [[nodiscard]] bool agree(T x, T y, Offset i, Offset j) { return x == y || rule_.agree(x, y, root(i), root(j)); }

 private:
  bool agrees_inexactly(T x, T y, Offset i, Offset j) {
    exact_ = false;
    return agree(x, y, i, j);
  }

  /// Entries of column i above row j, from `at` on, have no partner: true if all count as 0. `at` ends behind them.
  bool none_left(Offset i, Offset j, Offset& at) {
    for (; at < ptr_[i + 1] && row_[at] < j + base_; ++at)
      if (row_[at] < base_ || !agrees_inexactly(value_[at], T(0), static_cast<Offset>(row_[at]) - base_, i)) return false;
    return true;
  }

  /// Entry k at (i, j), which the first open entry of column i is no partner of.
  bool agrees_alone(Offset k, Offset i, Offset j, Offset& open) {
    if (!none_left(i, j, open)) return false;
    const bool alone = open == ptr_[i + 1] || row_[open] != j + base_;
    return agrees_inexactly(value_[k], alone ? T(0) : value_[open++], i, j);
  }

  /// sqrt(|a_jj|). All are found when the first is asked for: few matrices ask.
  T root(Offset j) {
    if (root_.empty()) {
      root_.assign(static_cast<std::size_t>(n_), T(0));
      for (Offset c = 0; c < n_; ++c)
        for (Offset k = ptr_[c]; k < ptr_[c + 1]; ++k)
          if (row_[k] == c + base_) root_[c] = SymmetryRule<T>::root(value_[k]);
    }
    return root_[j];
  }

  const Offset* ptr_;
  const Number* row_;
  const T* value_;
  Offset n_;
  Offset base_;
  const SymmetryRule<T>& rule_;
  std::vector<T> root_;
  bool exact_ = true;
};

/// Both halves are there, sorted, no entry twice, counted from 0: they must agree. Names the first entry that does not.
template <class T>
void check_symmetric(Index n, const Sorted<T>& a, const Names& names, const SymmetryRule<T>& rule) {
  std::vector<Offset> next;
  Halves<T, Index> halves(a.col_ptr, a.row, 0, a.value, rule);
  if (halves.agree(next)) return;
  const auto fail_alone = [&](Index row, Index col) {
    fail_matrix("entry " + names.at(row, col) + " has no partner " + names.at(col, row) + rule.words());
  };
  const Sorted<T> t = transpose(n, a);
  for (Index j = 0; j < n; ++j) {
    Offset k = a.col_ptr[j], l = t.col_ptr[j];
    while (k < a.col_ptr[j + 1] || l < t.col_ptr[j + 1]) {
      const Index own = k < a.col_ptr[j + 1] ? a.row[k] : n, other = l < t.col_ptr[j + 1] ? t.row[l] : n, i = std::min(own, other);
      const T x = own == i ? a.value[k++] : T(0), y = other == i ? t.value[l++] : T(0);
      if (halves.agree(x, y, i, j)) continue;
      if (other != i) fail_alone(i, j);
      if (own != i) fail_alone(j, i);
      fail_matrix("entries " + names.at(i, j) + " and " + names.at(j, i) + " differ: " + digits(x) + " and " + digits(y) + rule.words());
    }
  }
}

}  // namespace kauri
