// The kernel on tiled fronts of doubles on Hopper. Each source that includes this file has its own
// copy of the kernel, with its own attributes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/factor/tiled/draw.cuh"
#include "numeric/cuda/factor/tiled/fill.cuh"
#include "numeric/cuda/factor/tiled/hopper/chain.cuh"
#include "numeric/cuda/plan/front_view.hpp"
#include "numeric/cuda/runtime/launch.hpp"

namespace kauri::numeric::cuda::kernels {
namespace {

inline constexpr int kTeams = 2;
inline constexpr int kBlockThreads =
    (kTeams + 1) * kConsumers;  // threads of a block: a warp group of consumers per team, one of
                                // producers and fetchers
static_assert(2 * kTeams == kConsumerWarps);
inline constexpr int kTeamEntries = kChainEntries;  // doubles of shared memory of a team: a chain
                                                    // needs more than the stages
static_assert(kTeamEntries >= kStages * kStageEntries && kTeamEntries * 8 % 128 == 0);
inline constexpr int kSharedBytes = kTeams * kTeamEntries * 8;
inline constexpr int
    kRegisters = 168,
    kConsumerRegisters = 232,
    kProducerRegisters =
        40;  // registers per thread: at the start, then of a consumer, of a producer or fetcher
static_assert(kTeams * kConsumerRegisters + kProducerRegisters == (kTeams + 1) * kRegisters);
inline constexpr int kTicketSlots = 2;

/// A ticket with its task and front, which the producer copies, so that no consumer waits for
/// global memory.
struct Ticket {
  FrontView front;
  FrontTask task;
  int number;
  unsigned turn;                 // number of stages entered before those of the task
  std::uint64_t solved[kSlabs];  // barriers of a panel task's slabs; one phase for each panel task
};

/// Shared memory of a team beside its stages.
struct Control {
  Ticket ticket[kTicketSlots];
  std::uint64_t stage[3 * kStages];  // barriers of the ring: full, then empty; then the stages'
                                     // words
  std::uint64_t ticket_full[kTicketSlots], ticket_empty[kTicketSlots];
  ChainBarriers chain;
  // Addresses of the team's stages, and of the rows of each consumer warp in the first stage. They
  // are loaded where they are needed: the compiler would compute them anew each time, which takes
  // longer.
  ptx::SharedAddress stages, rows[kConsumerWarps];
};

__device__ void start(Control* controls, double* stages) {
  if (threadIdx.x < kTeams) {
    Control& control = controls[threadIdx.x];
    const double* mine = stages + threadIdx.x * kTeamEntries;
    control.stages = ptx::shared_address(mine);
    for (int w = 0; w < kConsumerWarps; ++w)
      control.rows[w] = ptx::shared_address(mine + tile_of_warp(w) * kSlabEntries +
                                            shared_cell(row_cell_of_warp(w), 0));
    for (int s = 0; s < kStages; ++s) {
      ptx::barrier_init(control.stage + s, 1);
      ptx::barrier_init(control.stage + kStages + s, kConsumerWarps);
    }
    for (int s = 0; s < kTicketSlots; ++s) {
      ptx::barrier_init(control.ticket_full + s, 1);
      // the consumer warps and the fetcher
      ptx::barrier_init(control.ticket_empty + s, kConsumerWarps + 1);
      for (std::uint64_t& slab : control.ticket[s].solved) ptx::barrier_init(&slab, kConsumerWarps);
    }
    start(control.chain);
    ptx::barrier_init_fence();
  }
  __syncthreads();
}

/// Returns the Member of the calling consumer. Team 0's first named barrier is 0, which
/// __syncthreads() in start() used too, but no later code.
__device__ Member consumer_of_team(int team) { return Member{0, 0, kTeamBarriers * team}.again(); }
/// Returns the Member of a producer or a fetcher.
__device__ Member server_of_team(int team, unsigned thread) {
  return {static_cast<int>(kConsumerWarps + (thread / 32 - kTeams * kConsumerWarps) / kTeams),
          static_cast<int>(thread % 32), kTeamBarriers * team};
}

/// Draws tickets for the team's other warps, copies operands, announces chains. Draws one ticket
/// ahead of the consumers, but not while a task runs that may wait for later tickets (chain,
/// prepare). `dependent`: as in front_kernel(). Called by a team's producer warp.
__device__ void run_producer(const FrontView* fronts, const FrontTask* tasks, int task_count,
                             int* next, const Levels& levels, bool dependent, unsigned pauses,
                             Control& control, Ring ring, const Member& me) {
  bool wait_for_consumers = false;
  for (int draw = 0;; ++draw) {
    const int slot = draw % kTicketSlots;
    const int turn = draw / kTicketSlots;
    if (draw >= kTicketSlots) ptx::barrier_wait(control.ticket_empty + slot, (turn - 1) & 1);
    if (wait_for_consumers)
      ptx::barrier_wait(control.ticket_empty + (slot ^ 1), ((draw - 1) / kTicketSlots) & 1);
    Ticket& ticket = control.ticket[slot];
    const int number = draw_ticket(ticket, fronts, tasks, task_count, next, ring.turn, me.lane);
    if (me.lane == 0) ptx::barrier_arrive(control.ticket_full + slot);
    if (number >= task_count) return;
    watchdog::take(number);
    pause(pauses, number, me.warp);
    const FrontTask& task = ticket.task;
    const FrontView& front = ticket.front;
    wait_for_consumers = task.kind == TaskKind::chain || task.kind == TaskKind::prepare;
    if (task.kind == TaskKind::fill || task.kind == TaskKind::sum) {
      // no operands to copy
    } else if (task.kind == TaskKind::chain) {
      ptx::named_sync(me.barriers + kBegunBarrier, kChainThreads);
      if (me.lane == 0) announce_chain(front, control.stages, control.chain, levels);
    } else {
      if (me.lane == 0) produce(task, front, ring, dependent);
      ring.turn = __shfl_sync(0xffffffffu, ring.turn, 0);
    }
    __syncwarp();
  }
}

/// Copies the tiles of other teams that chains read to shared memory, while the producer stores the
/// chains' results; announces the slabs of panel tasks. Called by a team's fetcher warp.
__device__ void run_fetcher(int task_count, const Levels& levels, unsigned pauses, Control& control,
                            const Member& me) {
  unsigned phases = 0;  // bit s: parity of the barriers of panel tasks in slot s
  for (int draw = 0;; ++draw) {
    const int slot = draw % kTicketSlots;
    ptx::barrier_wait(control.ticket_full + slot, (draw / kTicketSlots) & 1);
    Ticket& ticket = control.ticket[slot];
    if (ticket.number >= task_count) return;
    watchdog::take(ticket.number);
    const TaskKind kind = ticket.task.kind;
    if (kind == TaskKind::chain || kind == TaskKind::panel) pause(pauses, ticket.number, me.warp);
    if (kind == TaskKind::chain) {
      ptx::named_sync(me.barriers + kBegunBarrier, kChainThreads);
      if (me.lane == 0) fetch_for_chain(ticket.front, control.stages, control.chain);
    } else if (kind == TaskKind::panel) {
      if (me.lane == 0)
        announce_panel(ticket.task, ticket.front, levels, ticket.solved, phases >> slot & 1);
      phases ^= 1U << slot;
    }
    __syncwarp();
    if (me.lane == 0) ptx::barrier_arrive(control.ticket_empty + slot);
  }
}

/// Executes the tasks that the team's producer draws. Called by the team's four consumer warps. A
/// thread's Member is found anew for each task: kept, it and values derived from it would be
/// spilled.
__device__ __forceinline__ void run_consumer(int task_count, const Levels& levels,
                                             const Values& values, const Sums& sums, int least_part,
                                             unsigned pauses, Control* controls) {
  for (int draw = 0;; ++draw) {
    const int team = ptx::thread_index() / kConsumers;
    const Member me = consumer_of_team(team);
    Control& control = controls[team];
    const int slot = draw % kTicketSlots;
    ptx::barrier_wait(control.ticket_full + slot, (draw / kTicketSlots) & 1);
    Ticket& ticket = control.ticket[slot];
    if (ticket.number >= task_count) return;
    watchdog::take(ticket.number);
    pause(pauses, ticket.number, me.warp);
    const FrontTask& task =
        ticket
            .task;  // a reference: values needed again after the products are read again, not kept
    const FrontView& front = ticket.front;
    Ring ring{ptx::shared_pointer(ptx::load_shared(&control.stages)), control.stage, ticket.turn,
              ticket.turn, ptx::shared_pointer(ptx::load_shared(control.rows + me.warp))};
    if (task.kind == TaskKind::chain) {
      run_chain(front, ptx::load_shared(&control.stages), control.chain, me);
      ptx::shared_proxy_fence();
    } else {
      if (task.kind == TaskKind::fill) {
        fill(task, front, levels, values, me);
      } else if (task.kind == TaskKind::sum) {
        add_sums(task, front, sums, me);
      } else {
        consume(task, front, levels, least_part, ring, ticket.solved, me);
        leave_stage(ring);  // after the stores of the results, which waited for all products
      }
      announce(task, front, levels, me);
    }
    __syncwarp();
    if (me.lane == 0) ptx::barrier_arrive(control.ticket_empty + slot);
  }
}

/// Executes tasks until the tickets are used up. `dependent`: tasks wait for one another; otherwise
/// they are contribution tiles of fronts whose L is complete. (`dependent` is no template
/// parameter: the compiler spilled in the inner loop of the simpler kernel, which was 15 % slower.)
__global__ void __launch_bounds__(kBlockThreads, 1)
    front_kernel(const FrontView* fronts, const FrontTask* tasks, int task_count, int* next,
                 Levels levels, Values values, Sums sums, int least_part, bool dependent,
                 unsigned pauses) {
  extern __shared__ __align__(128) double stages[];
  __shared__ Control controls[kTeams];
  watchdog::begin(watchdog::Kernel::front_kernel);
  start(controls, stages);
  if (threadIdx.x < kTeams * kConsumers) {
    ptx::take_registers<kRegisters, kConsumerRegisters>();
    run_consumer(task_count, levels, values, sums, least_part, pauses, controls);
  } else {
    ptx::leave_registers<kRegisters, kProducerRegisters>();
    const int team = static_cast<int>(threadIdx.x / 32 % kTeams);
    const Member me = server_of_team(team, threadIdx.x);
    const Ring ring{stages + team * kTeamEntries, controls[team].stage};
    if (me.warp == kConsumerWarps)
      run_producer(fronts, tasks, task_count, next, levels, dependent, pauses, controls[team], ring,
                   me);
    else
      run_fetcher(task_count, levels, pauses, controls[team], me);
  }
}

}  // namespace
}  // namespace kauri::numeric::cuda::kernels
