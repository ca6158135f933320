// Views of parts of dense matrices, and the offsets of their entries in either layout.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "base/common/host_device.hpp"
#include "kauri/core/matrix.hpp"

namespace kauri::numeric {

/// A matrix whose entry (i,j) is data[i*row + j*column], so that one loop or kernel serves both
/// layouts.
template <class T>
struct StridedView {
  T* data;
  Offset row;     ///< step from a row to the next
  Offset column;  ///< step from a column to the next

  KAURI_HOST_DEVICE T& operator()(Offset i, Offset j) const { return data[i * row + j * column]; }
};

template <class T>
StridedView<T> strided(const MatrixView<T>& a) {
  return a.layout == Layout::row_major ? StridedView<T>{a.data, a.ld, 1}
                                       : StridedView<T>{a.data, 1, a.ld};
}

/// Returns a view of columns [first, first + count).
template <class T>
MatrixView<T> columns(const MatrixView<T>& a, Index first, Index count) {
  return {a.data + first * strided(a).column, a.rows, count, a.ld, a.layout};
}

/// Returns a view of rows [first, first + count).
template <class T>
MatrixView<T> rows(const MatrixView<T>& a, Index first, Index count) {
  return {a.data + first * strided(a).row, count, a.cols, a.ld, a.layout};
}

/// Returns a view of rows x cols entries at data without gaps.
template <class T>
MatrixView<T> compact_view(T* data, Index rows, Index cols, Layout layout) {
  return {data, rows, cols, layout == Layout::row_major ? cols : rows, layout};
}

/// Lines (columns or rows) of `length` entries each. Entry k of the whole is entry k % length of
/// line k / length.
struct Lines {
  Offset count, length;
  Offset from_line;   ///< step from a line to the next
  Offset from_entry;  ///< step from an entry to the next one of its line
};

/// Returns the lines of a matrix: its rows if `by` is row_major, its columns if column_major,
/// whatever its own layout.
template <class T>
Lines lines_of(const MatrixView<T>& a, Layout by) {
  const StridedView<T> at = strided(a);
  return by == Layout::row_major ? Lines{a.rows, a.cols, at.row, at.column}
                                 : Lines{a.cols, a.rows, at.column, at.row};
}

/// Calls f(k, place, count) for runs of the entries [begin, end), which are counted line after
/// line: entries begin + k, begin + k + 1, ..., count of them, lie at offsets place, place +
/// from_entry, ... Each run lies within one line.
template <class F>
void for_each_run(const Lines& lines, Offset begin, Offset end, const F& f) {
  for (Offset at = begin; at < end;) {
    const Offset line = at / lines.length, entry = at % lines.length,
                 count = std::min(end - at, lines.length - entry);
    f(at - begin, line * lines.from_line + entry * lines.from_entry, count);
    at += count;
  }
}

/// Copies from[k * from_step] to to[k * to_step] for 0 <= k < count.
template <class T, class U>
void copy_steps(const T* from, Offset from_step, Offset count, U* to, Offset to_step) {
  if (from_step == 1 && to_step == 1) {
    std::copy_n(from, count, to);
    return;
  }
  for (Offset k = 0; k < count; ++k) to[k * to_step] = from[k * from_step];
}

/// Copies all entries. The shapes are equal and the matrices do not overlap.
template <class T>
void copy_entries(const MatrixView<const T>& from, const MatrixView<T>& to) {
  const Lines source = lines_of(from, from.layout), target = lines_of(to, from.layout);
  for (Offset k = 0; k < source.count; ++k)
    copy_steps(from.data + k * source.from_line, source.from_entry, source.length,
               to.data + k * target.from_line, target.from_entry);
}

template <class T>
void fill_entries(const MatrixView<T>& a, T value) {
  const Lines lines = lines_of(a, a.layout);
  for (Offset k = 0; k < lines.count; ++k)
    std::fill_n(a.data + k * lines.from_line, lines.length, value);
}

}  // namespace kauri::numeric
