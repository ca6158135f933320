// Symmetric sparse matrices (one triangle), and dense views, column- or row-major.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kauri/core/error.hpp"
#include "kauri/core/types.hpp"

namespace kauri {

/// Pattern of the symmetric A: the lower triangle by columns, rows ascending, the diagonal first in
/// each column. Non-owning: the caller keeps the arrays alive.
struct Pattern {
  Index n = 0;  ///< rows and columns of A, n >= 0
  std::span<const Offset>
      col_ptr;  ///< length n+1, col_ptr[0] = 0, ascending; column j is [col_ptr[j], col_ptr[j+1])
  std::span<const Index> row;  ///< row of each entry, column by column: length nnz = col_ptr[n];
                               ///< row[col_ptr[j]] = j

  /// Returns the number of stored entries, those of the lower triangle.
  [[nodiscard]] Offset nnz() const { return col_ptr.empty() ? 0 : col_ptr.back(); }
};

/// Column pointers of a matrix without columns.
inline constexpr Offset kNoPointers[1] = {0};

/// Checks that a pattern has the order and bounds that Pattern requires. Throws Error(input) naming
/// the first column (and row) that violates them. O(n + nnz).
void check(const Pattern& pattern);

/// Non-owning view of a symmetric matrix: its pattern, and the value of each entry of the lower
/// triangle.
template <Scalar T>
struct SymmetricView {
  Pattern pattern;           ///< positions of the entries
  std::span<const T> value;  ///< length nnz, in the order of pattern.row
};

/// Orders of the entries of a dense matrix in memory.
enum class Layout {
  column_major,  ///< column after column
  row_major,     ///< row after row
};

/// Non-owning view of a dense matrix: entry (i,j) is data[i + j*ld] if it is column-major,
/// data[i*ld + j] if it is row-major. Every call accepts either layout, also different ones for
/// right-hand sides and solutions, with the same bits.
template <class T>
struct MatrixView {
  T* data = nullptr;                     ///< may be null when rows*cols = 0
  Index rows = 0;                        ///< number of rows: i < rows
  Index cols = 0;                        ///< number of columns: j < cols
  Offset ld = 0;                         ///< leading dimension: entries from column to column, >=
                                         ///< rows; if row-major from row to row, >= cols
  Layout layout = Layout::column_major;  ///< column- or row-major

  /// Converts to a read-only view.
  template <std::same_as<const T> U>
  operator MatrixView<U>() const {
    return {data, rows, cols, ld, layout};
  }
};

/// Returns x as a matrix of one column, a view. Throws Error(usage) for more than 2^31 - 1 entries.
template <class T>
MatrixView<T> column_view(std::span<T> x) {
  if (x.size() > static_cast<std::size_t>(std::numeric_limits<Index>::max()))
    throw Error(ErrorKind::usage, "column_view: " + std::to_string(x.size()) +
                                      " rows, a matrix has at most 2^31 - 1");
  return {x.data(), static_cast<Index>(x.size()), 1, static_cast<Offset>(x.size())};
}

/// Parts of a symmetric matrix that an array holds. If it holds both halves, the entries a_ij and
/// a_ji agree if they differ by at most a threshold (CompressedView::symmetry) times the largest of
/// sqrt(|a_ii a_jj|), |a_ij| and |a_ji|, which allows for rounding in the assembly of A. An absent
/// entry counts as 0.
enum class Storage {
  lower,  ///< row >= column only; an entry above the diagonal is an Error(input)
  upper,  ///< row <= column only; an entry below the diagonal is an Error(input)
  full,   ///< both halves, which must agree; the lower one is taken unchanged: pattern and bits
  lower_of_full,  ///< row >= column is taken; entries above the diagonal are ignored, but their
                  ///< rows and columns must be in range
  upper_of_full,  ///< row <= column is taken; entries below the diagonal are ignored, but their
                  ///< rows and columns must be in range
};

/// Default of the threshold CompressedView::symmetry, in units of eps of T. Sums of the same
/// million products in two different orders differ by less.
inline constexpr double kSymmetryEps = 1000;

/// Directions of compression of a CompressedView.
enum class Compression {
  columns,  ///< ptr and index store column by column
  rows,     ///< ptr and index store row by row
};

/// Treatments of several entries at one position.
enum class Duplicates {
  sum,     ///< they are added up, in the order of the arrays
  refuse,  ///< they are an Error(input)
};

/// Non-owning view of a symmetric matrix as other programs store it: compressed columns or rows,
/// with indices of 32 or 64 bits that count from 0 or from 1. Number and Pointer: std::int32_t or
/// std::int64_t. `storage` refers to rows and columns of A, whether these are compressed by columns
/// or by rows.
template <Scalar T, class Number, class Pointer>
struct CompressedView {
  Number n = 0;                  ///< rows and columns of A
  std::span<const Pointer> ptr;  ///< length n+1, ptr[0] = base; column (or row) j has the entries
                                 ///< ptr[j] - base to ptr[j+1] - base - 1
  std::span<const Number>
      index;                 ///< row (or column) of each entry, base to n - 1 + base, in any order
  std::span<const T> value;  ///< length index.size()
  Storage storage = Storage::lower;                ///< the half or halves that the arrays hold
  Compression compression = Compression::columns;  ///< direction of ptr
  int base = 0;                                    ///< 0 or 1: first index, also in error messages
  Duplicates duplicates = Duplicates::sum;         ///< treatment of several entries at one position
  double symmetry = 0;  ///< threshold of Storage for halves that differ, with Storage::full: 0 to
                        ///< 1; 0 stands for kSymmetryEps eps of T
};

template <Scalar T>
class SymmetryRule;

/// A symmetric matrix that owns its lower triangle: always sorted, without duplicates, with every
/// diagonal entry present.
template <Scalar T>
class SymmetricMatrix {
 public:
  /// Makes a matrix without rows and entries; a matrix that was moved from is one, too.
  SymmetricMatrix() = default;

  /// Makes a matrix from compressed columns. Rows may come in any order; repeated entries are
  /// summed; a missing diagonal entry becomes a stored zero. col_ptr: length n+1; row, value:
  /// length col_ptr[n]; indices are zero-based. Compressed rows of the lower half are compressed
  /// columns of the upper half: pass Storage::upper for them, and Storage::lower for compressed
  /// rows of the upper half. NaN and infinite values are accepted; a factorisation reports them.
  /// symmetry: as CompressedView::symmetry. O(n + nnz). Throws Error: input (wrong lengths; an
  /// index out of range, an entry in the wrong half, or two halves that differ by more than
  /// `symmetry` allows, each with row and column), usage (symmetry out of range).
  static SymmetricMatrix from_csc(Index n, std::span<const Offset> col_ptr,
                                  std::span<const Index> row, std::span<const T> value,
                                  Storage storage, double symmetry = 0);

  /// Makes a matrix, by the rules of from_csc(), from compressed columns or rows with indices of
  /// any kind. Throws Error: input (in the caller's numbering; also a repeated entry under
  /// Duplicates::refuse), overflow (n above 2^31 - 1), usage (a base or a symmetry out of range).
  template <class Number, class Pointer>
  static SymmetricMatrix from_compressed(const CompressedView<T, Number, Pointer>& a);

  /// Makes a matrix, by the rules of from_csc(), from triplets (row[k], col[k], value[k]) in any
  /// order.
  static SymmetricMatrix from_triplets(Index n, std::span<const Index> row,
                                       std::span<const Index> col, std::span<const T> value,
                                       Storage storage, double symmetry = 0);

  /// Returns the order of the matrix: its number of rows, and of columns.
  [[nodiscard]] Index n() const {
    return col_ptr_.empty() ? 0 : static_cast<Index>(col_ptr_.size()) - 1;
  }
  /// Returns the number of stored entries, those of the lower triangle.
  [[nodiscard]] Offset nnz() const { return col_ptr_.empty() ? 0 : col_ptr_.back(); }
  /// Returns the pattern, as a view into this object, valid until the object is assigned to or
  /// destroyed; this holds for the views below, too.
  [[nodiscard]] Pattern pattern() const {
    return {n(), col_ptr_.empty() ? std::span<const Offset>(kNoPointers) : col_ptr_, row_};
  }
  /// Returns pattern and values.
  [[nodiscard]] SymmetricView<T> view() const { return {pattern(), value_}; }
  /// Returns the values, length nnz(), in the order of pattern().row.
  [[nodiscard]] std::span<const T> value() const { return value_; }
  /// Returns the values for writing, length nnz(), in the order of pattern().row; the pattern stays
  /// as it was made.
  [[nodiscard]] std::span<T> value() { return value_; }

 private:
  struct Columns;
  static SymmetricMatrix from_columns(Index n, Columns&& columns, const SymmetryRule<T>& rule);
  template <class Number, class Pointer>
  static SymmetricMatrix from_order(const CompressedView<T, Number, Pointer>& a,
                                    std::span<const Offset> ptr, std::span<const Offset> first);
  std::vector<Offset> col_ptr_;  // n+1, or empty if there are no rows
  std::vector<Index> row_;       // nnz
  std::vector<T> value_;         // nnz
};

/// Map from the entries of a CompressedView to those of the SymmetricMatrix made from it. It brings
/// new values in the caller's order into the order of the matrix. A map that was moved from is that
/// of a matrix without entries.
template <Scalar T>
class EntryMap {
 public:
  /// Makes the map from the pattern of `a`; a.value is not read. Throws as from_compressed() for
  /// that pattern. O(entries log(entries of a column)).
  template <class Number, class Pointer>
  explicit EntryMap(const CompressedView<T, Number, Pointer>& a);
  EntryMap(const EntryMap&) = default;
  EntryMap& operator=(const EntryMap&) = default;
  EntryMap(EntryMap&& other) noexcept
      : place_(std::move(other.place_)), entries_(std::exchange(other.entries_, 0)) {}
  EntryMap& operator=(EntryMap&& other) noexcept {
    if (this == &other) return *this;
    place_ = std::move(other.place_);
    entries_ = std::exchange(other.entries_, 0);
    return *this;
  }
  ~EntryMap() = default;

  /// Converts values in the order of CompressedView::index to the order of
  /// SymmetricMatrix::value(), with the bits of from_compressed(). If the view holds both halves,
  /// the values of the half that is taken are used, and the agreement of the halves is not checked.
  /// value: length of CompressedView::index; lower: output only, length nnz of the matrix. Throws
  /// Error(usage) for other lengths.
  void apply(std::span<const T> value, std::span<T> lower) const;

  /// Returns the position of each entry of CompressedView::index in SymmetricMatrix::value(), or -1
  /// for entries of the half that is left out.
  [[nodiscard]] std::span<const Offset> places() const { return place_; }

 private:
  std::vector<Offset> place_;  // position of each entry in the matrix; -1: in the half left out
  Offset entries_ = 0;         // entries of the lower triangle
};

}  // namespace kauri
