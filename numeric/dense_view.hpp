// Parts of dense matrices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "kauri/matrix.hpp"

namespace kauri::numeric {

/// Columns [first, first + count).
template <class T>
MatrixView<T> columns(const MatrixView<T>& a, Index first, Index count) {
  return {a.data + first * a.ld, a.rows, count, a.ld};
}

/// Entries [begin, end) of all that a matrix has, counted by columns without what lies between them, as runs in memory: f(k, place, count)
/// says that entries begin + k, ... are those from data[place] on.
template <class F>
void for_each_run(Index rows, Offset ld, Offset begin, Offset end, const F& f) {
  for (Offset at = begin; at < end;) {
    const Offset column = at / rows, row = at % rows, count = std::min(end - at, rows - row);
    f(at - begin, column * ld + row, count);
    at += count;
  }
}

}  // namespace kauri::numeric
