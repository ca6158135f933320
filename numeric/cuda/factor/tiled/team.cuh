// A team of warps, which executes one task of a front at a time; in Hopper's kernel of doubles four
// consumers, a producer and a fetcher. Here are the ring of stages between producer and consumers,
// and values that both derive from a task. A block of that kernel has two teams, since two sets of
// accumulators fill the registers of a multiprocessor.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/tiled/correction.cuh"
#include "numeric/cuda/factor/tiled/extend_add.cuh"
#include "numeric/cuda/factor/tiled/tile_registers.cuh"

namespace kauri::numeric::cuda::kernels {

using symbolic::FrontTask;
using symbolic::TaskKind;

inline constexpr int kConsumerWarps = 4;
inline constexpr int kConsumers = 32 * kConsumerWarps;
inline constexpr int kChainThreads =
    kConsumers + 64;  // threads of a team: the consumers, and its producer and fetcher, a warp each
inline constexpr unsigned kStages = 4;
inline constexpr int kStageEntries =
    3 * kSlabEntries;  // entries of a stage: slabs of the two row tiles, then of the column's tile
inline constexpr int kTeamBarriers = 8;

/// A thread's place: warp of its team (4: the producer, 5: the fetcher), lane, and the team's first
/// named barrier.
struct Member {
  int warp;
  int lane;
  int barriers;

  /// Returns the Member of the calling consumer, its warp and lane read again: kept, it and values
  /// derived from it would be spilled.
  __device__ Member again() const {
    const unsigned thread = static_cast<unsigned>(ptx::thread_index());
    return {static_cast<int>(thread / 32 % kConsumerWarps), static_cast<int>(thread % 32),
            barriers};
  }
  __device__ void sync_consumers() const { ptx::named_sync(barriers, kConsumers); }
};

/// A ring of stages in shared memory. Each stage has two barriers, one completed by the bytes of a
/// stage, one by the four warps that read it, and in Hopper's kernel of doubles a word: with the
/// stages of a panel task's solve, 1 if the block's inverse needs a correction. Only `turn` changes
/// from stage to stage, since registers are short where products are added.
template <class T, unsigned kLength = kStages>
struct RingOf {
  T* stages;
  std::uint64_t* barriers;
  unsigned turn = 0;        // number of stages entered so far
  unsigned left = 0;        // consumers: number of stages entered before those of the task, all
                            // left already
  const T* rows = nullptr;  // consumers: address of the warp's rows in the first stage

  __device__ unsigned stage() const { return turn % kLength; }
  __device__ unsigned parity() const { return turn / kLength % 2; }
  __device__ T* data() const { return stages + stage() * kStageEntries; }
  __device__ const T* warp_rows() const { return rows + stage() * kStageEntries; }
  __device__ std::uint64_t* full() const { return barriers + stage(); }
  __device__ std::uint64_t* empty() const { return barriers + kLength + stage(); }
  __device__ std::uint64_t* word() const { return barriers + 2 * kLength + stage(); }
  __device__ std::uint64_t* last_empty() const {
    return barriers + kLength + (turn + kLength - 1) % kLength;
  }
};
using Ring = RingOf<double>;

/// Returns the number of tile columns of L, from the first on, whose products the task (prepare,
/// panel, contribution) subtracts from its tiles.
template <class T>
__device__ inline int products_of(const FrontTask& task, const FrontViewOf<T>& front) {
  if (task.kind == TaskKind::contribution) return front.cells.pivot_tiles();
  return task.kind == TaskKind::panel ? task.column : task.column - 1;
}

/// Returns the number of cell columns in the first `tile_columns` tile columns of pivots.
template <class T>
__device__ inline int cells_in(const FrontViewOf<T>& front, int tile_columns) {
  return min(tile_columns * symbolic::kTileCells, front.cells.pivot_cells());
}

/// Returns the number of slabs (16 columns each) in the first `tile_columns` tile columns of
/// pivots; the front's last slab may have 8 columns.
template <class T>
__device__ inline int slabs_in(const FrontViewOf<T>& front, int tile_columns) {
  return (cells_in(front, tile_columns) + 1) / 2;
}

/// Returns the number of 16 x 16 blocks along the side of L(j,j).
__device__ inline int blocks_of(const FrontView& front, int j) {
  return (front.cells.cells_of(j) + 1) / 2;
}

/// Returns the address of the state of pivot tile k.
template <class T>
__device__ inline int* state_of(const FrontViewOf<T>& front, int k) {
  return front.counters + kRows + front.cells.row_tiles() + k;
}

/// Waits until the first `slabs` slabs of L are finished in the task's tile rows and in tile row
/// task.column. Returns the number of slabs that are finished in all of them. Called by one thread,
/// which reads all three counters at once: reading one after another took three times as long.
template <class T>
__device__ inline int wait_for_slabs(const FrontTask& task, const FrontViewOf<T>& front,
                                     int slabs) {
  const int* rows = front.counters + kRows;
  Watch watch;
  for (;;) {
    const int column = ptx::load_relaxed(rows + task.column),
              first = ptx::load_relaxed(rows + task.row);
    const int last = ptx::load_relaxed(rows + task.row + task.rows - 1);
    const int ready = min(column, min(first, last));
    if (ready >= slabs) {
      ptx::acquire_fence();
      return ready;
    }
    watch.look(Awaited::slabs,
               rows + (column == ready  ? task.column
                       : first == ready ? task.row
                                        : task.row + task.rows - 1),
               slabs, ready);
    __nanosleep(20);
  }
}

}  // namespace kauri::numeric::cuda::kernels
