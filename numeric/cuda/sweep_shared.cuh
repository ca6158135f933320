// What the warps of a block share that sweeps through tiled fronts (sweep_tiles.cu): rings in shared memory, and how all of them go through
// a task.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/sweep.cuh"
#include "numeric/cuda/tile.cuh"

namespace kauri::numeric::cuda::sweep {

using symbolic::kCellEntries;
using symbolic::SweepTask;
namespace ptx = kernels::ptx;

constexpr int kMultipliers = 4, kLoader = 4, kInput = 5, kStart = 6;  // warps; the last two bring what sums start from
constexpr int kThreads = 32 * 8;
constexpr int kResident = 3;  // blocks a multiprocessor
constexpr int kStages = 4;    // of the ring: a tile and the inverse after it
constexpr int kStageEntries = 2048;
constexpr int kInputs = 4;                                       // tiles of numbers to multiply by
constexpr int kPair = 2 * kCellEntries;                          // entries of a row of cells of a pair of columns
constexpr int kForwardPair = symbolic::kTileCells * kPair;       // a stage forward: two pairs of a tile
constexpr int kBackwardPair = symbolic::kTileCells / 2 * kPair;  // backward: four pairs of half a tile
constexpr int kFirstBlocks = 6;                                  // blocks of an inverse in its first stage: its first three rows of them
constexpr int kBarrier = 1;                                      // named, of the warps that multiply

struct Shared {
  double stage[kStages][kStageEntries];
  double input[kInputs][kTile];
  double start[2][2 * kTile];     // backward: and what the sum rounded
  double sum[2][kTile];           // of the rows of a diagonal tile, to be multiplied by its inverse
  double own[kTile];              // the product
  double rest[kTile];             // of a correction
  std::uint32_t place[2][kTile];  // forward: of update rows; backward: of rows of x in the caller's numbering
  SweepTask task[2];
  Front front[2];
  std::uint64_t full[kStages], empty[kStages], input_full[kInputs], input_empty[kInputs], start_full[2], start_empty[2], task_full[2],
      task_empty[2];
};

/// A barrier of a ring, and the phase of it that comes next.
template <int kSize>
struct Turn {
  int at = 0;
  unsigned phase = 0;
  __device__ void next() {
    if (++at == kSize) at = 0, phase ^= 1;
  }
};

__device__ inline Index last_column(const SweepTask& task, Index row, Index pivots) {
  return min(task.column + task.columns, min(row, pivots));
}

/// True where task tiles are multiplied by what the task itself has just made.
__device__ inline bool reads_own(const SweepTask& task, Index row) { return row > 0 && task.row == 0; }

/// Entries of the inverse of a tile of so many cells.
__device__ inline int blocks_of(Index cells) { return (cells + 1) / 2; }

__device__ inline void set_up(Shared& shared) {
  if (threadIdx.x == 0) {
    for (int k = 0; k < kStages; ++k) ptx::barrier_init(&shared.full[k], 1), ptx::barrier_init(&shared.empty[k], kMultipliers);
    for (int k = 0; k < kInputs; ++k) ptx::barrier_init(&shared.input_full[k], 1), ptx::barrier_init(&shared.input_empty[k], kMultipliers);
    for (int k = 0; k < 2; ++k) {
      ptx::barrier_init(&shared.start_full[k], 2), ptx::barrier_init(&shared.start_empty[k], kMultipliers);
      ptx::barrier_init(&shared.task_full[k], 1), ptx::barrier_init(&shared.task_empty[k], kMultipliers + 3);
    }
    ptx::barrier_init_fence();
  }
  __syncthreads();
}

}  // namespace kauri::numeric::cuda::sweep
