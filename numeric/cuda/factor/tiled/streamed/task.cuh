// Tasks of fronts of floats on Hopper. Four warps multiply, as a group (group_products.cuh); one
// warp streams their operands to them by bulk copies, as in tiled/update.cuh; two warps split the
// right operand; and one announces results to other teams, 16 columns at a time. All else but the
// products is the portable kernel's code, whose memory (Room) lies beside the stages.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/tiled/draw.cuh"
#include "numeric/cuda/factor/tiled/portable/chain.cuh"
#include "numeric/cuda/factor/tiled/streamed/half_products.cuh"

namespace kauri::numeric::cuda::kernels::streamed {

using portable::kTileCells;
using portable::Room;
using portable::WarpTile;

inline constexpr int kThreads = 2 * kConsumers;  // threads of a block; registers are given to
                                                 // groups of four warps
inline constexpr int kFirstSplitter = kConsumers + 32;  // first thread of the splitters
inline constexpr int kTeamBarrier =
    portable::kLastRowsBarrier + 1;  // named barriers before it are those of chains

template <class T>
struct StreamedShared {
  T stages[kStages * kStageEntries];
  T low[kStages * kSlabEntries];  // low parts of the right operands of each stage
  T work[portable::kWorkEntries];
  T reciprocals[kTile];
  T exchange[kExchangeEntries];
  std::uint64_t stage[2 * kStages];            // barriers of the ring: full, then empty
  std::uint64_t split[kStages];                // barriers: the stage's right operand is split into
                                               // its parts
  std::uint64_t solved[kTicketSlots][kSlabs];  // barriers: columns 16 s.. of a panel task are in
                                               // memory
  std::uint64_t ticket_full[kTicketSlots], ticket_empty[kTicketSlots];
  Ticket<T> ticket[kTicketSlots];
  int blocks;
};

template <class T>
__device__ __forceinline__ StreamedShared<T>& shared_memory() {
  extern __shared__ __align__(128) unsigned char bytes[];
  return *reinterpret_cast<StreamedShared<T>*>(bytes);
}

/// A team whose operands a producer warp copies; has the members of portable::Alone, the other
/// kind.
template <class LoopOf>
struct Streamed {
  using Loop = LoopOf;
  using T = typename Loop::T;

  static constexpr int kLeftSlabs =
      kSlabs;  // in the memory of the stages, where no copy writes during a chain
  static constexpr int kAnnouncers = 32;
  static_assert(2 * kLeftSlabs * portable::kWarpSlabEntries <=
                static_cast<int>(kStages) * kStageEntries);

  __device__ static Room<T> room() {
    StreamedShared<T>& shared = shared_memory<T>();
    return {shared.work, shared.reciprocals, shared.exchange, shared.stages, &shared.blocks};
  }
  __device__ static void sync() { ptx::named_sync(kTeamBarrier, kConsumers); }
  /// Orders this thread's writes before the bulk copies by which other teams read them.
  __device__ static void publish() { ptx::proxy_fence(); }
};

/// Returns the right operand in the ring's current stage, without x and lane.
template <class T>
__device__ __forceinline__ StageOperands right_operand(const RingOf<T>& ring) {
  return {nullptr, ring.data() + 2 * kSlabEntries,
          shared_memory<T>().low + ring.stage() * kSlabEntries, 0};
}

template <class T>
__device__ void start() {
  StreamedShared<T>& shared = shared_memory<T>();
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      ptx::barrier_init(shared.stage + s, 1);
      ptx::barrier_init(shared.stage + kStages + s, kConsumerWarps);
      ptx::barrier_init(shared.split + s, kSplitterWarps);
    }
    for (int s = 0; s < kTicketSlots; ++s) {
      ptx::barrier_init(shared.ticket_full + s, 1);
      ptx::barrier_init(shared.ticket_empty + s, kConsumerWarps + kSplitterWarps + 1);
      for (int k = 0; k < kSlabs; ++k) ptx::barrier_init(shared.solved[s] + k, kConsumerWarps);
    }
    ptx::barrier_init_fence();
  }
  __syncthreads();
}

/// Draws tickets for the team's other warps and copies operands of products. Draws one ticket ahead
/// of the consumers, but not while a task runs that may wait for later tickets (chain, prepare).
/// Called by one warp.
template <class T>
__device__ void run_producer(const FrontViewOf<T>* fronts, const FrontTask* tasks, int task_count,
                             int* next, unsigned pauses, int lane) {
  StreamedShared<T>& shared = shared_memory<T>();
  RingOf<T> ring{shared.stages, shared.stage};
  bool wait_for_consumers = false;
  for (int draw = 0;; ++draw) {
    const int slot = draw % kTicketSlots, turn = draw / kTicketSlots;
    if (draw >= kTicketSlots) ptx::barrier_wait(shared.ticket_empty + slot, (turn - 1) & 1);
    if (wait_for_consumers)
      ptx::barrier_wait(shared.ticket_empty + (slot ^ 1), ((draw - 1) / kTicketSlots) & 1);
    Ticket<T>& ticket = shared.ticket[slot];
    const int number = draw_ticket(ticket, fronts, tasks, task_count, next, ring.turn, lane);
    if (lane == 0) ptx::barrier_arrive(shared.ticket_full + slot);
    if (number >= task_count) return;
    watchdog::take(number);
    pause(pauses, number, kConsumerWarps);
    const TaskKind kind = ticket.task.kind;
    wait_for_consumers = kind == TaskKind::chain || kind == TaskKind::prepare;
    if (has_products(kind)) {
      if (lane == 0) {
        prefetch_tiles(ticket.task, ticket.front);
        produce_products(ticket.task, ticket.front, ring, true);
      }
      ring.turn = __shfl_sync(0xffffffffu, ring.turn, 0);
    }
    __syncwarp();
  }
}

/// Splits the right operands of all stages into their parts, for the tasks that the producer draws.
/// Called by the kSplitterWarps splitter warps.
template <class Loop, class T = typename Loop::T>
__device__ void run_splitters(int task_count) {
  StreamedShared<T>& shared = shared_memory<T>();
  for (int draw = 0;; ++draw) {
    const int slot = draw % kTicketSlots;
    ptx::barrier_wait(shared.ticket_full + slot, (draw / kTicketSlots) & 1);
    const Ticket<T>& ticket = shared.ticket[slot];
    if (ticket.number >= task_count) return;
    watchdog::take(ticket.number);
    if (has_products(ticket.task.kind)) {
      const int cells = cells_in(ticket.front, products_of(ticket.task, ticket.front));
      RingOf<T> ring{shared.stages, shared.stage, ticket.turn};
      for (int first = 0; first < cells; first += 2, ++ring.turn) {
        ptx::barrier_wait(ring.full(), ring.parity());
        Group<Loop>::split_right(right_operand(ring), kTileCells * min(2, cells - first),
                                 ptx::thread_index() - kFirstSplitter);
        ptx::shared_proxy_fence();
        __syncwarp();
        if (ptx::elect()) ptx::barrier_arrive(shared.split + ring.stage());
      }
    }
    __syncwarp();
    if (ptx::elect()) ptx::barrier_arrive(shared.ticket_empty + slot);
  }
}

/// A consumer warp's part in the ticket in a slot, found anew: kept over the products, for which
/// registers are short, it and all values derived from it would be spilled.
template <class T>
struct WarpPart {
  const Ticket<T>& ticket;
  portable::Member me;
  WarpTile place;

  __device__ explicit WarpPart(int slot)
      : ticket(shared_memory<T>().ticket[ptx::anew(slot)]),
        me(portable::this_thread()),
        place(portable::place_of(ticket.task, ticket.front, me.warp)) {}
};

/// Adds the products of `stages` >= 1 stages of two columns of cells to acc. operands(stride):
/// returns the operands in the ring's current stage, whose cell rows are `stride` entries apart.
/// The caller must still leave the last stage.
template <class Loop, class T, class Operands, class Wait>
__device__ __forceinline__ void multiply_whole_stages(typename Loop::Accumulators& acc, int stages,
                                                      RingOf<T>& ring, const Operands& operands,
                                                      const Wait& wait_for_parts) {
  if constexpr (Loop::kParts == 3) {
    PipelinedProducts<Loop> products;
    ptx::barrier_wait(ring.full(), ring.parity());
    products.load_first(operands(portable::kPairEntries));
    wait_for_parts();
#pragma unroll 1
    for (;;) {
      products.ask(operands(portable::kPairEntries), [&] { leave_stage(ring); });
      products.add_first(acc);
      ++ring.turn;
      if (--stages > 0) {
        ptx::barrier_wait(ring.full(), ring.parity());
        products.load_first(operands(portable::kPairEntries));
        wait_for_parts();
      }
      products.add_second(acc);
      if (stages == 0) break;
    }
  } else {
    for (; stages > 0; --stages) {
      enter_stage(ring);
      multiply_stage<Loop, 2>(acc, operands(portable::kPairEntries), wait_for_parts);
      ++ring.turn;
    }
  }
}

/// Sets acc to the sum of the products of the task in a slot. Returns true if the tile in memory
/// holds minus earlier parts of the sum, which are not in acc. The caller must still leave the last
/// stage (leave_stage()). Called by the four consumer warps, also by those without rows.
template <class Loop, class T = typename Loop::T>
__device__ __forceinline__ bool add_products(typename Loop::Accumulators& acc, int slot,
                                             const Levels& levels, int least_part,
                                             RingOf<T>& ring) {
  StreamedShared<T>& shared = shared_memory<T>();
  const WarpPart<T> part(slot);
  const int cells = cells_in(part.ticket.front, products_of(part.ticket.task, part.ticket.front)),
            slabs = (cells + 1) / 2, whole = cells / 2;
  const int together = part_of(slabs, least_part), lane = part.me.lane,
            tile = part.place.tile * kSlabEntries, row_cell = part.place.row_cell;
  // A warp without rows multiplies whatever the stage holds.
  const auto operands = [&](int stride) {
    StageOperands stage = right_operand(ring);
    stage.x = ring.data() + tile + row_cell * stride, stage.lane = lane;
    return stage;
  };
  const auto wait_for_parts = [&] {
    ptx::barrier_wait(shared.split + ring.stage(), ring.parity());
  };
  bool parts = false;
  portable::set_zero<Loop>(acc);
  for (int slab = 0; slab < slabs;) {
    const int end = min(slab + together, slabs);
    if (slab < whole)
      multiply_whole_stages<Loop>(acc, min(end, whole) - slab, ring, operands, wait_for_parts);
    if (end > whole) {
      enter_stage(ring);
      multiply_stage<Loop, 1>(acc, operands(kCellEntries), wait_for_parts);
      ++ring.turn;
    }
    slab = end;
    if (slab == slabs) break;
    const WarpPart<T> now(slot);
    if (now.place.active)
      portable::put_part_aside<Loop>(acc, now.ticket.task, now.ticket.front, levels, now.place,
                                     parts, now.me.lane);
  }
  return parts;
}

/// Executes the task in a slot, one with products (kinds prepare, panel, contribution), but does
/// not announce it. Called by the four consumer warps.
template <class Kernel, class T = typename Kernel::T>
__device__ __forceinline__ void run_tiles(int slot, const Levels& levels, int least_part) {
  using Loop = typename Kernel::Loop;
  StreamedShared<T>& shared = shared_memory<T>();
  const unsigned turn = shared.ticket[slot].turn;
  RingOf<T> ring{shared.stages, shared.stage, turn, turn};
  typename Loop::Accumulators acc;
  typename Loop::Accumulators beginning;  // in local memory; loaded before the products, so that
                                          // its waits are over when the operands are there
  {
    const WarpPart<T> part(slot);
    if (part.place.active)
      portable::load_beginning<Loop>(beginning, part.ticket.task, part.ticket.front, part.place,
                                     part.me.lane);
  }
  const bool parts = add_products<Loop>(acc, slot, levels, least_part, ring);
  leave_stage(ring);
  const WarpPart<T> part(slot);
  const FrontTask& task = part.ticket.task;
  const FrontViewOf<T>& front = part.ticket.front;
  if (part.place.active) portable::add<Loop>(acc, beginning);
  portable::finish_tiles<Kernel>(acc, task, front, levels, part.place, parts, part.me, [&](int s) {
    __syncwarp();
    if (ptx::elect()) ptx::barrier_arrive(shared.solved[slot] + s);
  });
}

/// Executes the tasks that the producer draws. Called by the four consumer warps of a team.
template <class Kernel, class T = typename Kernel::T>
__device__ __forceinline__ void run_consumers(int task_count, const Levels& levels,
                                              const ValuesOf<T>& values, const SumsOf<T>& sums,
                                              int least_part, unsigned pauses) {
  StreamedShared<T>& shared = shared_memory<T>();
  for (int draw = 0;; ++draw) {
    const int slot = draw % kTicketSlots;
    ptx::barrier_wait(shared.ticket_full + slot, (draw / kTicketSlots) & 1);
    const Ticket<T>& ticket = shared.ticket[slot];
    if (ticket.number >= task_count) return;
    watchdog::take(ticket.number);
    pause(pauses, ticket.number, portable::this_thread().warp);
    __syncwarp();
    if (ticket.task.kind == TaskKind::chain) {
      portable::run_chain<Kernel>(ticket.front, levels);
      ptx::shared_proxy_fence();  // orders the chain's accesses to the stages before the next bulk
                                  // copies to them
    } else {
      if (!portable::fill_or_sum<Kernel>(ticket.task, ticket.front, levels, values, sums))
        run_tiles<Kernel>(slot, levels, least_part);
      if (ticket.task.kind != TaskKind::panel)
        portable::announce<Kernel>(ticket.task, ticket.front, levels);
    }
    __syncwarp();
    if (ptx::elect()) ptx::barrier_arrive(shared.ticket_empty + slot);
  }
}

/// Announces the results of chains and of panel tasks to other teams while the warps that make them
/// go on. Called by one warp.
template <class Kernel, class T = typename Kernel::T>
__device__ __forceinline__ void run_announcer(int task_count, const Levels& levels, unsigned pauses,
                                              int lane) {
  StreamedShared<T>& shared = shared_memory<T>();
  unsigned panels = 0;  // bit s: number of panel tasks in slot s so far, modulo 2
  for (int draw = 0;; ++draw) {
    const int slot = draw % kTicketSlots;
    ptx::barrier_wait(shared.ticket_full + slot, (draw / kTicketSlots) & 1);
    const Ticket<T>& ticket = shared.ticket[slot];
    if (ticket.number >= task_count) return;
    watchdog::take(ticket.number);
    pause(pauses, ticket.number, kConsumerWarps + 1);
    __syncwarp();
    if (ticket.task.kind == TaskKind::chain)
      portable::announce_chain<Kernel>(ticket.front, levels, lane);
    if (ticket.task.kind == TaskKind::panel) {
      if (lane == 0)
        announce_panel(ticket.task, ticket.front, levels, shared.solved[slot], panels >> slot & 1);
      panels ^= 1U << slot;
    }
    __syncwarp();
    if (ptx::elect()) ptx::barrier_arrive(shared.ticket_empty + slot);
  }
}

}  // namespace kauri::numeric::cuda::kernels::streamed
