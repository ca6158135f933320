// Exact systems with large fronts of known shape: a tree of dense blocks, each joined to some rows
// of its ancestors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "tests/support/systems/exact.hpp"

namespace kauri::test {

/// Rows of L of a binary tree of blocks, children before parents. Blocks of depth d have pivots[d]
/// columns, and rows below them at about half of their parent's rows, including its pivots. In
/// natural order without amalgamation, each block is a front. Entries are at most 2 in magnitude;
/// in diagonal blocks they are at most 1 beside ones and twos on the diagonal. Inverses of 16 x 16
/// blocks are then multiples of 2^-16 below 2^16, so factorisations and solves with these inverses
/// are exact, too.
class BlockTree {
 public:
  BlockTree(std::vector<Index> pivots, std::uint64_t seed)
      : pivots_(std::move(pivots)), first_(pivots_.size()), random_(seed) {
    Index n = 0, blocks = 1;
    for (const Index p : pivots_) n += blocks * p, blocks *= 2;
    rows_.resize(static_cast<std::size_t>(n));
    add(0, n, {});
    for (auto& row : rows_) std::sort(row.begin(), row.end());
  }
  [[nodiscard]] const IntegerRows& rows() const { return rows_; }
  /// Returns the rows with `leaves` columns before all others, each with about `below` entries in
  /// the pivots of a block of this depth, in turn: gives fronts with many children.
  [[nodiscard]] IntegerRows with_leaves(Index leaves, std::size_t depth, Index below) {
    IntegerRows all(static_cast<std::size_t>(leaves));
    for (Index k = 0; k < leaves; ++k) all[k].emplace_back(k, 1);
    for (auto row : rows_) {
      for (auto& entry : row) entry.first += leaves;
      all.push_back(std::move(row));
    }
    const std::vector<Index>& blocks = first_[depth];
    for (Index k = leaves; k-- > 0;) {  // descending, so that each row begins with its first column
      const Index block = blocks[static_cast<std::size_t>(k) % blocks.size()];
      for (Index i = block; i < block + pivots_[depth]; ++i)
        if (i == block ||
            static_cast<Index>(random_() % static_cast<std::uint64_t>(pivots_[depth])) < below)
          all[static_cast<std::size_t>(leaves + i)].emplace(
              all[static_cast<std::size_t>(leaves + i)].begin(), k, 1);
    }
    return all;
  }

 private:
  /// Adds the subtree of a block of this depth, whose columns end before `end`. Returns its first
  /// column.
  Index add(std::size_t depth, Index end, const std::vector<Index>& parent_rows) {
    const Index first = end - pivots_[depth];
    first_[depth].push_back(first);
    std::vector<Index> rows;  // pivots, then the rows below
    for (Index i = first; i < end; ++i) rows.push_back(i);
    for (const Index i : parent_rows)
      if (i == parent_rows.front() || random_() % 2 == 0) rows.push_back(i);
    for (Index j = first; j < end; ++j)
      for (const Index i : rows) {
        if (i < j) continue;
        const bool needed =
            j == first ||
            i == j + 1;  // keeps every row of the front, and its columns in one supernode
        const std::int64_t sign = random_() % 2 == 0 ? 1 : -1;
        if (i == j)
          rows_[i].emplace_back(j, random_() % 8 == 0 ? 2 : 1);
        else if (needed || random_() % 2 == 0)
          rows_[i].emplace_back(
              j, i >= end ? sign * static_cast<std::int64_t>(1 + random_() % 2) : sign);
      }
    Index next = first;
    for (int child = 0; child < 2 && depth + 1 < pivots_.size(); ++child)
      next = add(depth + 1, next, rows);
    return next;
  }

  std::vector<Index> pivots_;
  std::vector<std::vector<Index>> first_;  // first columns of the blocks of each depth
  std::mt19937_64 random_;
  IntegerRows rows_;
};

/// Returns L L^T for L of up to some thousand rows, with fewer than 2^20 entries per row, each less
/// than 2^16. O(n^2 + products) time, O(n^2) memory.
inline ExactSystem dense_exact_system(const IntegerRows& l) {
  const std::size_t n = l.size();
  std::vector<std::vector<std::pair<std::size_t, std::int64_t>>> column(n);
  for (std::size_t i = 0; i < n; ++i)
    for (const auto& [j, v] : l[i]) column[j].emplace_back(i, v);
  std::vector<std::int64_t> a(n * n, 0);  // the lower triangle by columns
  for (const auto& c : column)
    for (std::size_t x = 0; x < c.size(); ++x)
      for (std::size_t y = x; y < c.size(); ++y)
        a[c[x].first * n + c[y].first] += c[x].second * c[y].second;
  std::vector<Index> row, col;
  std::vector<double> value;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (a[k] != 0)
      row.push_back(static_cast<Index>(k % n)), col.push_back(static_cast<Index>(k / n)),
          value.push_back(static_cast<double>(a[k]));
  const auto order = static_cast<Index>(n);
  return {l, Permutation::identity(order),
          SymmetricMatrix<double>::from_triplets(order, row, col, value, Storage::lower)};
}

/// Returns A x for integers.
inline std::vector<double> product(const SymmetricMatrix<double>& a, const std::vector<double>& x) {
  const Pattern p = a.pattern();
  std::vector<double> b(x.size(), 0.0);
  for (Index j = 0; j < p.n; ++j)
    for (Offset k = p.col_ptr[j]; k < p.col_ptr[j + 1]; ++k) {
      const Index i = p.row[k];
      b[i] += a.value()[k] * x[j];
      if (i != j) b[j] += a.value()[k] * x[i];
    }
  return b;
}

}  // namespace kauri::test
