// The loader of a solve of several right-hand sides: the warp that draws tickets and fills the ring
// with tiles of L and inverses, as single/load.cuh does.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/solve/multi/shared.cuh"
#include "numeric/cuda/solve/single/load.cuh"

namespace kauri::numeric::cuda::sweep::multi {

/// The loader's side of the ring of stages in shared memory, which it fills. For each stage:
/// begin(), copy() once or more, end(). Called by the lanes that take part (single/loads.cuh).
template <class K>
class Stages {
 public:
  using S = typename K::S;
  using Loads = typename K::Loads;
  __device__ explicit Stages(const Tiles<K>& shared) : shared_(shared) {}
  /// Waits until the next stage is free, announces `bytes` bytes of copies to its barrier, and
  /// returns it.
  __device__ S* begin(int bytes) {
    ptx::barrier_wait(&shared_.barrier.empty[turn_.at], turn_.phase ^ 1);
    Loads::begin(bytes, &shared_.barrier.full[turn_.at]);
    return shared_.data.stage[turn_.at];
  }
  __device__ void copy(S* to, const S* from, int entries) {
    Loads::copy(to, from, entries * kBytes<S>, &shared_.barrier.full[turn_.at]);
  }
  __device__ void end() {
    Loads::end(&shared_.barrier.full[turn_.at]);
    turn_.next();
  }

 private:
  const Tiles<K>& shared_;
  Turn<RingLengths<K>::kStages> turn_;
};

template <bool kForward, class K>
__device__ void load_task(Stages<K>& stages, const SweepTask& task, const Front& front,
                          const typename K::Memory& memory) {
  const FrontCells cells{front.m, front.p};
  const auto *panel = memory.numbers.l + front.panel, *inverses = memory.numbers.l + front.inverses;
  const Index pivots = cells.pivot_tiles();
  if constexpr (kForward) {
    for (Index i = task.row; i < task.row + task.rows; ++i) {
      const bool product = ends_with_product(task, i, pivots);
      for (Index k = task.column, end = last_column(task, i, pivots) - (product ? 1 : 0); k < end;
           ++k)
        load_tile(stages, panel, cells, i, k);
      if (i < pivots && task.kind != SweepTask::Kind::part)
        load_inverse(stages, inverses + Offset{i} * symbolic::kTileInverseEntries,
                     sweep::blocks_of(cells.cells_of(i)));
      if (product) load_product(stages, inverses + cells.forward_product(i));
    }
  } else {
    const bool product = ends_with_product_back(task, pivots);
    for (Index i = task.row + task.rows, first = task.row + (product ? 1 : 0); i-- > first;)
      load_tile_back(stages, panel, cells, i, task.column);
    if (task.kind != SweepTask::Kind::part)
      load_inverse(stages, inverses + Offset{task.column} * symbolic::kTileInverseEntries,
                   sweep::blocks_of(cells.cells_of(task.column)));
    if (product) load_product(stages, inverses + cells.backward_product(task.column));
  }
}

/// Prefetches `count` words of 4 bytes to the L2 cache, rounded out to whole units of 16 bytes.
template <class Loads>
__device__ void prefetch_words(const void* from, Index count) {
  const auto at = reinterpret_cast<std::uintptr_t>(from), begin = at & ~std::uintptr_t{15};
  if (count > 0)
    Loads::prefetch(reinterpret_cast<const void*>(begin),
                    static_cast<int>((at + 4 * static_cast<unsigned>(count) - begin + 15) & ~15u));
}

/// Prefetches to the L2 cache the lists, and b or y, that a task reads before it can load any
/// number: no block has read these lately. Called by the lanes that take part in loads.
template <bool kForward, class K>
__device__ void prefetch_task(const SweepTask& task, const Front& front, const SweepView& view,
                              const typename K::Memory& memory) {
  using Loads = typename K::Loads;
  const FrontCells cells{front.m, front.p};
  const bool whole = task.kind != SweepTask::Kind::part;
  const Index begin = cells.first_row(task.row), below = max(begin, front.p);
  const Index end = task.rows > 0 ? cells.first_row(task.row + task.rows - 1) +
                                        cells.rows_of(task.row + task.rows - 1)
                                  : begin;
  const auto numbers = [&](const typename K::N* array, Index first) {
    if (const Index rows = min(front.p - first, kTile); rows > 0)
      Loads::prefetch(array + Offset{front.first + first} * K::kWidth,
                      rows * K::kWidth * static_cast<int>(sizeof(typename K::N)));
  };
  if constexpr (kForward) {
    if (!whole) return;
    prefetch_words<Loads>(view.ptr + front.row + task.front + begin, end - begin + 1);
    prefetch_words<Loads>(view.slot + front.relative + below - front.p, end - below);
    numbers(memory.rows, begin);
  } else {
    prefetch_words<Loads>(view.row + front.row + below, end - below);
    if (whole) numbers(memory.numbers.y, task.column * kTile);
  }
}

/// Draws tickets until none is left, and fills the ring with the data of their tasks. At the end
/// stores a task whose front is kNone, at which the other warps return. Called by the loader warp.
template <bool kForward, class K>
__device__ void run_loader(const Tiles<K>& shared, const SweepView& view,
                           const typename K::Memory& memory) {
  const SweepTask* tasks = kForward ? view.forward : view.backward;
  const Index count = kForward ? view.forward_tasks : view.backward_tasks;
  int* ticket = memory.numbers.ticket + (kForward ? 0 : 1);
  const int lane = ptx::thread_index() % 32;
  Stages<K> stages(shared);
  for (Turn<2> turn;; turn.next()) {
    ptx::barrier_wait(&shared.barrier.task_empty[turn.at], turn.phase ^ 1);
    int drawn = 0;
    if (lane == 0) drawn = atomicAdd(ticket, 1) + 1;
    drawn = __shfl_sync(kAll, drawn, 0);
    watchdog::hand_on(turn.at, drawn);
    SweepTask& task = shared.data.task[turn.at];
    if (drawn < count)
      kernels::copy_words(task, tasks[drawn], lane);
    else if (lane == 0)
      task.front = kNone;
    __syncwarp();
    if (drawn < count)
      kernels::copy_words(shared.data.front[turn.at], view.front[task.front], lane);
    __syncwarp();
    if (K::Loads::takes_part(lane)) {
      if (lane == 0) ptx::barrier_arrive(&shared.barrier.task_full[turn.at]);
      const bool loads = drawn < count && task.kind != SweepTask::Kind::gather;
      if (loads) prefetch_task<kForward, K>(task, shared.data.front[turn.at], view, memory);
      if (loads) load_task<kForward>(stages, task, shared.data.front[turn.at], memory);
    }
    __syncwarp();
    if (drawn >= count) return;
  }
}

}  // namespace kauri::numeric::cuda::sweep::multi
