// Tasks of fronts by teams that are blocks and copy the operands of products themselves, some
// stages ahead: for doubles, whose accumulators leave no registers for a fifth warp (supplied.cuh).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/tiled/draw.cuh"
#include "numeric/cuda/factor/tiled/portable/chain.cuh"

namespace kauri::numeric::cuda::kernels::portable {

/// Shared memory of a block; beside that of any team the ticket with its task and front.
template <class T>
struct AloneShared : TeamMemory<T> {
  FrontTask task;
  FrontViewOf<T> front;
  int ticket;
};

/// A team that is a block and copies its operands itself.
template <class Loop>
struct Alone : TeamOf<Loop, AloneShared<typename Loop::T>> {
  __device__ static void sync() { __syncthreads(); }
};

/// The operands of a task's products, `slabs` slabs one after another, which go through kStageCount
/// stages in shared memory.
template <class T>
struct Operands {
  const FrontTask& task;
  const FrontViewOf<T>& front;
  T* stages;
  int slabs;
  int ready;  // number of slabs of L known to be finished

  /// Waits until slab `slab` of L is finished in the task's tile rows and in tile row task.column.
  /// Called by each warp for itself.
  __device__ void wait_for(int slab, int lane) {
    if (ready > slab) return;
    const int seen = lane == 0 ? wait_for_slabs(task, front, slab + 1) : 0;
    ready = __shfl_sync(0xffffffffu, seen, 0);
    __syncwarp();
  }

  /// Begins to copy a slab to its stage if slab < slabs; commits a group of copies in either case.
  /// Called by all threads of the team.
  __device__ void load_slab(int slab, const Member& me) {
    if (slab < slabs) {
      wait_for(slab, me.lane);
      copy_stage(stages + slab % kStageCount * kStageEntries, task, front, slab, me.thread(),
                 kThreads);
    }
    ptx::commit_copies();
  }
};

/// Sets acc to the sum of the task's products; their first kStageCount - 1 stages are being copied.
/// Returns true if the tile in memory holds minus earlier parts of the sum, which are not in acc.
/// `least_part`: as `least` of part_of(). At the return no thread reads the stages any more. Called
/// by the whole team.
template <class Loop>
__device__ __forceinline__ bool add_products(typename Loop::Accumulators& acc,
                                             Operands<typename Loop::T>& operands,
                                             const Levels& levels, int least_part,
                                             const WarpTile& place, const Member& me) {
  const int slabs = operands.slabs, part = part_of(slabs, least_part);
  bool parts = false;
  set_zero<Loop>(acc);
  for (int slab = 0; slab < slabs; ++slab) {
    if (slab > 0 && slab % part == 0 && place.active)
      put_part_aside<Loop>(acc, operands.task, operands.front, levels, place, parts, me.lane);
    ptx::wait_for_copies<kStageCount - 2>();
    __syncthreads();  // the stage is complete, and no thread reads the one before
    operands.load_slab(slab + kStageCount - 1, me);
    const typename Loop::T* stage = operands.stages + slab % kStageCount * kStageEntries;
    if (place.active)
      multiply_all<Loop>(acc, stage + place.tile * kSlabEntries + place.row_cell * kPairEntries,
                         stage + 2 * kSlabEntries, me.lane);
  }
  ptx::wait_for_copies<0>();
  __syncthreads();
  return parts;
}

/// Executes the block's task, one with products (kinds prepare, panel, contribution), but does not
/// announce it. `least_part`: as `least` of part_of(). Called by the whole team.
template <class Loop>
__device__ __forceinline__ void run_tiles(const Levels& levels, int least_part) {
  using T = typename Loop::T;
  AloneShared<T>& shared = shared_memory<AloneShared<T>>();
  const FrontTask& task = shared.task;
  const FrontViewOf<T>& front = shared.front;
  const Member me = this_thread();
  const int products = products_of(task, front);
  Operands<T> operands{task, front, shared.stages, slabs_in(front, products), 0};
  const WarpTile place = place_of(task, front, me.warp);
  typename Loop::Accumulators beginning;  // in local memory; loaded before the products, so that
                                          // its waits are over when the operands are there
  if (place.active) load_beginning<Loop>(beginning, task, front, place, me.lane);
#pragma unroll 1
  for (int slab = 0; slab < kStageCount - 1; ++slab) operands.load_slab(slab, me);
  typename Loop::Accumulators acc;
  const bool parts = add_products<Loop>(acc, operands, levels, least_part, place, me);
  if (place.active) add<Loop>(acc, beginning);
  finish_tiles<Alone<Loop>>(acc, task, front, levels, place, parts, me, [](int) {});
}

/// Draws and executes tasks until none is left. Called by all threads of the block.
template <class Loop>
__device__ __forceinline__ void run_alone(const FrontViewOf<typename Loop::T>* fronts,
                                          const FrontTask* tasks, int task_count, int* next,
                                          const Levels& levels,
                                          const ValuesOf<typename Loop::T>& values,
                                          const SumsOf<typename Loop::T>& sums, int least_part,
                                          unsigned pauses) {
  AloneShared<typename Loop::T>& shared = shared_memory<AloneShared<typename Loop::T>>();
  for (;;) {
    __syncthreads();  // all warps are done with the task before
    const Member me = this_thread();
    if (me.warp == 0) {
      int ticket = 0;
      if (me.lane == 0) shared.ticket = ticket = atomicAdd(next, 1);
      ticket = __shfl_sync(0xffffffffu, ticket, 0);
      if (ticket < task_count) {
        copy_words(shared.task, tasks[ticket], me.lane);
        copy_words(shared.front, fronts[tasks[ticket].front], me.lane);
      }
    }
    __syncthreads();
    if (shared.ticket >= task_count) return;
    watchdog::take(shared.ticket);
    pause(pauses, shared.ticket, me.warp);
    __syncwarp();
    const TaskKind kind = shared.task.kind;
    if (kind == TaskKind::chain) {
      run_chain<Alone<Loop>>(shared.front, levels);
      continue;
    }
    if (!fill_or_sum<Alone<Loop>>(shared.task, shared.front, levels, values, sums))
      run_tiles<Loop>(levels, least_part);
    announce<Alone<Loop>>(shared.task, shared.front, levels);
  }
}

}  // namespace kauri::numeric::cuda::kernels::portable
