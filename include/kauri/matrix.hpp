// Symmetric sparse matrices (one triangle) and dense views, column- or row-major.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kauri/error.hpp"
#include "kauri/types.hpp"

namespace kauri {

/// Where the entries of the symmetric A are: lower triangle by columns, rows ascending, the diagonal first in each column.
/// Borrowed: the arrays belong to the caller and outlive the view.
struct Pattern {
  Index n = 0;                      ///< rows and columns of A, n >= 0
  std::span<const Offset> col_ptr;  ///< length n+1, col_ptr[0] = 0, ascending; column j is [col_ptr[j], col_ptr[j+1])
  std::span<const Index> row;       ///< length nnz = col_ptr[n]; row[col_ptr[j]] = j

  /// Stored entries, of the lower triangle.
  [[nodiscard]] Offset nnz() const { return col_ptr.empty() ? 0 : col_ptr.back(); }
};

/// The pointers of what has no columns.
inline constexpr Offset kNoPointers[1] = {0};

/// A Pattern that owns its arrays, so that the matrix need not outlive it.
struct PatternCopy {
  std::vector<Offset> col_ptr;  ///< as Pattern::col_ptr; empty: no columns
  Array<Index> row;             ///< as Pattern::row

  /// A view into this object, valid until that is assigned to or destroyed.
  [[nodiscard]] Pattern view() const {
    if (col_ptr.empty()) return {0, kNoPointers, {}};
    return {static_cast<Index>(col_ptr.size()) - 1, col_ptr, row};
  }
};

/// Throws Error(input) naming the first column (and row) that breaks the promises of Pattern. O(n + nnz).
void check(const Pattern& pattern);

/// A symmetric matrix, borrowed: its pattern and the value of each entry of the lower triangle.
template <Scalar T>
struct SymmetricView {
  Pattern pattern;           ///< where its entries are
  std::span<const T> value;  ///< length nnz, in the order of pattern.row
};

/// How a dense matrix lies in memory.
enum class Layout {
  column_major,  ///< column after column
  row_major,     ///< row after row
};

/// A dense matrix, borrowed: entry (i,j) is data[i + j*ld], or, where it is row-major, data[i*ld + j]. Every call that takes one takes
/// either layout, also of right-hand sides and solutions that have different ones, with the same bits.
template <class T>
struct MatrixView {
  T* data = nullptr;                     ///< may be null when rows*cols = 0
  Index rows = 0;                        ///< i < rows
  Index cols = 0;                        ///< j < cols
  Offset ld = 0;                         ///< leading dimension: >= rows, of a row-major one >= cols
  Layout layout = Layout::column_major;  ///< what ld leads from and to

  /// The same, to be read only.
  template <std::same_as<const T> U>
  operator MatrixView<U>() const {
    return {data, rows, cols, ld, layout};
  }
};

/// A single column as a MatrixView. Throws Error(usage) for more entries than an Index counts.
template <class T>
MatrixView<T> column_view(std::span<T> x) {
  if (x.size() > static_cast<std::size_t>(std::numeric_limits<Index>::max()))
    throw Error(ErrorKind::usage, "column_view: " + std::to_string(x.size()) + " rows, a matrix has at most 2^31 - 1");
  return {x.data(), static_cast<Index>(x.size()), 1, static_cast<Offset>(x.size())};
}

/// Which entries of a symmetric matrix an array holds. With both halves entries a_ij and a_ji agree where they differ by at most a
/// threshold (CompressedView::symmetry) times the largest of sqrt(|a_ii a_jj|), |a_ij| and |a_ji|: what is left by rounding where A was
/// assembled. An entry that is not there is one of 0.
enum class Storage {
  lower,          ///< row >= column only; an entry above the diagonal is an Error
  upper,          ///< row <= column only; an entry below the diagonal is an Error
  full,           ///< both halves, which must agree; the lower one is taken, as it is: pattern and bits
  lower_of_full,  ///< row >= column is taken; what is above the diagonal is ignored, but for rows and columns out of range
  upper_of_full,  ///< row <= column is taken; what is below the diagonal is ignored likewise
};

/// How far halves may differ where no threshold is given, in eps of T: sums of a million products in another order stay below it.
inline constexpr double kSymmetryEps = 1000;

/// What the pointers of a CompressedView are by.
enum class Compression {
  columns,  ///< column by column
  rows,     ///< row by row
};

/// What is done about several entries at one place.
enum class Duplicates {
  sum,     ///< entries of one place are added up, in the order of the arrays
  refuse,  ///< they are an Error
};

/// A symmetric matrix as other programs keep it, borrowed: compressed columns or rows, with indices of 32 or 64 bits that count from 0 or
/// from 1. Number and Pointer: std::int32_t or std::int64_t. `storage` says which half is there by row and column of A, however these are
/// compressed.
template <Scalar T, class Number, class Pointer>
struct CompressedView {
  Number n = 0;                      ///< rows and columns of A
  std::span<const Pointer> ptr;      ///< length n+1, ptr[0] = base; column (or row) j has the entries ptr[j] - base to ptr[j+1] - base - 1
  std::span<const Number> index;     ///< row (or column) of each entry, base to n - 1 + base, in any order
  std::span<const T> value;          ///< length index.size()
  Storage storage = Storage::lower;  ///< which half is there
  Compression compression = Compression::columns;  ///< what ptr is by
  int base = 0;                                    ///< 0 or 1: what indices count from, in errors too
  Duplicates duplicates = Duplicates::sum;         ///< several entries at one place
  double symmetry = 0;  ///< of Storage::full, the threshold for halves that differ, at most 1; 0: kSymmetryEps eps of T
};

template <Scalar T>
class SymmetryRule;

/// A symmetric matrix that owns its lower triangle: always sorted, without duplicates, with every diagonal entry present.
template <Scalar T>
class SymmetricMatrix {
 public:
  /// No rows and no entries; so is one that was moved from.
  SymmetricMatrix() = default;

  /// From compressed columns. Rows may come in any order; repeated entries are summed; a missing diagonal entry becomes a stored zero.
  /// col_ptr: length n+1; row, value: length col_ptr[n]; indices are zero-based. Compressed rows of one half are compressed columns of the
  /// other. NaN and infinite values are taken as they are: a factorisation names them. Throws Error(input) naming row and column of an
  /// index out of range, an entry in the wrong half, or two halves that differ by more than CompressedView::symmetry allows. O(n + nnz).
  static SymmetricMatrix from_csc(Index n, std::span<const Offset> col_ptr, std::span<const Index> row, std::span<const T> value,
                                  Storage storage, double symmetry = 0);

  /// The same from compressed columns or rows with indices of any kind. Throws Error(input) in the caller's numbering, Error(overflow) for
  /// an n of more than 2^31 - 1, and Error(usage) for a base or a symmetry out of range.
  template <class Number, class Pointer>
  static SymmetricMatrix from_compressed(const CompressedView<T, Number, Pointer>& a);

  /// From triplets (row[k], col[k], value[k]) in any order; the rules of from_csc.
  static SymmetricMatrix from_triplets(Index n, std::span<const Index> row, std::span<const Index> col, std::span<const T> value,
                                       Storage storage, double symmetry = 0);

  /// Rows and columns.
  [[nodiscard]] Index n() const { return col_ptr_.empty() ? 0 : static_cast<Index>(col_ptr_.size()) - 1; }
  /// Stored entries, of the lower triangle.
  [[nodiscard]] Offset nnz() const { return col_ptr_.empty() ? 0 : col_ptr_.back(); }
  /// A view into this object, valid until that is assigned to or destroyed; so are those below.
  [[nodiscard]] Pattern pattern() const { return {n(), col_ptr_.empty() ? std::span<const Offset>(kNoPointers) : col_ptr_, row_}; }
  /// Pattern and values.
  [[nodiscard]] SymmetricView<T> view() const { return {pattern(), value_}; }
  /// Length nnz(), in the order of pattern().row.
  [[nodiscard]] std::span<const T> value() const { return value_; }
  /// The same, to be changed.
  [[nodiscard]] std::span<T> value() { return value_; }

 private:
  struct Columns;
  static SymmetricMatrix from_columns(Index n, Columns&& columns, const SymmetryRule<T>& rule);
  template <class Number, class Pointer>
  static SymmetricMatrix from_order(const CompressedView<T, Number, Pointer>& a, std::span<const Offset> ptr,
                                    std::span<const Offset> first);
  std::vector<Offset> col_ptr_;  // n+1, or empty where there are no rows
  std::vector<Index> row_;       // nnz
  std::vector<T> value_;         // nnz
};

/// Where the entries of a CompressedView go in the SymmetricMatrix made of it: for new values on the same pattern, in the caller's order.
/// One that was moved from is that of a matrix without entries.
template <Scalar T>
class EntryMap {
 public:
  /// Throws what from_compressed() throws, but for values, which are not looked at. O(entries log entries of a column).
  template <class Number, class Pointer>
  explicit EntryMap(const CompressedView<T, Number, Pointer>& a);
  EntryMap(const EntryMap&) = default;
  EntryMap& operator=(const EntryMap&) = default;
  EntryMap(EntryMap&& other) noexcept : place_(std::move(other.place_)), entries_(std::exchange(other.entries_, 0)) {}
  EntryMap& operator=(EntryMap&& other) noexcept {
    if (this == &other) return *this;
    place_ = std::move(other.place_);
    entries_ = std::exchange(other.entries_, 0);
    return *this;
  }
  ~EntryMap() = default;

  /// Values in the order of CompressedView::index to those of SymmetricMatrix::value(), with the bits of from_compressed(). Of a matrix
  /// with both halves those of the one that is taken, unchecked. Throws Error(usage) for other lengths.
  void apply(std::span<const T> value, std::span<T> lower) const;

  /// Of each entry of CompressedView::index, where it is in SymmetricMatrix::value(); -1: in the half that is left out.
  [[nodiscard]] std::span<const Offset> places() const { return place_; }

 private:
  std::vector<Offset> place_;  // of each entry; -1: in the half left out
  Offset entries_ = 0;         // of the lower triangle
};

}  // namespace kauri
