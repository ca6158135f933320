// Compares the two halves of a matrix stored by columns, and names the entries that disagree.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "base/common/digits.hpp"
#include "base/matrix/symmetry.hpp"
#include "kauri/core/matrix.hpp"

namespace kauri {

[[noreturn]] inline void fail_matrix(const std::string& what) {
  throw Error(ErrorKind::input, "matrix: " + what);
}

/// Formats the position of an entry for messages, in the caller's numbering: base 0 or 1, rows or
/// columns.
struct Names {
  Offset base = 0;
  bool rows = false;  ///< the caller compressed by rows: columns here are the caller's rows
  [[nodiscard]] std::string at(Index row, Index col) const {
    return "(" + std::to_string((rows ? col : row) + base) + ", " +
           std::to_string((rows ? row : col) + base) + ")";
  }
  [[nodiscard]] std::string column(Index j) const {
    return (rows ? "row " : "column ") + std::to_string(j + base);
  }
};

/// Returns true if row[begin] to row[end - 1], the rows of a column, ascend strictly and lie in
/// [least, beyond). The loop over the column has no branch, so that the compiler can compare many
/// rows at once.
template <class Number>
bool ascends(const Number* row, Offset begin, Offset end, Offset least, Offset beyond) {
  if (begin == end) return true;
  bool good = row[begin] >= least && row[end - 1] < beyond;
  for (Offset k = begin + 1; k < end; ++k) good &= row[k] > row[k - 1];
  return good;
}

/// Entries of a matrix by columns, in any order within a column. transpose() is a stable counting
/// sort by row, so two transposes sort by (column, row); repeated entries stay, in their order.
template <class T>
struct ColumnEntries {
  std::vector<Offset> col_ptr;
  std::vector<Index> row;
  std::vector<T> value;
};

template <class T>
ColumnEntries<T> transpose(Index n, const ColumnEntries<T>& a) {
  ColumnEntries<T> b{std::vector<Offset>(static_cast<std::size_t>(n) + 1, 0),
                     std::vector<Index>(a.row.size()), std::vector<T>(a.row.size())};
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

/// Compares the upper and the lower half of a matrix stored by columns, with rows counted from
/// base. Row indices need not be valid: agree(next) checks them. Non-owning.
template <class T, class Number>
class Halves {
 public:
  Halves(std::span<const Offset> col_ptr, std::span<const Number> row, Offset base,
         std::span<const T> value, const SymmetryRule<T>& rule)
      : ptr_(col_ptr.data()),
        row_(row.data()),
        value_(value.data()),
        n_(static_cast<Offset>(col_ptr.size()) - 1),
        base_(base),
        rule_(rule) {}

  /// Returns true if the rows of all columns ascend strictly and are in range, and the two halves
  /// agree by the rule. Entries below the diagonal, column by column, meet those above it in the
  /// order in which the latter lie in their columns, so no transpose is made. next, offsets by
  /// column: during the loop, of the first entry above the diagonal that has not been met; on
  /// return of true, of the first entry that is not above the diagonal. O(n + entries).
  bool agree(std::vector<Offset>& next) {
    next.assign(ptr_, ptr_ + n_);
    const Offset* const ptr = ptr_;  // local copies: stores cannot alias them
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
          if (value[k] != value[partner] && !agrees_inexactly(value[k], value[partner], i, j))
            return false;
          ++open[i];
        } else if (!agrees_alone(k, i, j, open[i])) {
          return false;
        }
      }
    }
    return true;
  }

  /// Returns true if every entry has a partner of the same value, so that either half may replace
  /// the other. Valid after agree(next) returned true.
  [[nodiscard]] bool exact() const { return exact_; }

  /// Returns true if entries x at (i, j) and y at (j, i) agree by the rule.
  [[nodiscard]] bool agree(T x, T y, Offset i, Offset j) {
    return x == y || rule_.agree(x, y, root(i), root(j));
  }

 private:
  bool agrees_inexactly(T x, T y, Offset i, Offset j) {
    exact_ = false;
    return agree(x, y, i, j);
  }

  /// Advances `at`, an offset in column i, past the entries above row j, which have no partner in
  /// the lower half. Returns true if each agrees with 0 by the rule.
  bool none_left(Offset i, Offset j, Offset& at) {
    for (; at < ptr_[i + 1] && row_[at] < j + base_; ++at)
      if (row_[at] < base_ ||
          !agrees_inexactly(value_[at], T(0), static_cast<Offset>(row_[at]) - base_, i))
        return false;
    return true;
  }

  /// Returns true if entry k, at (i, j) below the diagonal, agrees with its partner (j, i), or with
  /// 0 if there is none. open: first entry of column i not met yet; entries before the partner,
  /// which have none themselves, must agree with 0.
  bool agrees_alone(Offset k, Offset i, Offset j, Offset& open) {
    if (!none_left(i, j, open)) return false;
    const bool alone = open == ptr_[i + 1] || row_[open] != j + base_;
    return agrees_inexactly(value_[k], alone ? T(0) : value_[open++], i, j);
  }

  /// Returns sqrt(|a_jj|), 0 if a_jj is missing or not finite. The first call computes these roots
  /// for all j; few matrices need them.
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

/// Throws Error(input), naming the first entry that disagrees, unless the halves of `a` agree by
/// the rule. a: rows ascending in each column, without duplicates, counted from 0.
template <class T>
void check_symmetric(Index n, const ColumnEntries<T>& a, const Names& names,
                     const SymmetryRule<T>& rule) {
  std::vector<Offset> next;
  Halves<T, Index> halves(a.col_ptr, a.row, 0, a.value, rule);
  if (halves.agree(next)) return;
  const auto fail_alone = [&](Index row, Index col) {
    fail_matrix("entry " + names.at(row, col) + " has no partner " + names.at(col, row) +
                rule.words());
  };
  const ColumnEntries<T> t = transpose(n, a);
  for (Index j = 0; j < n; ++j) {
    Offset k = a.col_ptr[j], l = t.col_ptr[j];
    while (k < a.col_ptr[j + 1] || l < t.col_ptr[j + 1]) {
      const Index own = k < a.col_ptr[j + 1] ? a.row[k] : n,
                  other = l < t.col_ptr[j + 1] ? t.row[l] : n, i = std::min(own, other);
      const T x = own == i ? a.value[k++] : T(0), y = other == i ? t.value[l++] : T(0);
      if (halves.agree(x, y, i, j)) continue;
      if (other != i) fail_alone(i, j);
      if (own != i) fail_alone(j, i);
      fail_matrix("entries " + names.at(i, j) + " and " + names.at(j, i) + " differ: " + digits(x) +
                  " and " + digits(y) + rule.words());
    }
  }
}

}  // namespace kauri
