// Extend-add, pulled: a warp subtracts the children's contribution blocks from its accumulators,
// which hold entries with their signs flipped.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/tiled/tile_registers.cuh"
#include "numeric/cuda/runtime/kernel/watchdog.cuh"

namespace kauri::numeric::cuda::kernels {

using watchdog::Awaited;
using watchdog::Watch;

__device__ inline int wait_at_least(const int* counter, int value, Awaited what) {
  Watch watch;
  for (;;) {
    const int count = ptx::load_acquire(counter);
    if (count >= value) return count;
    watch.look(what, counter, value, count);
    __nanosleep(20);
  }
}

__device__ inline void wait_warp(const int* counter, int value, Awaited what, int lane) {
  if (lane == 0) wait_at_least(counter, value, what);
  __syncwarp();
}

/// Waits as wait_warp() does; returns the count, at least `value`, to all lanes.
__device__ inline int count_for_warp(const int* counter, int value, Awaited what, int lane) {
  const int count = lane == 0 ? wait_at_least(counter, value, what) : 0;
  __syncwarp();  // a shuffle alone orders no accesses to memory
  return __shfl_sync(0xffffffffu, count, 0);
}

/// Waits until the tasks of this launch that write the blocks of the front's children are done.
/// Called by all lanes of each warp that reads these blocks.
template <class T>
__device__ inline void wait_for_children(const FrontViewOf<T>& front, int lane) {
  if (front.awaited > 0)
    wait_warp(front.counters + kChildren, front.awaited, Awaited::children, lane);
}

/// Stand for rows and columns of a tile that a child lacks: the child has an entry only if row >=
/// column.
inline constexpr int kNoRow = -1, kNoColumn = 0x7fffffff;

/// Returns the row of a child's block that goes to row log2(bit) of a cell row of the parent, whose
/// row map word is `word`; `none` if no row does.
__device__ inline int row_at(symbolic::RowMapWord word, unsigned bit, int none) {
  const int row = static_cast<int>(word >> symbolic::kCell) + __popc(word & (bit - 1));
  return (word & bit) != 0 ? row : none;
}
/// Returns the columns of a child's block that go to columns log2(bit) and log2(bit) + 1 of a cell
/// column of the parent, whose row map word is `word`; kNoColumn for each to which no column goes.
__device__ inline int2 columns_at(symbolic::RowMapWord word, unsigned bit) {
  const int row = static_cast<int>(word >> symbolic::kCell) + __popc(word & (bit - 1)),
            next = (word & bit) != 0 ? row + 1 : row;
  return make_int2((word & bit) != 0 ? row : kNoColumn, (word & 2 * bit) != 0 ? next : kNoColumn);
}

/// Return the part of row `row` and the part of column `column` of the index of an entry in
/// child.block, in 32 bits; their sum is the index.
template <class T>
__device__ inline unsigned row_place(const ChildViewOf<T>& child, int row) {
  const unsigned r = static_cast<unsigned>(row);
  return child.cell_rows == 0
             ? r
             : r / symbolic::kCell * (2 * kCellEntries) + r % symbolic::kCell * symbolic::kCell;
}
template <class T>
__device__ inline unsigned column_place(const ChildViewOf<T>& child, int column) {
  const unsigned c = static_cast<unsigned>(column);
  if (child.cell_rows == 0) return c * (2 * static_cast<unsigned>(child.order) - c - 1) / 2;
  const unsigned k = c / (2 * symbolic::kCell);
  return 2 * kCellEntries * k * (static_cast<unsigned>(child.cell_rows) - 1 - k) +
         c / symbolic::kCell % 2 * kCellEntries + c % symbolic::kCell;
}

/// Returns the child's entry at index row_part + column_part, of row_place() and column_place();
/// zero if row < column, also for kNoRow and kNoColumn.
template <class T>
__device__ inline T child_entry(const ChildViewOf<T>& child, int row, int column, unsigned row_part,
                                unsigned column_part) {
  return row >= column ? __ldcg(child.block + (row_part + column_part)) : T(0);
}

/// Subtracts the children's entries in rows row + 16 h + {g, 8 + g} and columns column + 8 n + {2t,
/// 2t + 1} of the padded front from c[h][n], child after child; g = lane / 4, t = lane % 4. row and
/// column are multiples of 8. The children's blocks have fewer than 2^32 entries.
template <int H, int N>
__device__ inline void gather(double (*c)[N][4], const FrontView& front, int row, int column,
                              int lane) {
  lane = ptx::anew(
      lane);  // row bits are computed here, not kept: the products' loop is short of registers
  for (int k = 0; k < front.child_count; ++k) {
    const ChildView child = front.child[k];
    int rows[2 * H];
    symbolic::RowMapWord any = 0;
#pragma unroll
    for (int h = 0; h < 2 * H; ++h) {
      const symbolic::RowMapWord word = __ldg(child.map + row / symbolic::kCell + h);
      rows[h] = row_at(word, 1U << (lane >> 2), kNoRow);
      any |= word;
    }
    if (any == 0) continue;  // the same for all lanes
    const symbolic::RowMapWord* columns_of = child.map + column / symbolic::kCell;
#pragma unroll
    for (int n = 0; n < N; ++n) {
      const int2 columns = columns_at(__ldg(columns_of + n), 1U << 2 * (lane & 3));
      const unsigned left = column_place(child, columns.x), right = column_place(child, columns.y);
#pragma unroll
      for (int h = 0; h < 2 * H; ++h) {
        const unsigned row_part = row_place(child, rows[h]);
        double(&part)[4] = c[h >> 1][n];
        part[2 * (h & 1)] -= child_entry(child, rows[h], columns.x, row_part, left);
        part[2 * (h & 1) + 1] -= child_entry(child, rows[h], columns.y, row_part, right);
      }
    }
  }
}

}  // namespace kauri::numeric::cuda::kernels
