// What the warps of a block share that sweeps through tiled fronts (sweep_tiles.cu): rings in shared memory, and how all of them go through
// a task. S, here and in what includes this: the scalar of L, of the inverses and products beside it, and of the caller's vectors. L in
// float becomes double where it is read; numbers, sums and products are in double in either case.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/plan/tile.cuh"
#include "numeric/cuda/solve/single/flags.cuh"

namespace kauri::numeric::cuda::sweep {

using symbolic::kCellEntries;
using symbolic::SweepTask;
namespace ptx = kernels::ptx;

constexpr int kMultipliers = 4, kLoader = 4, kInput = 5, kStart = 6;  // warps; the last two load what sums start from
constexpr int kThreads = 32 * 8;
constexpr int kResident = 3;                                // blocks a multiprocessor
constexpr int kRegisters = 80, kMultiplierRegisters = 112;  // a thread: of the kernel, and of those that multiply while there are tiles
constexpr int kStages = 4;                                  // of the ring: a tile and the inverse after it
constexpr int kStageEntries = 2048;
constexpr int kInputs = 4;                                       // tiles of numbers to multiply by
constexpr int kPair = 2 * kCellEntries;                          // entries of a row of cells of a pair of columns
constexpr int kForwardPair = symbolic::kTileCells * kPair;       // a stage forward: two pairs of a tile
constexpr int kBackwardPair = symbolic::kTileCells / 2 * kPair;  // backward: four pairs of half a tile
constexpr int kFirstBlocks = 6;                                  // blocks of an inverse in its first stage: its first three rows of them
constexpr int kBarrier = 1, kLeftBarrier = 2;                    // named, of the warps that multiply, and of all warps

template <class S>
struct TileShared {
  S stage[kStages][kStageEntries];
  double input[kInputs][kTile];
  double start[2][2 * kTile];     // backward: and what the sum rounded
  double sum[2][kTile];           // of the rows of a diagonal tile, to be multiplied by its inverse
  double own[kTile];              // the product
  double rest[kTile];             // of a correction
  std::uint32_t place[2][kTile];  // forward: of update rows; backward: of rows of x in the caller's numbering
  SweepTask task[2];
  Front front[2];
};
struct TileBarriers {
  std::uint64_t full[kStages], empty[kStages], input_full[kInputs], input_empty[kInputs], start_full[2], start_empty[2], task_full[2],
      task_empty[2];
};

/// What a warp has that takes narrow or small fronts: panels of two of them, one from the beginning and one to the end, if both fit.
template <class S, int kRows>
struct WarpShared {
  static constexpr int kPanel = kRows * (kRows + 1) / 2;
  static constexpr int kRoom = kRows <= 32 ? 2 * kPanel : kPanel + kPanel / 4;
  alignas(16) S panel[kRoom];
  double x[kRows];
  Front front[4];
  Index id[4];
};
struct WarpBarriers {
  std::uint64_t full[2];
};

constexpr int kNarrowWarps = 8, kSmallWarps = 3;  // of a block

/// A direction's barriers: each kind of fronts its own, since they go on where others have been.
struct Barriers {
  TileBarriers tiles;
  WarpBarriers narrow[kNarrowWarps], small[kSmallWarps];
};

template <class S>
struct Shared {
  Barriers direction[2];
  union {
    TileShared<S> tiles;
    WarpShared<S, 32> narrow[kNarrowWarps];
    WarpShared<S, 64> small[kSmallWarps];
  };
};

/// What sweeps through tiles are done in.
template <class S>
struct Tiles {
  TileShared<S>& data;
  TileBarriers& barrier;
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

/// Where a lane stands: warp w has rows, or columns, 16 w to 16 w + 15 of a tile, lane 4 g + t row g of a cell, and columns 2 t, 2 t + 1.
struct Lane {
  int warp, lane, g, t;
};

/// All threads that multiply.
__device__ inline void together() { ptx::named_sync(kBarrier, 32 * kMultipliers); }

/// multiply() by the warps that multiply, with kMultiplying registers a thread instead of kAll, and load_numbers(warp) by the others, which
/// leave them those registers. The four warps of either group meet before they change their registers again, as PTX asks for. Warps that
/// load take theirs back after all warps that multiply have left them: in a block without tasks they are done while a warp that multiplies
/// may still wait for its own, and would take what it waits for; then both groups waited for ever.
template <int kAll, int kMultiplying, class Multiply, class Load>
__device__ void multiply_and_load(const Multiply& multiply, const Load& load_numbers) {
  constexpr int kBringing = 2 * kAll - kMultiplying;
  const int warp = ptx::thread_index() / 32;
  if (warp < kMultipliers) {
    ptx::take_registers<kAll, kMultiplying>();
    multiply();
    together();
    ptx::leave_registers<kMultiplying, kAll>();
    ptx::named_sync(kLeftBarrier, kThreads);
  } else {
    ptx::leave_registers<kAll, kBringing>();
    load_numbers(warp);
    ptx::named_sync(kLeftBarrier, kThreads);
    ptx::take_registers<kBringing, kAll>();
  }
}

__device__ inline Index last_column(const SweepTask& task, Index row, Index pivots) {
  return min(task.column + task.columns, min(row, pivots));
}

/// True where task tiles are multiplied by what the task itself has just made.
__device__ inline bool reads_own(const SweepTask& task, Index row) { return row > 0 && task.row == 0; }

/// True where tile row `row` of a task, in the forward sweep, or its column in the backward one, ends with a product of its inverse and the
/// last tile: then it goes on from the numbers of the tile before it by one product (FrontCells::forward_product).
__device__ inline bool ends_with_product(const SweepTask& task, Index row, Index pivots) {
  return task.kind != SweepTask::Kind::part && row > 0 && row < pivots;
}
__device__ inline bool ends_with_product_back(const SweepTask& task, Index pivots) {
  return task.kind != SweepTask::Kind::part && task.column + 1 < pivots;
}

/// Of an entry of L.
template <class S>
constexpr int kBytes = static_cast<int>(sizeof(S));

/// What a backward sweep begins with, as a caller would have it who asked for the forward sweep alone: parts of a solve have the bits of
/// the whole.
template <class S>
__device__ inline double handed_on(double y) {
  return static_cast<double>(static_cast<S>(y));
}

/// Two neighbours of L, at once.
__device__ inline double2 pair_at(const double* p) { return *reinterpret_cast<const double2*>(p); }
__device__ inline double2 pair_at(const float* p) {
  const float2 pair = *reinterpret_cast<const float2*>(p);
  return {static_cast<double>(pair.x), static_cast<double>(pair.y)};
}

/// Entries of the inverse of a tile of so many cells.
__device__ inline int blocks_of(Index cells) { return (cells + 1) / 2; }

__device__ inline void set_up(Barriers& barriers) {
  TileBarriers& tiles = barriers.tiles;
  for (int k = 0; k < kStages; ++k) ptx::barrier_init(&tiles.full[k], 1), ptx::barrier_init(&tiles.empty[k], kMultipliers);
  for (int k = 0; k < kInputs; ++k) ptx::barrier_init(&tiles.input_full[k], 1), ptx::barrier_init(&tiles.input_empty[k], kMultipliers);
  for (int k = 0; k < 2; ++k) {
    ptx::barrier_init(&tiles.start_full[k], 2), ptx::barrier_init(&tiles.start_empty[k], kMultipliers);
    ptx::barrier_init(&tiles.task_full[k], 1), ptx::barrier_init(&tiles.task_empty[k], kMultipliers + 3);
    for (WarpBarriers& warp : barriers.narrow) ptx::barrier_init(&warp.full[k], 1);
    for (WarpBarriers& warp : barriers.small) ptx::barrier_init(&warp.full[k], 1);
  }
}

}  // namespace kauri::numeric::cuda::sweep
