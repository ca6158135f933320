// Views of parts of dense matrices, and the offsets of their entries in either layout.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/common/host_device.hpp"
#include "kauri/core/matrix.hpp"

namespace kauri::numeric {

/// A matrix whose entry (i,j) is data[i*row + j*column], so that one loop or kernel serves both
/// layouts.
template <class T>
struct StridedView {
  T* data;
  Offset row;     ///< step from a row to the next, in entries
  Offset column;  ///< step from a column to the next, in entries

  KAURI_HOST_DEVICE T& operator()(Offset i, Offset j) const { return data[i * row + j * column]; }
};

template <class T>
StridedView<T> strided(const MatrixView<T>& a) {
  return a.layout == Layout::row_major ? StridedView<T>{a.data, a.ld, 1}
                                       : StridedView<T>{a.data, 1, a.ld};
}

/// Returns a view of columns [first, first + count) of a.
template <class T>
MatrixView<T> columns(const MatrixView<T>& a, Index first, Index count) {
  return {a.data + first * strided(a).column, a.rows, count, a.ld, a.layout};
}

/// Returns a view of rows [first, first + count) of a.
template <class T>
MatrixView<T> rows(const MatrixView<T>& a, Index first, Index count) {
  return {a.data + first * strided(a).row, count, a.cols, a.ld, a.layout};
}

/// Returns a view of rows x cols entries at data without gaps.
template <class T>
MatrixView<T> compact_view(T* data, Index rows, Index cols, Layout layout) {
  return {data, rows, cols, layout == Layout::row_major ? cols : rows, layout};
}

}  // namespace kauri::numeric
