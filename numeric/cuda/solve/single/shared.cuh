// Shared memory of a block that sweeps through fronts: rings for tiled fronts (tiles.cuh), panels
// for others. S, here and in files that include this: the scalar of L, of the inverses and products
// beside it, and of the caller's vectors. L in float becomes double when it is read; numbers, sums
// and products are in double in either case.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/plan/tile.cuh"
#include "numeric/cuda/solve/single/flags.cuh"

namespace kauri::numeric::cuda::sweep {

using symbolic::kCellEntries;
using symbolic::SweepTask;
namespace ptx = kernels::ptx;

constexpr int kMultipliers = 4, kLoader = 4, kInput = 5,
              kStart = 6;  // warps; the last two load the numbers that sums start from
constexpr int kThreads = 32 * 8;
constexpr int kResident = 3;  // blocks per multiprocessor
constexpr int
    kRegisters = 80,
    kMultiplierRegisters =
        112;  // per thread: of the kernel, and of the multiplying warps while there are tiles
constexpr int kStages = 4;  // stages of the ring: a tile and the inverse after it
constexpr int kStageEntries = 2048;
constexpr int kInputs = 4;               // tiles of numbers to multiply by
constexpr int kPair = 2 * kCellEntries;  // entries of one cell row of a pair of columns
constexpr int kForwardPair = symbolic::kTileCells * kPair;  // a stage forward: two pairs of a tile
constexpr int kBackwardPair =
    symbolic::kTileCells / 2 * kPair;  // backward: four pairs of half a tile
constexpr int kFirstBlocks =
    6;  // blocks of an inverse in its first stage: its first three block rows
constexpr int kBarrier = 1,
              kLeftBarrier = 2;  // named barriers: of the multiplying warps, and of all warps

template <class S>
struct TileShared {
  S stage[kStages][kStageEntries];
  double input[kInputs][kTile];
  double start[2][2 * kTile];  // backward: then the rounding errors of these sums
  double sum[2][kTile];  // sums of the rows of a diagonal tile, to be multiplied by its inverse
  double own[kTile];     // the product, the numbers of that tile
  double rest[kTile];    // the residual of a correction
  std::uint32_t place[2][kTile];  // forward: places of update rows; backward: rows of x in the
                                  // caller's numbering
  SweepTask task[2];
  Front front[2];
};
struct TileBarriers {
  std::uint64_t full[kStages], empty[kStages], input_full[kInputs], input_empty[kInputs],
      start_full[2], start_empty[2], task_full[2], task_empty[2];
};

/// Shared memory of a warp that takes narrow or small fronts: panels of two of them, one from the
/// beginning and one to the end, if both fit.
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

constexpr int kNarrowWarps = 8, kSmallWarps = 3;  // warps of a block that take fronts

/// Barriers of one direction: each kind of fronts has its own, since fronts of one kind follow
/// those of another.
struct Barriers {
  TileBarriers tiles;
  WarpBarriers narrow[kNarrowWarps], small[kSmallWarps];
};

template <class S>
struct SweepShared {
  Barriers direction[2];
  union {
    TileShared<S> tiles;
    WarpShared<S, 32> narrow[kNarrowWarps];
    WarpShared<S, 64> small[kSmallWarps];
  };
};

/// Shared memory and barriers of a sweep through tiles.
template <class S>
struct Tiles {
  TileShared<S>& data;
  TileBarriers& barrier;
};

/// Position in a ring of barriers, and the phase to wait for there.
template <int kSize>
struct Turn {
  int at = 0;
  unsigned phase = 0;
  __device__ void next() {
    if (++at == kSize) at = 0, phase ^= 1;
  }
};

/// A lane's position: warp w has rows, or columns, 16 w to 16 w + 15 of a tile, lane 4 g + t has
/// row g of a cell and columns 2 t, 2 t + 1.
struct Lane {
  int warp, lane, g, t;
};

/// Synchronises all threads that multiply.
__device__ inline void together() { ptx::named_sync(kBarrier, 32 * kMultipliers); }

/// Calls multiply() in the warps that multiply, with kMultiplying registers per thread instead of
/// kAll, and load_numbers(warp) in the others, which give them these registers. The four warps of
/// either group meet before they change their registers again, as PTX requires. The loading warps
/// take their registers back after all multiplying warps have given them up: in a block without
/// tasks they finish while a multiplying warp may still wait for its registers, and would take
/// those that it waits for; then both groups waited forever.
template <int kAll, int kMultiplying, class Multiply, class Load>
__device__ void multiply_and_load(const Multiply& multiply, const Load& load_numbers) {
  constexpr int kLoading = 2 * kAll - kMultiplying;
  const int warp = ptx::thread_index() / 32;
  if (warp < kMultipliers) {
    ptx::take_registers<kAll, kMultiplying>();
    multiply();
    together();
    ptx::leave_registers<kMultiplying, kAll>();
    ptx::named_sync(kLeftBarrier, kThreads);
  } else {
    ptx::leave_registers<kAll, kLoading>();
    load_numbers(warp);
    ptx::named_sync(kLeftBarrier, kThreads);
    ptx::take_registers<kLoading, kAll>();
  }
}

__device__ inline Index last_column(const SweepTask& task, Index row, Index pivots) {
  return min(task.column + task.columns, min(row, pivots));
}

/// Returns true if the tiles of a task are multiplied by numbers that the task itself has just
/// made.
__device__ inline bool reads_own(const SweepTask& task, Index row) {
  return row > 0 && task.row == 0;
}

/// Returns true if tile row `row` of a task, in the forward sweep, or its column in the backward
/// one, ends with the product of its inverse and the last tile: one product then leads from the
/// numbers of the tile before to those of this one (FrontCells::forward_product).
__device__ inline bool ends_with_product(const SweepTask& task, Index row, Index pivots) {
  return task.kind != SweepTask::Kind::part && row > 0 && row < pivots;
}
__device__ inline bool ends_with_product_back(const SweepTask& task, Index pivots) {
  return task.kind != SweepTask::Kind::part && task.column + 1 < pivots;
}

/// Bytes of an entry of L.
template <class S>
constexpr int kBytes = static_cast<int>(sizeof(S));

/// Rounds y to S, as a forward sweep alone hands it to the caller: so a forward and a backward
/// sweep apart give the bits of both in one call.
template <class S>
__device__ inline double handed_on(double y) {
  return static_cast<double>(static_cast<S>(y));
}

/// Loads two adjacent entries of L by one instruction. p must be aligned to the pair.
__device__ inline double2 pair_at(const double* p) { return *reinterpret_cast<const double2*>(p); }
__device__ inline double2 pair_at(const float* p) {
  const float2 pair = *reinterpret_cast<const float2*>(p);
  return {static_cast<double>(pair.x), static_cast<double>(pair.y)};
}

/// Returns the number of 16 x 16 blocks along the side of a tile of `cells` cells.
__device__ inline int blocks_of(Index cells) { return (cells + 1) / 2; }

__device__ inline void set_up(Barriers& barriers) {
  TileBarriers& tiles = barriers.tiles;
  for (int k = 0; k < kStages; ++k)
    ptx::barrier_init(&tiles.full[k], 1), ptx::barrier_init(&tiles.empty[k], kMultipliers);
  for (int k = 0; k < kInputs; ++k)
    ptx::barrier_init(&tiles.input_full[k], 1),
        ptx::barrier_init(&tiles.input_empty[k], kMultipliers);
  for (int k = 0; k < 2; ++k) {
    ptx::barrier_init(&tiles.start_full[k], 2),
        ptx::barrier_init(&tiles.start_empty[k], kMultipliers);
    ptx::barrier_init(&tiles.task_full[k], 1),
        ptx::barrier_init(&tiles.task_empty[k], kMultipliers + 3);
    for (WarpBarriers& warp : barriers.narrow) ptx::barrier_init(&warp.full[k], 1);
    for (WarpBarriers& warp : barriers.small) ptx::barrier_init(&warp.full[k], 1);
  }
}

}  // namespace kauri::numeric::cuda::sweep
