// The producer of a team: one thread, which streams the operands of a task through the ring of
// stages in shared memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/tiled/team.cuh"

namespace kauri::numeric::cuda::kernels {

template <class T>
__device__ inline void wait_for_slab(const FrontTask& task, const FrontViewOf<T>& front, int slab,
                                     int& ready) {
  if (ready > slab) return;
  ready = wait_for_slabs(task, front, slab + 1);
  ptx::proxy_fence();
}

/// Copies the operands of the task's products to the ring's stages, a pair of cell columns of L
/// each; in a pair, rows are contiguous. `dependent`: waits until L's slabs are finished.
template <class T>
__device__ inline void produce_products(const FrontTask& task, const FrontViewOf<T>& front,
                                        RingOf<T>& ring, bool dependent) {
  constexpr int kBytes = sizeof(T);
  const symbolic::FrontCells& shape = front.cells;
  const int products = products_of(task, front), cells = cells_in(front, products);
  const int upper = shape.cells_of(task.row),
            lower = task.rows == 2 ? shape.cells_of(task.row + 1) : 0;
  const int right = shape.cells_of(task.column);
  int ready = dependent ? 0 : cells;
  for (int first = 0; first < cells; first += 2) {
    wait_for_slab(task, front, first / 2, ready);
    const int entries = min(2, cells - first) * kCellEntries;  // entries of a row of cells
    const T* pair = front.panel + shape.panel().pair(first / 2);
    const T* rows = pair + (shape.first_cell(task.row) - first) * entries;
    ptx::barrier_wait(ring.empty(), ring.parity() ^ 1);
    std::uint64_t* full = ring.full();
    T* data = ring.data();
    ptx::barrier_arrive_expecting(full, (upper + lower + right) * entries * kBytes);
    const int together = upper * entries == kSlabEntries ? upper + lower : upper;
    ptx::bulk_copy(data, rows, together * entries * kBytes, full);
    if (together < upper + lower)
      ptx::bulk_copy(data + kSlabEntries, rows + upper * entries, lower * entries * kBytes, full);
    ptx::bulk_copy(data + 2 * kSlabEntries,
                   pair + (shape.first_cell(task.column) - first) * entries,
                   right * entries * kBytes, full);
    ++ring.turn;
  }
}

/// Copies diagonal block k of a pivot tile of L (not its inverse) to `slab`, for
/// multiply_corrected(). If the block has a single cell, zeros stand for the other three.
__device__ inline void copy_triangle(double* slab, const TileView& triangle, int k,
                                     const double* zeros, std::uint64_t* full) {
  const int cells = triangle.pair_width(2 * k) == 2 ? 4 : 1;
  ptx::bulk_copy(slab, triangle.cell(2 * k, 2 * k), cells * kCellEntries * 8, full);
  for (int c = cells; c < 4; ++c)
    ptx::bulk_copy(slab + c * kCellEntries, zeros, kCellEntries * 8, full);
}

/// Prefetches to the L2 cache the task's tiles, from whose values its consumers start. They may
/// still work on the task before.
template <class T>
__device__ inline void prefetch_tiles(const FrontTask& task, const FrontViewOf<T>& front) {
  if (task.kind == TaskKind::contribution && front.loads_block == 0) return;
  for (int r = 0; r < task.rows; ++r) {
    const TileViewOf<T> tile = tile_of(front, task.row + r, task.column);
    for (int column = 0; column < tile.width; column += 2) {
      const int row = tile.diagonal ? column : 0;
      ptx::prefetch(tile.cell(row, column), (tile.height - row) * tile.pair_width(column) *
                                                kCellEntries * static_cast<int>(sizeof(T)));
    }
  }
}

/// Waits until block k of a pivot tile is in memory; returns the tile's state.
__device__ inline int wait_for_block(const int* state, int k) {
  Watch watch;
  for (;;) {
    const int now = ptx::load_acquire(state), progress = now & ((1 << kProgressBits) - 1);
    if (progress >= kFirstBlock + k) return now;
    watch.look(Awaited::block, state, kFirstBlock + k, progress);
    __nanosleep(20);
  }
}

/// Returns the number of blocks of a pivot tile that are in memory, from its state. A finished tile
/// counts four, even if it has fewer.
__device__ inline int blocks_there(int state) {
  return (state & ((1 << kProgressBits) - 1)) - kFirstBlock + 1;
}

__device__ inline void produce(const FrontTask& task, const FrontView& front, Ring& ring,
                               bool dependent) {
  prefetch_tiles(task, front);
  produce_products(task, front, ring, dependent);
  if (task.kind != TaskKind::panel) return;
  const TileView triangle = tile_of(front, task.column, task.column);
  const double* inverses = front.inverses + symbolic::FrontCells::diagonal_place(
                                                task.column * kTile, task.column * kTile);
  for (int k = 0; 2 * k < triangle.width; ++k) {
    // A stage holds an inverse and the blocks of L below it. If L lacks the second cell row of the
    // last block, zeros take its place, copied from right of the inverse's diagonal. They are
    // multiplied by zeros.
    const int below = max(triangle.width - 2 * k - 2, 0);
    const bool padded = below > 0 && triangle.width % 2 != 0;
    const double* inverse = inverses + k * kInverseEntries;
    double* slab = ring.data() + 2 * kSlabEntries;
    ptx::barrier_wait(ring.empty(), ring.parity() ^ 1);
    std::uint64_t* full = ring.full();
    const int corrects = wait_for_block(state_of(front, task.column), k) >> (kProgressBits + k) & 1;
    ptx::proxy_fence();
    *ring.word() = static_cast<std::uint64_t>(corrects);
    ptx::barrier_arrive_expecting(full, ((1 + corrects) * kInverseEntries +
                                         2 * (below + static_cast<int>(padded)) * kCellEntries) *
                                            8);
    if (corrects != 0) copy_triangle(ring.data(), triangle, k, inverse + kCellEntries, full);
    ptx::bulk_copy(slab + 4 * k * kCellEntries, inverse, kInverseEntries * 8, full);
    if (below > 0)
      ptx::bulk_copy(slab + 4 * (k + 1) * kCellEntries, triangle.cell(2 * k + 2, 2 * k),
                     2 * below * kCellEntries * 8, full);
    for (int c = 0; padded && c < 2; ++c)
      ptx::bulk_copy(slab + (2 * triangle.width + c) * kCellEntries, inverse + kCellEntries,
                     kCellEntries * 8, full);
    ++ring.turn;
  }
}

}  // namespace kauri::numeric::cuda::kernels
