// How the public calls judge dense matrices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include "kauri/matrix.hpp"
#include "numeric/dense_view.hpp"

namespace kauri {

/// True where ld leaves each column, or each row of a row-major matrix, its room.
template <class View>
bool has_room(const View& a) {
  if (a.rows < 0 || a.cols < 0) return false;
  return a.layout == Layout::row_major ? a.ld >= a.cols : a.layout == Layout::column_major && a.ld >= a.rows;
}

/// For messages, behind what else is said of a matrix.
inline const char* in_words(Layout layout) {
  if (layout == Layout::row_major) return ", row-major";
  return layout == Layout::column_major ? "" : ", in a layout that there is not";
}

/// True where x begins at b's first entry but is not b itself.
template <class T>
bool overlaps_from_the_first(const MatrixView<const T>& b, const MatrixView<const T>& x) {
  if (b.data != x.data || x.rows == 0 || x.cols == 0) return false;
  const auto steps = [](const MatrixView<const T>& a) {
    const numeric::StridedView<const T> at = numeric::strided(a);
    return std::pair(a.rows > 1 ? at.row : 0, a.cols > 1 ? at.column : 0);
  };
  return steps(b) != steps(x);
}

}  // namespace kauri
