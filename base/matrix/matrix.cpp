// Checked construction of symmetric matrices.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/core/matrix.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "base/matrix/check.hpp"
#include "base/matrix/halves.hpp"
#include "base/threads/blocks.hpp"

namespace kauri {
namespace {

constexpr Index kCheckBlock = 16384;  // number of columns that one task checks

/// Throws Error(input) unless the n+1 column pointers ascend from names.base to names.base +
/// entries. Pointers may hold any values, so base is subtracted only after the comparisons.
template <class Pointer>
void check_col_ptr(Index n, std::span<const Pointer> col_ptr, std::size_t entries,
                   const Names& names = {}) {
  const std::string ptr = names.rows ? "row_ptr" : "col_ptr";
  if (n < 0) fail_matrix("n is " + std::to_string(n) + ", expected 0 or more");
  if (col_ptr.size() != static_cast<std::size_t>(n) + 1)
    fail_matrix(ptr + " has " + std::to_string(col_ptr.size()) +
                " entries, expected n+1 = " + std::to_string(static_cast<Offset>(n) + 1));
  if (col_ptr[0] != names.base)
    fail_matrix(ptr + " starts at " + std::to_string(col_ptr[0]) + ", expected " +
                std::to_string(names.base));
  for (Index j = 0; j < n; ++j)
    if (col_ptr[j + 1] < col_ptr[j])
      fail_matrix(ptr + " descends at " + names.column(j) + ", expected ascending offsets");
  if (static_cast<Offset>(col_ptr[n]) - names.base != static_cast<Offset>(entries))
    fail_matrix(ptr + " ends at " + std::to_string(col_ptr[n]) + " but there are " +
                std::to_string(entries) + (names.rows ? " columns" : " rows") + ", expected " +
                std::to_string(static_cast<Offset>(entries) + names.base));
}

bool is_sound(const Pattern& a, Index j) {
  const Offset begin = a.col_ptr[j], end = a.col_ptr[j + 1];
  return begin < end && a.row[begin] == j &&
         ascends(a.row.data(), begin, end, Offset{j}, Offset{a.n});
}

/// Throws Error(input) that names the flaw of column j, for which is_sound() is false.
[[noreturn]] void name_flaw(const Pattern& a, Index j) {
  const Offset begin = a.col_ptr[j], end = a.col_ptr[j + 1];
  if (begin == end || a.row[begin] != j)
    fail_matrix("column " + std::to_string(j) +
                " does not start with its diagonal entry, expected it first in every column");
  Offset k = begin + 1;
  while (a.row[k] > a.row[k - 1] && a.row[k] < a.n) ++k;
  fail_matrix("column " + std::to_string(j) + ": row " + std::to_string(a.row[k]) +
              " is out of range or not above row " + std::to_string(a.row[k - 1]) +
              ", expected ascending rows up to " + std::to_string(a.n - 1));
}

/// Returns true if the rows of every column ascend strictly.
bool is_sorted(Index n, std::span<const Offset> col_ptr, std::span<const Index> row) {
  bool ascends = true;
  for (Index j = 0; j < n && ascends; ++j)
    for (Offset k = col_ptr[j] + 1; k < col_ptr[j + 1]; ++k) ascends &= row[k] > row[k - 1];
  return ascends;
}

/// Sums entries with the same (row, column), in the order in which they were given, in place. Rows
/// must ascend in each column, repeated ones in the order in which they were given.
template <class T>
void sum_duplicates(Index n, ColumnEntries<T>& a) {
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

/// Throws Error(input) for the first entry that occurs twice. Rows of `a` must ascend in each
/// column. transposed: `a` is the transpose of the matrix that the names refer to.
template <class T>
void refuse_duplicates(Index n, const ColumnEntries<T>& a, const Names& names, bool transposed) {
  for (Index j = 0; j < n; ++j)
    for (Offset k = a.col_ptr[j] + 1; k < a.col_ptr[j + 1]; ++k)
      if (a.row[k] == a.row[k - 1])
        fail_matrix("entry " + (transposed ? names.at(j, a.row[k]) : names.at(a.row[k], j)) +
                    " occurs twice, expected once");
}

template <class T, class Number, class Pointer>
Names names_of(const CompressedView<T, Number, Pointer>& a) {
  return {a.base, a.compression == Compression::rows};
}

/// Returns the half or halves that the arrays of `a` hold if they are read as compressed columns:
/// compressed rows of the lower half are compressed columns of the upper half, and vice versa.
template <class T, class Number, class Pointer>
Storage storage_of(const CompressedView<T, Number, Pointer>& a) {
  if (a.compression == Compression::columns) return a.storage;
  switch (a.storage) {
    case Storage::lower:
      return Storage::upper;
    case Storage::upper:
      return Storage::lower;
    case Storage::lower_of_full:
      return Storage::upper_of_full;
    case Storage::upper_of_full:
      return Storage::lower_of_full;
    case Storage::full:
      break;
  }
  return Storage::full;
}

/// Returns true if the matrix keeps the entry at (row, col) of arrays read as compressed columns.
/// rows: the caller compressed by rows, so that a full matrix keeps row <= col, the caller's lower
/// half.
bool is_taken(Storage storage, bool rows, Index row, Index col) {
  if (storage == Storage::full) return rows ? row <= col : row >= col;
  return storage == Storage::lower_of_full   ? row >= col
         : storage == Storage::upper_of_full ? row <= col
                                             : true;
}

/// Returns the column pointers of `a`, counted from 0. Throws Error: usage (base is not 0 or 1),
/// overflow (n above 2^31 - 1), input (n < 0, or pointers that do not ascend from the base to the
/// number of entries).
template <class T, class Number, class Pointer>
std::vector<Offset> pointers_of(const CompressedView<T, Number, Pointer>& a) {
  if (a.base != 0 && a.base != 1)
    throw Error(ErrorKind::usage,
                "matrix: indices from " + std::to_string(a.base) + ", expected from 0 or 1");
  if (a.n < 0) fail_matrix("n is " + std::to_string(a.n) + ", expected 0 or more");
  if (static_cast<Offset>(a.n) > std::numeric_limits<Index>::max())
    throw Error(ErrorKind::overflow, "matrix: n is " + std::to_string(a.n) + ", at most 2^31 - 1");
  check_col_ptr<Pointer>(static_cast<Index>(a.n), a.ptr, a.index.size(), names_of(a));
  std::vector<Offset> ptr(a.ptr.size());
  std::transform(a.ptr.begin(), a.ptr.end(), ptr.begin(),
                 [&](Pointer p) { return static_cast<Offset>(p) - a.base; });
  return ptr;
}

/// Returns the indices of `a`, counted from 0. The pointers must be valid. Throws Error(input) if
/// an index is out of range.
template <class T, class Number, class Pointer>
std::vector<Index> indices_of(const CompressedView<T, Number, Pointer>& a) {
  const Names names = names_of(a);
  std::vector<Index> index(a.index.size());
  for (std::size_t j = 0; j + 1 < a.ptr.size(); ++j)
    for (auto k = static_cast<Offset>(a.ptr[j]) - a.base;
         k < static_cast<Offset>(a.ptr[j + 1]) - a.base; ++k) {
      const auto i = static_cast<Offset>(a.index[k]);
      if (i < a.base || i - a.base >= static_cast<Offset>(a.n))
        fail_matrix(names.column(static_cast<Index>(j)) + ": " + (names.rows ? "column " : "row ") +
                    std::to_string(a.index[k]) + ", expected " + std::to_string(a.base) + " to " +
                    std::to_string(static_cast<Offset>(a.n) - 1 + a.base));
      index[k] = static_cast<Index>(i - a.base);
    }
  return index;
}

/// Returns true if the lower half of `a` can be copied without sorting: read as compressed columns,
/// its rows ascend strictly and are in range, and the upper half is absent, or ignored, or agrees
/// by the rule (with equal values, if `a` is a full matrix compressed by rows). ptr:
/// pointers_of(a). first: receives, by column, if true is returned, the offset of the first entry
/// that is not above the diagonal.
template <class T, class Number, class Pointer>
bool lies_in_order(const CompressedView<T, Number, Pointer>& a, std::span<const Offset> ptr,
                   const SymmetryRule<T>& rule, std::vector<Offset>& first) {
  const auto n = static_cast<Offset>(a.n), base = static_cast<Offset>(a.base);
  const Storage storage = storage_of(a);
  if (storage ==
      Storage::full) {  // if by rows, the caller's lower half is the upper one by columns
    Halves<T, Number> halves(ptr, a.index, base, a.value, rule);
    return halves.agree(first) && (a.compression == Compression::columns || halves.exact());
  }
  if (storage != Storage::lower && storage != Storage::lower_of_full) return false;
  const bool whole = storage == Storage::lower_of_full;
  first.assign(ptr.begin(), ptr.end() - 1);
  for (Offset j = 0; j < n; ++j) {
    if (!ascends(a.index.data(), ptr[j], ptr[j + 1], whole ? base : j + base, n + base))
      return false;
    while (first[j] < ptr[j + 1] && a.index[first[j]] < j + base) ++first[j];
  }
  return true;
}

}  // namespace

void check(const Pattern& a) {
  check_col_ptr(a.n, a.col_ptr, a.row.size());
  for (Index j = 0; j < a.n; ++j)
    if (!is_sound(a, j)) name_flaw(a, j);
}

void check_by_all(const Pattern& a) {
  check_col_ptr(a.n, a.col_ptr, a.row.size());
  std::atomic<Index> least = a.n;  // least column with a flaw
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

/// Entries of a matrix by columns, in any order and perhaps repeated, with indices in range.
template <Scalar T>
struct SymmetricMatrix<T>::Columns {
  ColumnEntries<T> entries;  ///< entries, rows in any order within a column
  Storage storage;
  Duplicates duplicates = Duplicates::sum;
  Names names = {};
};

/// Removes, in place, the entries of the half that lower_of_full or upper_of_full ignores.
template <class T>
void drop_other_half(Index n, ColumnEntries<T>& a, Storage storage) {
  Offset out = 0;
  for (Index j = 0; j < n; ++j) {
    const Offset begin = a.col_ptr[j], end = a.col_ptr[j + 1];
    a.col_ptr[j] = out;
    for (Offset k = begin; k < end; ++k) {
      if (!is_taken(storage, false, a.row[k], j)) continue;
      a.row[out] = a.row[k];
      a.value[out++] = a.value[k];
    }
  }
  a.col_ptr[n] = out;
  a.row.resize(static_cast<std::size_t>(out));
  a.value.resize(static_cast<std::size_t>(out));
}

template <Scalar T>
SymmetricMatrix<T> SymmetricMatrix<T>::from_columns(Index n, Columns&& columns,
                                                    const SymmetryRule<T>& rule) {
  Names names = columns.names;
  ColumnEntries<T> a = std::move(columns.entries);
  const bool full = columns.storage == Storage::full;
  const bool upper = columns.storage == Storage::upper || columns.storage == Storage::upper_of_full;
  if (columns.storage == Storage::lower_of_full || columns.storage == Storage::upper_of_full)
    drop_other_half(n, a, columns.storage);
  for (Index j = 0; j < n && !full; ++j)
    for (Offset k = a.col_ptr[j]; k < a.col_ptr[j + 1]; ++k)
      if (upper ? a.row[k] > j : a.row[k] < j)
        fail_matrix("entry " + names.at(a.row[k], j) + " lies in the wrong half, expected the " +
                    (upper != names.rows ? "upper" : "lower") + " half alone");
  // A full matrix keeps the caller's lower half, so a full one compressed by rows is transposed,
  // too.
  const bool turns = upper || (full && names.rows);
  if (turns || !is_sorted(n, a.col_ptr, a.row)) {
    a = transpose(n, a);              // sorted, transposed
    if (!turns) a = transpose(n, a);  // sorted, in the original orientation
    if (full) names.rows = false;
    if (columns.duplicates == Duplicates::refuse) refuse_duplicates(n, a, names, upper);
    sum_duplicates(n, a);
  }
  if (full) check_symmetric(n, a, names, rule);
  SymmetricMatrix m;
  m.col_ptr_.assign(1, 0);
  m.col_ptr_.reserve(static_cast<std::size_t>(n) + 1);
  m.row_.reserve(a.row.size());
  m.value_.reserve(a.row.size());
  for (Index j = 0; j < n; ++j) {
    Offset k = a.col_ptr[j];
    while (k < a.col_ptr[j + 1] && a.row[k] < j) ++k;  // skips the upper half of a full matrix
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

/// Returns the lower half of `a`, for which lies_in_order() was true, copying only that half. ptr:
/// pointers_of(a). first: as lies_in_order() set it.
template <Scalar T>
template <class Number, class Pointer>
SymmetricMatrix<T> SymmetricMatrix<T>::from_order(const CompressedView<T, Number, Pointer>& a,
                                                  std::span<const Offset> ptr,
                                                  std::span<const Offset> first) {
  const Offset n = static_cast<Offset>(a.n), base = a.base;
  const auto has_diagonal = [&](Offset j) {
    return first[j] < ptr[j + 1] && a.index[first[j]] == j + base;
  };
  SymmetricMatrix m;
  m.col_ptr_.resize(static_cast<std::size_t>(n) + 1);
  for (Offset j = 0; j < n; ++j)
    m.col_ptr_[j + 1] = m.col_ptr_[j] + ptr[j + 1] - first[j] + (has_diagonal(j) ? 0 : 1);
  m.row_.resize(static_cast<std::size_t>(m.col_ptr_[n]));
  m.value_.resize(m.row_.size());
  Index* row = m.row_.data();
  T* value = m.value_.data();
  const Number* const number = a.index.data();
  const T* const entry = a.value.data();
  for (Offset j = 0; j < n; ++j) {
    Offset k = first[j];
    const Offset end = ptr[j + 1];
    const bool diagonal = k < end && number[k] == j + base;
    *row++ = static_cast<Index>(j);
    *value++ = diagonal ? entry[k] : T(0);
    for (k += diagonal ? 1 : 0; k < end; ++k) {
      *row++ = static_cast<Index>(static_cast<Offset>(number[k]) - base);
      *value++ = entry[k];
    }
  }
  return m;
}

template <Scalar T>
SymmetricMatrix<T> SymmetricMatrix<T>::from_csc(Index n, std::span<const Offset> col_ptr,
                                                std::span<const Index> row,
                                                std::span<const T> value, Storage storage,
                                                double symmetry) {
  return from_compressed<Index, Offset>(
      {n, col_ptr, row, value, storage, Compression::columns, 0, Duplicates::sum, symmetry});
}

template <Scalar T>
template <class Number, class Pointer>
SymmetricMatrix<T> SymmetricMatrix<T>::from_compressed(
    const CompressedView<T, Number, Pointer>& a) {
  if (a.value.size() != a.index.size())
    fail_matrix("there are " + std::to_string(a.index.size()) +
                (names_of(a).rows ? " columns" : " rows") + " but " +
                std::to_string(a.value.size()) + " values, expected as many");
  const SymmetryRule<T> rule(a.symmetry);
  std::vector<Offset> ptr = pointers_of(a);
  if (std::vector<Offset> first; lies_in_order<T, Number, Pointer>(a, ptr, rule, first))
    return from_order(a, ptr, first);
  ColumnEntries<T> columns{std::move(ptr), indices_of(a), {a.value.begin(), a.value.end()}};
  return from_columns(static_cast<Index>(a.n),
                      {std::move(columns), storage_of(a), a.duplicates, names_of(a)}, rule);
}

template <Scalar T>
template <class Number, class Pointer>
EntryMap<T>::EntryMap(const CompressedView<T, Number, Pointer>& a) : place_(a.index.size(), -1) {
  CompressedView<T, Number, Pointer> pattern = a;
  const std::vector<T> zeros(a.index.size(), T(0));
  pattern.value = zeros;
  const SymmetricMatrix<T> lower = SymmetricMatrix<T>::from_compressed(pattern);
  const Pattern there = lower.pattern();
  entries_ = lower.nnz();
  const std::vector<Offset> ptr = pointers_of(a);
  const std::vector<Index> index = indices_of(a);
  const Storage storage = storage_of(a);
  for (Index j = 0; j < there.n; ++j)
    for (Offset k = ptr[j]; k < ptr[j + 1]; ++k) {
      if (!is_taken(storage, a.compression == Compression::rows, index[k], j)) continue;
      const auto [row, col] = std::minmax(index[k], j, std::greater<>());
      const auto begin = there.row.begin() + there.col_ptr[col],
                 end = there.row.begin() + there.col_ptr[col + 1];
      place_[k] = std::lower_bound(begin, end, row) - there.row.begin();
    }
}

template <Scalar T>
void EntryMap<T>::apply(std::span<const T> value, std::span<T> lower) const {
  if (value.size() != place_.size() || static_cast<Offset>(lower.size()) != entries_)
    throw Error(ErrorKind::usage, "EntryMap: " + std::to_string(value.size()) + " values for " +
                                      std::to_string(lower.size()) + " places, expected " +
                                      std::to_string(place_.size()) + " and " +
                                      std::to_string(entries_));
  std::fill(lower.begin(), lower.end(), T(0));
  std::vector<bool> begun(lower.size(),
                          false);  // a first value is not added to 0, which would turn -0 into 0
  for (std::size_t k = 0; k < value.size(); ++k) {
    const Offset at = place_[k];
    if (at < 0) continue;
    lower[at] = begun[at] ? lower[at] + value[k] : value[k];
    begun[at] = true;
  }
}

template <Scalar T>
SymmetricMatrix<T> SymmetricMatrix<T>::from_triplets(Index n, std::span<const Index> row,
                                                     std::span<const Index> col,
                                                     std::span<const T> value, Storage storage,
                                                     double symmetry) {
  if (n < 0) fail_matrix("n is " + std::to_string(n) + ", expected 0 or more");
  if (row.size() != col.size() || row.size() != value.size())
    fail_matrix("triplets of lengths " + std::to_string(row.size()) + ", " +
                std::to_string(col.size()) + ", " + std::to_string(value.size()) +
                ", expected equal lengths");
  std::vector<Offset> col_ptr(static_cast<std::size_t>(n) + 1, 0);
  for (std::size_t k = 0; k < col.size(); ++k) {
    if (col[k] < 0 || col[k] >= n)
      fail_matrix("triplet " + std::to_string(k) + ": column " + std::to_string(col[k]) +
                  ", expected 0 to " + std::to_string(n - 1));
    ++col_ptr[col[k] + 1];
  }
  std::partial_sum(col_ptr.begin(), col_ptr.end(), col_ptr.begin());
  if (std::is_sorted(col.begin(), col.end()))
    return from_csc(n, col_ptr, row, value, storage, symmetry);
  std::vector<Offset> next(col_ptr.begin(), col_ptr.end() - 1);
  std::vector<Index> r(row.size());
  std::vector<T> v(row.size());
  for (std::size_t k = 0; k < col.size(); ++k) {
    const Offset q = next[col[k]]++;
    r[q] = row[k];
    v[q] = value[k];
  }
  return from_csc(n, col_ptr, r, v, storage, symmetry);
}

template class SymmetricMatrix<float>;
template class SymmetricMatrix<double>;
template class EntryMap<float>;
template class EntryMap<double>;

#define KAURI_COMPRESSED(T, Number, Pointer)                       \
  template SymmetricMatrix<T> SymmetricMatrix<T>::from_compressed( \
      const CompressedView<T, Number, Pointer>&);                  \
  template EntryMap<T>::EntryMap(const CompressedView<T, Number, Pointer>&);
KAURI_COMPRESSED(float, std::int32_t, std::int32_t)
KAURI_COMPRESSED(float, std::int32_t, std::int64_t)
KAURI_COMPRESSED(float, std::int64_t, std::int32_t)
KAURI_COMPRESSED(float, std::int64_t, std::int64_t)
KAURI_COMPRESSED(double, std::int32_t, std::int32_t)
KAURI_COMPRESSED(double, std::int32_t, std::int64_t)
KAURI_COMPRESSED(double, std::int64_t, std::int32_t)
KAURI_COMPRESSED(double, std::int64_t, std::int64_t)
#undef KAURI_COMPRESSED

}  // namespace kauri
