// Tasks of fronts of floats on Hopper: four warps that multiply, by a loop of portable_loops.cuh, and a warp that streams what they
// multiply to them by bulk copies, as update.cuh has it. All but the products is that of the portable kernel, in memory beside the stages,
// and the bits are the same.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/kernels/draw.cuh"
#include "numeric/cuda/kernels/portable_chain.cuh"

namespace kauri::numeric::cuda::kernels::streamed {

using portable::kTileCells;
using portable::Member;
using portable::Place;
using portable::Room;

inline constexpr int kThreads = 2 * kConsumers;  // registers are given to groups of four warps: of the second, one works
inline constexpr int kTicketSlots = 2;
inline constexpr int kTeamBarrier = portable::kSlabBarrier + kSlabs;  // after those of chains

/// A ticket, and what it stands for, brought by the producer.
template <class T>
struct Ticket {
  FrontViewOf<T> front;
  FrontTask task;
  int number;
  unsigned turn;  // stages entered before those of the task
};

template <class T>
struct Shared {
  T stages[kStages * kStageEntries];
  T work[portable::kWorkEntries];
  T reciprocals[kTile];
  T columns[2 * kSlabColumns];
  std::uint64_t stage[2 * kStages];  // full, then empty
  std::uint64_t ticket_full[kTicketSlots], ticket_empty[kTicketSlots];
  Ticket<T> ticket[kTicketSlots];
};

template <class T>
__device__ __forceinline__ Shared<T>& shared_memory() {
  extern __shared__ __align__(128) unsigned char bytes[];
  return *reinterpret_cast<Shared<T>*>(bytes);
}

/// A team whose operands a producer brings (portable::Alone: the other kind).
template <class LoopOf>
struct Streamed {
  using Loop = LoopOf;
  using T = typename Loop::T;

  __device__ static Room<T> room() {
    Shared<T>& shared = shared_memory<T>();
    return {shared.work, shared.reciprocals, shared.columns};
  }
  __device__ static void sync() { ptx::named_sync(kTeamBarrier, kConsumers); }
  /// Others read it by bulk copies.
  __device__ static void publish() { ptx::proxy_fence(); }
};

template <class T>
__device__ void start() {
  Shared<T>& shared = shared_memory<T>();
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      ptx::barrier_init(shared.stage + s, 1);
      ptx::barrier_init(shared.stage + kStages + s, kConsumerWarps);
    }
    for (int s = 0; s < kTicketSlots; ++s) {
      ptx::barrier_init(shared.ticket_full + s, 1);
      ptx::barrier_init(shared.ticket_empty + s, kConsumerWarps);
    }
    ptx::barrier_init_fence();
  }
  __syncthreads();
}

/// Draws tickets, hands them to the consumers, copies what they multiply: one ticket ahead of them, except where a task may wait for later
/// tickets. One warp.
template <class T>
__device__ void run_producer(const FrontViewOf<T>* fronts, const FrontTask* tasks, int task_count, int* next, unsigned pauses, int lane) {
  Shared<T>& shared = shared_memory<T>();
  RingOf<T> ring{shared.stages, shared.stage};
  bool wait_for_consumers = false;
  for (int draw = 0;; ++draw) {
    const int slot = draw % kTicketSlots, turn = draw / kTicketSlots;
    if (draw >= kTicketSlots) ptx::barrier_wait(shared.ticket_empty + slot, (turn - 1) & 1);
    if (wait_for_consumers) ptx::barrier_wait(shared.ticket_empty + (slot ^ 1), ((draw - 1) / kTicketSlots) & 1);
    Ticket<T>& ticket = shared.ticket[slot];
    const int number = draw_ticket(ticket, fronts, tasks, task_count, next, ring.turn, lane);
    if (lane == 0) ptx::barrier_arrive(shared.ticket_full + slot);
    if (number >= task_count) return;
    pause(pauses, number, kConsumerWarps);
    const TaskKind kind = ticket.task.kind;
    wait_for_consumers = kind == TaskKind::chain || kind == TaskKind::prepare;
    if (kind != TaskKind::fill && kind != TaskKind::sum && kind != TaskKind::chain) {
      if (lane == 0) {
        prefetch_tiles(ticket.task, ticket.front);
        produce_products(ticket.task, ticket.front, ring, true);
      }
      ring.turn = __shfl_sync(0xffffffffu, ring.turn, 0);
    }
    __syncwarp();
  }
}

/// A stage with one column of cells to the work room, zeros beside it, as multiply() wants it. The whole team.
template <class Kernel, class T = typename Kernel::T>
__device__ __forceinline__ const T* spread(const T* stage, const Member& me) {
  constexpr int kUnit = portable::kUnit<T>;
  T* work = Kernel::room().work;
  const T zeros[kUnit] = {};
  for (int e = me.thread() * kUnit; e < 3 * kTileCells * kCellEntries; e += kConsumers * kUnit) {
    const int tile = e / (kTileCells * kCellEntries), cell = e / kCellEntries % kTileCells;
    T* to = work + tile * kSlabEntries + cell * portable::kPairEntries + e % kCellEntries;
    T unit[kUnit];
    portable::load_unit(unit, stage + tile * kSlabEntries + e % (kTileCells * kCellEntries));
    portable::store_unit(to, unit);
    portable::store_unit(to + kCellEntries, zeros);
  }
  Kernel::sync();
  return work;
}

/// The products of a task, from zero. Returns whether a part of them is in memory. The last stage is not left yet.
template <class Kernel, class Loop = typename Kernel::Loop, class T = typename Loop::T>
__device__ __forceinline__ bool add_products(typename Loop::Accumulators& acc, const FrontTask& task, const FrontViewOf<T>& front,
                                             const Levels& levels, int least_part, RingOf<T>& ring, const Place& place, const Member& me) {
  const int cells = cells_in(front, products_of(task, front)), slabs = (cells + 1) / 2, part = part_of(slabs, least_part);
  bool parts = false;
  portable::set_zero<Loop>(acc);
  for (int slab = 0, end = part; slab < slabs; ++slab) {
    if (slab == end) {
      end += part;
      if (place.active) portable::put_part_aside<Loop>(acc, task, front, levels, place, parts, me.lane);
    }
    enter_stage(ring);
    const T* stage = 2 * slab + 1 < cells ? ring.data() : spread<Kernel>(ring.data(), me);
    if (place.active)
      Loop::multiply(acc, stage + place.tile * kSlabEntries + place.row_cell * portable::kPairEntries, stage + 2 * kSlabEntries, 0,
                     kTileCells, me.lane);
    ++ring.turn;
  }
  if (cells % 2 != 0) Kernel::sync();  // the work room is free again
  return parts;
}

/// All of a task on tiles but its announcement.
template <class Kernel, class T = typename Kernel::T>
__device__ __forceinline__ void run_tiles(const Ticket<T>& ticket, const Levels& levels, int least_part) {
  using Loop = typename Kernel::Loop;
  Shared<T>& shared = shared_memory<T>();
  const FrontTask& task = ticket.task;
  const FrontViewOf<T>& front = ticket.front;
  const Member me = portable::this_thread();
  const Place place = portable::place_of(task, front, me.warp);
  RingOf<T> ring{shared.stages, shared.stage, ticket.turn, ticket.turn};
  typename Loop::Accumulators acc;
  const bool parts = add_products<Kernel>(acc, task, front, levels, least_part, ring, place, me);
  if (place.active) portable::subtract_beginning<Loop>(acc, task, front, place, parts, me.lane);
  leave_stage(ring);
  portable::finish_tiles<Kernel>(acc, task, front, levels, place, me);
}

/// Four warps.
template <class Kernel, class T = typename Kernel::T>
__device__ __forceinline__ void run_consumers(int task_count, const Levels& levels, const ValuesOf<T>& values, const SumsOf<T>& sums,
                                              int least_part, unsigned pauses) {
  Shared<T>& shared = shared_memory<T>();
  for (int draw = 0;; ++draw) {
    const int slot = draw % kTicketSlots;
    ptx::barrier_wait(shared.ticket_full + slot, (draw / kTicketSlots) & 1);
    const Ticket<T>& ticket = shared.ticket[slot];
    if (ticket.number >= task_count) return;
    pause(pauses, ticket.number, portable::this_thread().warp);
    __syncwarp();
    if (ticket.task.kind == TaskKind::chain) {
      portable::run_chain<Kernel>(ticket.front, levels);
    } else {
      if (!portable::fill_or_sum<Kernel>(ticket.task, ticket.front, levels, values, sums)) run_tiles<Kernel>(ticket, levels, least_part);
      portable::announce<Kernel>(ticket.task, ticket.front, levels);
    }
    __syncwarp();
    if (ptx::elect()) ptx::barrier_arrive(shared.ticket_empty + slot);
  }
}

}  // namespace kauri::numeric::cuda::kernels::streamed
