// One task of a front: two 64 x 64 tiles in the accumulators of four warps, products streamed through shared memory by a producer thread:
// the five warps of a team. A block has two teams, since two such sets of accumulators fill the registers of a multiprocessor.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/kernels/fragment.cuh"
#include "numeric/cuda/kernels/front_kernels.hpp"

namespace kauri::cuda {

inline constexpr int kConsumerWarps = 4;
inline constexpr int kConsumers = 32 * kConsumerWarps;
inline constexpr int kTeamThreads = kConsumers + 32;  // and its producer warp
inline constexpr int kStages = 4;
inline constexpr int kStageEntries = 3 * kSlabEntries;  // slabs of the two row tiles, then of the column's
inline constexpr int kTeamBarriers = 3;

/// Who a thread is: warp of its team (4: the producer), lane, and the team's first named barrier.
struct Member {
  int warp;
  int lane;
  int barriers;

  __device__ void sync_consumers() const { ptx::named_sync(barriers, kConsumers); }
};

/// Ring of stages in shared memory: `full` is completed by the bytes of a stage, `empty` by the four warps that read it.
struct Ring {
  double* stages;
  std::uint64_t* full;
  std::uint64_t* empty;
  int stage = 0;
  int parity = 0;
  bool holds_last = false;  // a consumer's: the stage before this one is not left yet

  __device__ double* data() const { return stages + stage * kStageEntries; }
  __device__ void advance() {
    if (++stage == kStages) stage = 0, parity ^= 1;
  }
};

/// Accumulators of one warp, (32,64), of the task's tiles, sign flipped: acc[16-row block][8-column block].
using Accumulators = double[2][8][4];

__device__ inline double* tile_of(const FrontView& front, int i, int k) {
  return front.tiles + tile_in_front(i, k, front.row_tiles) * kTileEntries;
}

/// Number of block columns whose products the task adds.
__device__ inline int products_of(const Task& task, const FrontView& front) {
  if (task.kind == TaskKind::kContribution) return front.pivot_tiles;
  return task.kind == TaskKind::kPanel ? task.column : task.column - 1;
}

// ---- producer: one thread ----

__device__ inline void wait_at_least(const int* counter, int value) {
  while (ptx::load_acquire(counter) < value) __nanosleep(20);
}

/// Tiles (row,k), (row+1,k), (column,k) of L are finished.
__device__ inline void wait_for_column(const Task& task, const FrontView& front, int k, int& ready) {
  if (ready > k) return;
  const int* rows = front.counters + kRows;
  wait_at_least(rows + task.column, k + 1);
  ready = ptx::load_acquire(rows + task.column);
  for (int r = 0; r < task.rows; ++r) {
    wait_at_least(rows + task.row + r, k + 1);
    ready = min(ready, ptx::load_acquire(rows + task.row + r));
  }
  ptx::proxy_fence();
}

__device__ inline void produce(const Task& task, const FrontView& front, Ring& ring, bool dependent) {
  const int products = products_of(task, front);
  int ready = dependent ? 0 : products;
  for (int k = 0; k < products; ++k) {
    wait_for_column(task, front, k, ready);
    const double* left = tile_of(front, task.row, k);
    const double* right = tile_of(front, task.column, k);
    const int slabs = k + 1 == front.pivot_tiles ? front.last_slabs : kSlabs;
    for (int s = 0; s < slabs; ++s) {
      ptx::barrier_wait(ring.empty + ring.stage, ring.parity ^ 1);
      std::uint64_t* full = ring.full + ring.stage;
      ptx::barrier_arrive_expecting(full, (task.rows + 1) * kSlabEntries * 8);
      for (int r = 0; r < task.rows; ++r) {
        ptx::bulk_copy(ring.data() + r * kSlabEntries, left + r * kTileEntries + s * kSlabEntries, kSlabEntries * 8, full);
      }
      ptx::bulk_copy(ring.data() + 2 * kSlabEntries, right + s * kSlabEntries, kSlabEntries * 8, full);
      ring.advance();
    }
  }
  if (task.kind != TaskKind::kPanel) return;
  wait_at_least(front.counters + kDiagonals, task.column + 1);
  ptx::proxy_fence();
  const double* triangle = front.solve + static_cast<std::int64_t>(task.column) * kTileEntries;
  for (int s = 0; s < kSlabs; ++s) {
    ptx::barrier_wait(ring.empty + ring.stage, ring.parity ^ 1);
    std::uint64_t* full = ring.full + ring.stage;
    ptx::barrier_arrive_expecting(full, kSlabEntries * 8);
    ptx::bulk_copy(ring.data() + 2 * kSlabEntries, triangle + s * kSlabEntries, kSlabEntries * 8, full);
    ring.advance();
  }
}

// ---- consumers: four warps; warp w holds rows 32 (w & 1).. of tile w >> 1 ----

/// acc += (32,16) of the row tiles times the transpose of (64,16) of the column's tile.
__device__ inline void multiply_slab(Accumulators& acc, const double* rows, const double* columns, int row_cell, int lane) {
  double a[2][8];
  load_a(a[0], rows, row_cell, 0, lane);
  load_a(a[1], rows, row_cell + 2, 0, lane);
#pragma unroll
  for (int n = 0; n < 8; ++n) {
    double b[4];
    load_b(b, columns, n, 0, lane);
    ptx::mma(acc[0][n], a[0], b);
    ptx::mma(acc[1][n], a[1], b);
  }
}

/// Waits for the next stage, then leaves the one before. Not earlier: the compiler may place an arrival right after the loads that it
/// follows, and these, queued behind stores to global memory, were seen to read the next bytes. Here the products that needed them have
/// been issued.
__device__ inline void enter_stage(Ring& ring, int lane) {
  ptx::barrier_wait(ring.full + ring.stage, ring.parity);
  __syncwarp();
  if (ring.holds_last && lane == 0) ptx::barrier_arrive(ring.empty + (ring.stage + kStages - 1) % kStages);
  ring.holds_last = true;
}

/// Columns 16s.. of X, X T^T = C: X_s = C_s inv(T_ss)^T, then C_r -= X_s T_rs^T for r > s. In: minus C. Out: minus X. `slab`: columns 16s..
/// of T.
template <int s>
__device__ inline void solve_slab(Accumulators& acc, const double* slab, int lane) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    double a[8];
    as_operand(a, acc[half][2 * s], acc[half][2 * s + 1]);
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      double b[4];
      load_b(b, slab, 2 * s + n, 0, lane);
      acc[half][2 * s + n][0] = acc[half][2 * s + n][1] = acc[half][2 * s + n][2] = acc[half][2 * s + n][3] = 0.0;
      ptx::mma(acc[half][2 * s + n], a, b);
    }
  }
  double a[2][8];
  flipped_operand(a[0], acc[0][2 * s], acc[0][2 * s + 1]);
  flipped_operand(a[1], acc[1][2 * s], acc[1][2 * s + 1]);
#pragma unroll
  for (int n = 2 * s + 2; n < 8; ++n) {
    double b[4];
    load_b(b, slab, n, 0, lane);
    ptx::mma(acc[0][n], a[0], b);
    ptx::mma(acc[1][n], a[1], b);
  }
}

template <int s>
__device__ inline void solve_stages(Accumulators& acc, Ring& ring, int lane) {
  if constexpr (s < kSlabs) {
    enter_stage(ring, lane);
    solve_slab<s>(acc, ring.data() + 2 * kSlabEntries, lane);
    ring.advance();
    solve_stages<s + 1>(acc, ring, lane);
  }
}

__device__ inline void store_accumulators(double* target, const Accumulators& acc, int row_cell, int lane) {
#pragma unroll
  for (int n = 0; n < 8; ++n) {
    store_flipped(target, acc[0][n], row_cell, n, lane);
    store_flipped(target, acc[1][n], row_cell + 2, n, lane);
  }
}

/// A warp without rows lets the stages of a task pass.
__device__ inline void pass(int stages, Ring& ring, int lane) {
  for (int s = 0; s < stages; ++s) {
    enter_stage(ring, lane);
    ring.advance();
  }
}

/// All of a task but its announcement.
__device__ inline void consume(const Task& task, const FrontView& front, Ring& ring, const Member& me) {
  const int row_cell = 4 * (me.warp & 1);
  const int tile = me.warp >> 1;
  const int products = products_of(task, front);
  const int slabs = products * kSlabs - (products == front.pivot_tiles ? kSlabs - front.last_slabs : 0);
  const bool panel = task.kind == TaskKind::kPanel;
  if (tile >= task.rows) {
    pass(slabs + (panel ? kSlabs : 0), ring, me.lane);
    return;
  }
  double* target = tile_of(front, task.row, task.column) + tile * kTileEntries;
  Accumulators acc;
#pragma unroll
  for (int n = 0; n < 8; ++n) {
    load_flipped(acc[0][n], target, row_cell, n, me.lane);
    load_flipped(acc[1][n], target, row_cell + 2, n, me.lane);
  }
  for (int s = 0; s < slabs; ++s) {
    enter_stage(ring, me.lane);
    const double* data = ring.data();
    multiply_slab(acc, data + tile * kSlabEntries, data + 2 * kSlabEntries, row_cell, me.lane);
    ring.advance();
  }
  if (panel) {
    solve_stages<0>(acc, ring, me.lane);
    store_accumulators(target, acc, row_cell, me.lane);
  } else {
    store_accumulators(target, acc, row_cell, me.lane);
  }
}

/// Tells other blocks that the task's tiles are written. All consumers.
__device__ inline void announce(const Task& task, const FrontView& front, const Member& me) {
  if (task.kind == TaskKind::kContribution) return;
  ptx::proxy_fence();
  me.sync_consumers();
  if (me.warp != 0 || me.lane != 0) return;
  int* rows = front.counters + kRows;
  ptx::release_fence();
  if (task.kind == TaskKind::kPrepare) {
    ptx::store_relaxed(rows + front.row_tiles + task.column, 1);
  } else {
    for (int r = 0; r < task.rows; ++r) ptx::store_relaxed(rows + task.row + r, task.column + 1);
  }
}

}  // namespace kauri::cuda
