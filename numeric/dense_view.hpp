// Parts of dense matrices, and the places of their entries whatever the layout.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "base/common/host_device.hpp"
#include "kauri/matrix.hpp"

namespace kauri::numeric {

/// Entry (i,j) is data[i*row + j*column]: for loops and kernels that take either layout.
template <class T>
struct StridedView {
  T* data;
  Offset row;     ///< from row to row
  Offset column;  ///< from column to column

  KAURI_HOST_DEVICE T& operator()(Offset i, Offset j) const { return data[i * row + j * column]; }
};

template <class T>
StridedView<T> strided(const MatrixView<T>& a) {
  return a.layout == Layout::row_major ? StridedView<T>{a.data, a.ld, 1} : StridedView<T>{a.data, 1, a.ld};
}

/// Columns [first, first + count).
template <class T>
MatrixView<T> columns(const MatrixView<T>& a, Index first, Index count) {
  return {a.data + first * strided(a).column, a.rows, count, a.ld, a.layout};
}

/// Rows [first, first + count).
template <class T>
MatrixView<T> rows(const MatrixView<T>& a, Index first, Index count) {
  return {a.data + first * strided(a).row, count, a.cols, a.ld, a.layout};
}

/// Without gaps.
template <class T>
MatrixView<T> compact_view(T* data, Index rows, Index cols, Layout layout) {
  return {data, rows, cols, layout == Layout::row_major ? cols : rows, layout};
}

/// Columns of so many entries each, or rows: entry k of all is entry k % length of line k / length.
struct Lines {
  Offset count, length;
  Offset from_line;   ///< to the next one
  Offset from_entry;  ///< of a line to its next one
};

/// Those of a matrix: its rows by row_major, its columns by column_major, whatever its own layout.
template <class T>
Lines lines_of(const MatrixView<T>& a, Layout by) {
  const StridedView<T> at = strided(a);
  return by == Layout::row_major ? Lines{a.rows, a.cols, at.row, at.column} : Lines{a.cols, a.rows, at.column, at.row};
}

/// Entries [begin, end) of all that there are, without what lies between them, as parts of lines: f(k, place, count) says that entries
/// begin + k, ... are those at place, place + from_entry, ...
template <class F>
void for_each_run(const Lines& lines, Offset begin, Offset end, const F& f) {
  for (Offset at = begin; at < end;) {
    const Offset line = at / lines.length, entry = at % lines.length, count = std::min(end - at, lines.length - entry);
    f(at - begin, line * lines.from_line + entry * lines.from_entry, count);
    at += count;
  }
}

/// `count` entries, each so many places behind the one before.
template <class T, class U>
void copy_steps(const T* from, Offset from_step, Offset count, U* to, Offset to_step) {
  if (from_step == 1 && to_step == 1) {
    std::copy_n(from, count, to);
    return;
  }
  for (Offset k = 0; k < count; ++k) to[k * to_step] = from[k * from_step];
}

/// Of equal shape, which do not overlap.
template <class T>
void copy_entries(const MatrixView<const T>& from, const MatrixView<T>& to) {
  const Lines source = lines_of(from, from.layout), target = lines_of(to, from.layout);
  for (Offset k = 0; k < source.count; ++k)
    copy_steps(from.data + k * source.from_line, source.from_entry, source.length, to.data + k * target.from_line, target.from_entry);
}

template <class T>
void fill_entries(const MatrixView<T>& a, T value) {
  const Lines lines = lines_of(a, a.layout);
  for (Offset k = 0; k < lines.count; ++k) std::fill_n(a.data + k * lines.from_line, lines.length, value);
}

}  // namespace kauri::numeric
