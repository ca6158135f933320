// Checks of dense matrices in public calls.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "base/matrix/dense_lines.hpp"
#include "kauri/core/matrix.hpp"
#include "numeric/dense_view.hpp"
#include "src/checks/misuse.hpp"

namespace kauri {

/// Returns true if the leading dimension is at least the length of a column (of a row if
/// row-major). Returns false also for a negative number of rows or columns and for an unknown
/// layout.
template <class View>
bool has_room(const View& a) {
  if (a.rows < 0 || a.cols < 0) return false;
  return a.layout == Layout::row_major ? a.ld >= a.cols
                                       : a.layout == Layout::column_major && a.ld >= a.rows;
}

/// Returns the layout in words, to end a message about a matrix; empty for column-major.
inline const char* in_words(Layout layout) {
  if (layout == Layout::row_major) return ", row-major";
  return layout == Layout::column_major
             ? ""
             : ", in an unknown layout; expected column_major or row_major";
}

/// Returns the shape that has_room() expects of a matrix that has none, to end a message after
/// in_words(); empty for an unknown layout.
template <class View>
std::string expected_room(const View& a) {
  if (a.layout != Layout::row_major && a.layout != Layout::column_major) return "";
  if (a.rows < 0 || a.cols < 0) return ", expected 0 or more rows and columns";
  return ", expected a leading dimension of " +
         std::to_string(a.layout == Layout::row_major ? a.cols : a.rows) + " or more";
}

/// Throws Error(usage) unless a has n rows, a sufficient leading dimension, and, if it has entries,
/// data that are not null. name: that of the call and the matrix, as "solve: x".
template <class T>
void require_dense(const MatrixView<const T>& a, const char* name, Index n) {
  const auto refuse = [name](const std::string& what) { misuse(name + what); };
  if (a.rows != n) refuse(" has " + std::to_string(a.rows) + " rows, A has " + std::to_string(n));
  if (!has_room(a))
    refuse(" has " + std::to_string(a.cols) + " columns and leading dimension " +
           std::to_string(a.ld) + " for " + std::to_string(n) + " rows" + in_words(a.layout) +
           expected_room(a));
  if (a.data == nullptr && a.rows > 0 && a.cols > 0) refuse(" is null, expected an address");
}

/// Returns true if x begins at b's first entry but has other strides, and so overlaps b without
/// being b.
template <class T>
bool overlaps_from_the_first(const MatrixView<const T>& b, const MatrixView<const T>& x) {
  if (b.data != x.data || x.rows == 0 || x.cols == 0) return false;
  const auto steps = [](const MatrixView<const T>& a) {
    const numeric::StridedView<const T> at = numeric::strided(a);
    return std::pair(a.rows > 1 ? at.row : 0, a.cols > 1 ? at.column : 0);
  };
  return steps(b) != steps(x);
}

/// Returns true if b and x, of equal shapes, may share an entry. Returns false if the columns (or
/// rows) of one lie between those of the other, which is detected if layouts and leading dimensions
/// are equal.
template <class T>
bool overlap(const MatrixView<const T>& b, const MatrixView<T>& x) {
  if (x.rows == 0 || x.cols == 0) return false;
  const auto end = [](const auto& a) { return &numeric::strided(a)(a.rows - 1, a.cols - 1) + 1; };
  const std::less_equal<const T*> before;
  if (before(end(b), x.data) || before(end(x), b.data)) return false;
  if (b.layout != x.layout || b.ld != x.ld) return true;
  const Offset apart = ((x.data - b.data) % b.ld + b.ld) % b.ld,
               length = lines_of(b, b.layout).length;
  return apart < length || apart > b.ld - length;
}

}  // namespace kauri
