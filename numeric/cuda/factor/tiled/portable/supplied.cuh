// Tasks of fronts by teams that a fifth warp of their block supplies: the producer draws tickets
// and copies the operands of products to a ring of stages, ahead of the team, also for the task
// after. Chains and panel tasks use the memory of the stages when they have no products left; then
// the producer waits. For floats: a fifth warp leaves 168 registers a thread, since two of a
// quarter of a multiprocessor's warps become three, and the accumulators of doubles need more.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/tiled/draw.cuh"
#include "numeric/cuda/factor/tiled/portable/chain.cuh"

namespace kauri::numeric::cuda::kernels::portable {

inline constexpr int kBlockThreads = kThreads + 32;  // threads of a block: the team, the producer
inline constexpr int kTeamBarrier = kLastRowsBarrier + 1;  // chains have the named barriers before
template <class T>
using StageRing = RingOf<T, kStageCount>;

/// Shared memory of a block; beside that of any team barriers and tickets.
template <class T>
struct SuppliedShared : TeamMemory<T> {
  std::uint64_t stage[2 * kStageCount];  // barriers of the ring: full, then empty
  std::uint64_t ticket_full[kTicketSlots], ticket_empty[kTicketSlots];
  Ticket<T> ticket[kTicketSlots];
};

/// A team whose operands a producer copies by asynchronous copies.
template <class Loop>
struct Supplied : TeamOf<Loop, SuppliedShared<typename Loop::T>> {
  __device__ static void sync() { ptx::named_sync(kTeamBarrier, kThreads); }
};

/// Prepares the barriers. Called by all threads of the block.
template <class T>
__device__ void start() {
  SuppliedShared<T>& shared = shared_memory<SuppliedShared<T>>();
  if (threadIdx.x == 0) {
    for (unsigned s = 0; s < kStageCount; ++s) {
      ptx::barrier_init(shared.stage + s, 32);  // each lane of the producer arrives
      ptx::barrier_init(shared.stage + kStageCount + s, kConsumerWarps);
    }
    for (int s = 0; s < kTicketSlots; ++s) {
      ptx::barrier_init(shared.ticket_full + s, 1);
      ptx::barrier_init(shared.ticket_empty + s, kConsumerWarps);
    }
  }
  __syncthreads();
}

// ---- The producer ----

/// Copies the operands of the task's products to the ring's stages, a slab each of the two row
/// tiles and of the column's tile, as soon as L's slabs are finished and the team has left the
/// stage. Called by the producer's warp.
template <class T>
__device__ void copy_operands(const FrontTask& task, const FrontViewOf<T>& front,
                              StageRing<T>& ring, int lane) {
  const int slabs = slabs_in(front, products_of(task, front));
  int ready = 0;  // number of slabs of L known to be finished
  for (int slab = 0; slab < slabs; ++slab, ++ring.turn) {
    if (ready <= slab) {
      if (lane == 0) ready = wait_for_slabs(task, front, slab + 1);
      ready = __shfl_sync(0xffffffffu, ready, 0);
      __syncwarp();
    }
    ptx::barrier_wait(ring.empty(), ring.parity() ^ 1);
    if (copy_stage(ring.data(), task, front, slab, lane, 32)) {
      ptx::arrive_after_copies(ring.full());
    } else {  // the arrival also releases the zeros in place of the second column
      ptx::commit_copies();
      ptx::wait_for_copies<0>();
      ptx::barrier_arrive(ring.full());
    }
  }
}

/// Draws tickets for the team and copies operands of products. Draws one ticket ahead of the team,
/// but not while a task runs that may wait for later tickets (chain, prepare). Called by the
/// producer's warp.
template <class T>
__device__ void run_producer(const FrontViewOf<T>* fronts, const FrontTask* tasks, int task_count,
                             int* next, unsigned pauses, int lane) {
  SuppliedShared<T>& shared = shared_memory<SuppliedShared<T>>();
  StageRing<T> ring{shared.stages, shared.stage};
  TaskKind before = TaskKind::fill;  // kind of the task before
  for (int draw = 0;; ++draw) {
    const int slot = draw % kTicketSlots;
    const auto wait_for_team = [&] {  // until it is done with the task before
      ptx::barrier_wait(shared.ticket_empty + (slot ^ 1), (draw - 1) / kTicketSlots & 1);
    };
    if (draw >= kTicketSlots)
      ptx::barrier_wait(shared.ticket_empty + slot, (draw / kTicketSlots - 1) & 1);
    if (before == TaskKind::chain || before == TaskKind::prepare) wait_for_team();
    Ticket<T>& ticket = shared.ticket[slot];
    const int number = draw_ticket(ticket, fronts, tasks, task_count, next, ring.turn, lane);
    if (lane == 0) ptx::barrier_arrive(shared.ticket_full + slot);
    if (number >= task_count) return;
    watchdog::take(number);
    pause(pauses, number, kConsumerWarps);
    if (before == TaskKind::panel) wait_for_team();
    before = ticket.task.kind;
    if (has_products(before)) copy_operands(ticket.task, ticket.front, ring, lane);
    __syncwarp();
  }
}

// ---- The team ----

/// Sets acc to the sum of the products of the task, whose stages begin with the ring's. Returns
/// true if the tile in memory holds minus earlier parts of the sum, which are not in acc.
/// `least_part`: as `least` of part_of(). Called by the whole team.
template <class Loop>
__device__ __forceinline__ bool add_supplied_products(typename Loop::Accumulators& acc,
                                                      const FrontTask& task,
                                                      const FrontViewOf<typename Loop::T>& front,
                                                      StageRing<typename Loop::T>& ring,
                                                      const Levels& levels, int least_part,
                                                      const WarpTile& place, int lane) {
  const int slabs = slabs_in(front, products_of(task, front)), part = part_of(slabs, least_part);
  bool parts = false;
  set_zero<Loop>(acc);
  for (int slab = 0; slab < slabs; ++slab, ++ring.turn) {
    if (slab > 0 && slab % part == 0 && place.active)
      put_part_aside<Loop>(acc, task, front, levels, place, parts, lane);
    ptx::barrier_wait(ring.full(), ring.parity());
    const typename Loop::T* stage = ring.data();
    if (place.active)
      multiply_all<Loop>(acc, stage + place.tile * kSlabEntries + place.row_cell * kPairEntries,
                         stage + 2 * kSlabEntries, lane);
    __syncwarp();  // all lanes have read the stage
    if (lane == 0) ptx::barrier_arrive(ring.empty());
  }
  return parts;
}

/// Executes a task with products (kinds prepare, panel, contribution), but does not announce it.
/// `least_part`: as `least` of part_of(). Called by the whole team.
template <class Loop>
__device__ __forceinline__ void run_supplied_tiles(int slot, const Levels& levels, int least_part) {
  using T = typename Loop::T;
  SuppliedShared<T>& shared = shared_memory<SuppliedShared<T>>();
  const Ticket<T>& ticket = shared.ticket[slot];
  const FrontTask& task = ticket.task;
  const FrontViewOf<T>& front = ticket.front;
  StageRing<T> ring{shared.stages, shared.stage, ticket.turn};
  const Member me = this_thread();
  const WarpTile place = place_of(task, front, me.warp);
  typename Loop::Accumulators beginning;  // in local memory; loaded before the products, so that
                                          // its waits are over when the operands are there
  if (place.active) load_beginning<Loop>(beginning, task, front, place, me.lane);
  typename Loop::Accumulators acc;
  const bool parts =
      add_supplied_products<Loop>(acc, task, front, ring, levels, least_part, place, me.lane);
  if (place.active) add<Loop>(acc, beginning);
  finish_tiles<Supplied<Loop>>(acc, task, front, levels, place, parts, me, [](int) {});
}

/// Executes the tasks that the producer draws. Called by the whole team.
template <class Loop, class T = typename Loop::T>
__device__ __forceinline__ void run_team(int task_count, const Levels& levels,
                                         const ValuesOf<T>& values, const SumsOf<T>& sums,
                                         int least_part, unsigned pauses) {
  SuppliedShared<T>& shared = shared_memory<SuppliedShared<T>>();
  for (int draw = 0;; ++draw) {
    const int slot = draw % kTicketSlots;
    ptx::barrier_wait(shared.ticket_full + slot, draw / kTicketSlots & 1);
    const Ticket<T>& ticket = shared.ticket[slot];
    if (ticket.number >= task_count) return;
    watchdog::take(ticket.number);
    pause(pauses, ticket.number, this_thread().warp);
    __syncwarp();
    if (ticket.task.kind == TaskKind::chain) {
      run_chain<Supplied<Loop>>(ticket.front, levels);
    } else {
      if (!fill_or_sum<Supplied<Loop>>(ticket.task, ticket.front, levels, values, sums))
        run_supplied_tiles<Loop>(slot, levels, least_part);
      announce<Supplied<Loop>>(ticket.task, ticket.front, levels);
    }
    __syncwarp();
    if (this_thread().lane == 0) ptx::barrier_arrive(shared.ticket_empty + slot);
  }
}

}  // namespace kauri::numeric::cuda::kernels::portable
