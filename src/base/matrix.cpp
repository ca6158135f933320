// Checked construction of symmetric matrices.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/matrix.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

#include "src/base/blocks.hpp"
#include "src/base/check.hpp"

namespace kauri {
namespace {

constexpr Index kCheckBlock = 16384;  // columns that are worth a task

[[noreturn]] void fail(const std::string& what) { throw Error(ErrorKind::input, "matrix: " + what); }

std::string at(Index row, Index col) { return "(" + std::to_string(row) + ", " + std::to_string(col) + ")"; }

/// x with the fewest digits that tell it from every other T.
template <class T>
std::string digits(T x) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

/// Sizes and order of the column pointers alone.
void check_col_ptr(Index n, std::span<const Offset> col_ptr, std::size_t entries) {
  if (n < 0) fail("n is " + std::to_string(n));
  if (col_ptr.size() != static_cast<std::size_t>(n) + 1)
    fail("col_ptr has " + std::to_string(col_ptr.size()) + " entries, expected n+1 = " + std::to_string(static_cast<Offset>(n) + 1));
  if (col_ptr[0] != 0) fail("col_ptr starts at " + std::to_string(col_ptr[0]) + ", expected 0");
  for (Index j = 0; j < n; ++j)
    if (col_ptr[j + 1] < col_ptr[j]) fail("col_ptr descends at column " + std::to_string(j));
  if (col_ptr[n] != static_cast<Offset>(entries))
    fail("col_ptr ends at " + std::to_string(col_ptr[n]) + " but there are " + std::to_string(entries) + " rows");
}

/// Without a branch within a column, so that many rows are looked at at once.
bool is_sound(const Pattern& a, Index j) {
  const Offset begin = a.col_ptr[j], end = a.col_ptr[j + 1];
  if (begin == end || a.row[begin] != j || a.row[end - 1] >= a.n) return false;
  bool ascends = true;
  for (Offset k = begin + 1; k < end; ++k) ascends &= a.row[k] > a.row[k - 1];
  return ascends;
}

/// Of a column that is not sound.
[[noreturn]] void name_flaw(const Pattern& a, Index j) {
  const Offset begin = a.col_ptr[j], end = a.col_ptr[j + 1];
  if (begin == end || a.row[begin] != j) fail("column " + std::to_string(j) + " does not start with its diagonal entry");
  Offset k = begin + 1;
  while (a.row[k] > a.row[k - 1] && a.row[k] < a.n) ++k;
  fail("column " + std::to_string(j) + ": row " + std::to_string(a.row[k]) + " is out of range or not above row " +
       std::to_string(a.row[k - 1]));
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

/// Rows ascend in every column, none twice: most files are written so.
bool is_sorted(Index n, std::span<const Offset> col_ptr, std::span<const Index> row) {
  bool ascends = true;
  for (Index j = 0; j < n && ascends; ++j)
    for (Offset k = col_ptr[j] + 1; k < col_ptr[j + 1]; ++k) ascends &= row[k] > row[k - 1];
  return ascends;
}

/// Sums entries that share a place, in the order they were given, in place.
template <class T>
void sum_duplicates(Index n, Sorted<T>& a) {
  Offset out = 0;
  for (Index j = 0; j < n; ++j) {
    const Offset begin = a.col_ptr[j], end = a.col_ptr[j + 1], start = out;
    for (Offset k = begin; k < end; ++k) {
      if (out > start && a.row[out - 1] == a.row[k]) {
        a.value[out - 1] += a.value[k];
      } else {
        a.row[out] = a.row[k];
        a.value[out++] = a.value[k];
      }
    }
    a.col_ptr[j] = start;
  }
  a.col_ptr[n] = out;
  a.row.resize(static_cast<std::size_t>(out));
  a.value.resize(static_cast<std::size_t>(out));
}

/// Both halves are there: a and its transpose must have the same pattern and, to rounding, the same values.
template <class T>
void check_symmetric(Index n, const Sorted<T>& a) {
  const Sorted<T> t = transpose(n, a);
  const T tolerance = 100 * std::numeric_limits<T>::epsilon();
  const auto agree = [&](T x, T y) {
    if (!std::isfinite(x) || !std::isfinite(y)) return x == y || (std::isnan(x) && std::isnan(y));
    return std::abs(x - y) <= tolerance * std::max(std::abs(x), std::abs(y));
  };
  for (Index j = 0; j < n; ++j) {
    Offset k = a.col_ptr[j], l = t.col_ptr[j];
    while (k < a.col_ptr[j + 1] || l < t.col_ptr[j + 1]) {
      const Index i = k < a.col_ptr[j + 1] ? a.row[k] : n, ti = l < t.col_ptr[j + 1] ? t.row[l] : n;
      if (i < ti) fail("entry " + at(i, j) + " has no partner " + at(j, i) + ": the matrix is not symmetric");
      if (ti < i) fail("entry " + at(j, ti) + " has no partner " + at(ti, j) + ": the matrix is not symmetric");
      const T x = a.value[k++], y = t.value[l++];
      if (!agree(x, y)) fail("entries " + at(i, j) + " and " + at(j, i) + " differ: " + digits(x) + " and " + digits(y));
    }
  }
}

}  // namespace

void check(const Pattern& a) {
  check_col_ptr(a.n, a.col_ptr, a.row.size());
  for (Index j = 0; j < a.n; ++j)
    if (!is_sound(a, j)) name_flaw(a, j);
}

void check_by_all(const Pattern& a) {
  check_col_ptr(a.n, a.col_ptr, a.row.size());
  std::atomic<Index> least = a.n;  // of the columns with a flaw
  Blocks(a.n, kCheckBlock).for_each([&](Index, Index begin, Index end) {
    for (Index j = begin; j < end; ++j)
      if (!is_sound(a, j)) {
        Index known = least.load();
        while (j < known && !least.compare_exchange_weak(known, j)) {
        }
        return;
      }
  });
  if (least < a.n) name_flaw(a, least);
}

template <Scalar T>
SymmetricMatrix<T> SymmetricMatrix<T>::from_csc(Index n, std::span<const Offset> col_ptr, std::span<const Index> row,
                                                std::span<const T> value, Storage storage) {
  check_col_ptr(n, col_ptr, row.size());
  if (value.size() != row.size()) fail("there are " + std::to_string(row.size()) + " rows but " + std::to_string(value.size()) + " values");
  for (Index j = 0; j < n; ++j)
    for (Offset k = col_ptr[j]; k < col_ptr[j + 1]; ++k) {
      const Index i = row[k];
      if (i < 0 || i >= n) fail("column " + std::to_string(j) + ": row " + std::to_string(i) + ", expected 0 to " + std::to_string(n - 1));
      if ((storage == Storage::lower && i < j) || (storage == Storage::upper && i > j))
        fail("entry " + at(i, j) + " lies in the wrong half");
    }
  Sorted<T> a{{col_ptr.begin(), col_ptr.end()}, {row.begin(), row.end()}, {value.begin(), value.end()}};
  if (storage == Storage::upper || !is_sorted(n, col_ptr, row)) {
    a = transpose(n, a);                                 // the transpose, sorted
    if (storage != Storage::upper) a = transpose(n, a);  // back, sorted
    sum_duplicates(n, a);
  }
  if (storage == Storage::full) check_symmetric(n, a);
  SymmetricMatrix m;
  m.col_ptr_.assign(1, 0);
  m.col_ptr_.reserve(static_cast<std::size_t>(n) + 1);
  m.row_.reserve(a.row.size());
  m.value_.reserve(a.row.size());
  for (Index j = 0; j < n; ++j) {
    Offset k = a.col_ptr[j];
    while (k < a.col_ptr[j + 1] && a.row[k] < j) ++k;  // the upper half of a full matrix
    const bool diagonal = k < a.col_ptr[j + 1] && a.row[k] == j;
    m.row_.push_back(j);
    m.value_.push_back(diagonal ? a.value[k] : T(0));
    for (k += diagonal ? 1 : 0; k < a.col_ptr[j + 1]; ++k) {
      m.row_.push_back(a.row[k]);
      m.value_.push_back(a.value[k]);
    }
    m.col_ptr_.push_back(static_cast<Offset>(m.row_.size()));
  }
  return m;
}

template <Scalar T>
SymmetricMatrix<T> SymmetricMatrix<T>::from_triplets(Index n, std::span<const Index> row, std::span<const Index> col,
                                                     std::span<const T> value, Storage storage) {
  if (n < 0) fail("n is " + std::to_string(n));
  if (row.size() != col.size() || row.size() != value.size())
    fail("triplets of lengths " + std::to_string(row.size()) + ", " + std::to_string(col.size()) + ", " + std::to_string(value.size()));
  std::vector<Offset> col_ptr(static_cast<std::size_t>(n) + 1, 0);
  for (std::size_t k = 0; k < col.size(); ++k) {
    if (col[k] < 0 || col[k] >= n)
      fail("triplet " + std::to_string(k) + ": column " + std::to_string(col[k]) + ", expected 0 to " + std::to_string(n - 1));
    ++col_ptr[col[k] + 1];
  }
  std::partial_sum(col_ptr.begin(), col_ptr.end(), col_ptr.begin());
  if (std::is_sorted(col.begin(), col.end())) return from_csc(n, col_ptr, row, value, storage);
  std::vector<Offset> next(col_ptr.begin(), col_ptr.end() - 1);
  std::vector<Index> r(row.size());
  std::vector<T> v(row.size());
  for (std::size_t k = 0; k < col.size(); ++k) {
    const Offset q = next[col[k]]++;
    r[q] = row[k];
    v[q] = value[k];
  }
  return from_csc(n, col_ptr, r, v, storage);
}

template class SymmetricMatrix<float>;
template class SymmetricMatrix<double>;

}  // namespace kauri
