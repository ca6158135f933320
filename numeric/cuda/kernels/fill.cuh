// Tiles of a panel before anything is computed: zeros, and A's entries.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/kernels/update.cuh"

namespace kauri::numeric::cuda::kernels {

/// The column of entry e among columns [first, first + count).
__device__ inline int column_of(const Offset* column, int first, int count, Offset e) {
  int low = 0;
  while (count > 1) {
    const int half = count / 2;
    if (column[first + low + half] <= e) low += half;
    count -= half;
  }
  return low;
}

/// Rows of cells [begin, end) of tile column k become zero; 16 bytes a thread.
__device__ inline void clear_cells(const FrontView& front, int k, int begin, int end, int thread) {
  const symbolic::CellLayout layout = front.cells.panel();
  const int last = front.cells.first_cell(k) + front.cells.cells_of(k);
  for (int c = front.cells.first_cell(k); c < last; c += 2) {
    const int top = max(begin, c);
    if (top >= end) return;
    double2* run = reinterpret_cast<double2*>(front.panel + layout.cell(top, c));
    const int count = (end - top) * layout.width(c) * kCellEntries / 2;
    for (int e = thread; e < count; e += kConsumers) run[e] = make_double2(0.0, 0.0);
  }
}

/// A's entries of tile column k in rows of cells [begin, end).
__device__ inline void scatter_entries(const FrontView& front, const Values& a, int k, int begin, int end, int thread) {
  const int first = front.first + k * kTile, count = min(kTile, front.cells.p - k * kTile);
  for (Offset e = a.column[first] + thread; e < a.column[first + count]; e += kConsumers) {
    const int row = front.cells.padded_row(a.row[e]);
    if (row < begin * symbolic::kCell || row >= end * symbolic::kCell) continue;
    front.panel[front.cells.panel().place(row, k * kTile + column_of(a.column, first, count, e))] = a.value[a.source[e]];
  }
}

/// A task of kind `fill`. All consumers.
__device__ inline void fill(const FrontTask& task, const FrontView& front, const Levels& levels, const Values& a, const Member& me) {
  const int thread = 32 * me.warp + me.lane, k = task.column, last = task.row + task.rows - 1;
  const int begin = front.cells.first_cell(task.row), end = front.cells.first_cell(last) + front.cells.cells_of(last);
  wait_for_levels(levels, front.panel_reuses, me.lane);
  clear_cells(front, k, begin, end, thread);
  me.sync_consumers();
  scatter_entries(front, a, k, begin, end, thread);
  if (task.row != k) return;
  me.sync_consumers();
  const int pivot = k * kTile + thread;
  if (thread >= front.cells.cells_of(k) * symbolic::kCell) return;
  double& diagonal = front.panel[front.cells.panel().place(pivot, pivot)];
  diagonal = pivot < front.cells.p ? diagonal + *a.shift : 1.0;
}

}  // namespace kauri::numeric::cuda::kernels
