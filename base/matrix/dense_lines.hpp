// Runs over and copies the entries of dense matrices in either layout, line by line.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "kauri/core/matrix.hpp"

namespace kauri {

/// Lines (columns or rows) of `length` entries each. Entry k of the whole is entry k % length of
/// line k / length.
struct DenseLines {
  Offset count, length;
  Offset from_line;   ///< step from a line to the next
  Offset from_entry;  ///< step from an entry to the next one of its line
};

/// Returns the lines of a matrix: its rows if `by` is row_major, its columns if column_major,
/// whatever its own layout.
template <class T>
DenseLines lines_of(const MatrixView<T>& a, Layout by) {
  const bool by_rows = a.layout == Layout::row_major;
  const Offset row = by_rows ? a.ld : 1, column = by_rows ? 1 : a.ld;
  return by == Layout::row_major ? DenseLines{a.rows, a.cols, row, column}
                                 : DenseLines{a.cols, a.rows, column, row};
}

/// Calls f(k, place, count) for runs of the entries [begin, end), which are counted line after
/// line: entries begin + k, begin + k + 1, ..., count of them, lie at offsets place, place +
/// from_entry, ... Each run lies within one line.
template <class F>
void for_each_run(const DenseLines& lines, Offset begin, Offset end, const F& f) {
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

/// Copies all entries of `from` to `to`, in whatever layouts. The matrices must have the same shape
/// and not overlap.
template <class T>
void copy_entries(const MatrixView<const T>& from, const MatrixView<T>& to) {
  const DenseLines source = lines_of(from, from.layout), target = lines_of(to, from.layout);
  for (Offset k = 0; k < source.count; ++k)
    copy_steps(from.data + k * source.from_line, source.from_entry, source.length,
               to.data + k * target.from_line, target.from_entry);
}

/// Sets all entries of `a` to one value.
template <class T>
void fill_entries(const MatrixView<T>& a, T value) {
  const DenseLines lines = lines_of(a, a.layout);
  for (Offset k = 0; k < lines.count; ++k)
    std::fill_n(a.data + k * lines.from_line, lines.length, value);
}

}  // namespace kauri
