// Functions common to the kernels on tiled fronts: drawing a ticket, copying its task, and the
// pauses that tests ask for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include "numeric/cuda/plan/front_view.hpp"

namespace kauri::numeric::cuda::kernels {

/// Copies an object from global to shared memory, one word of 4 bytes per lane. Called by all lanes
/// of a warp, which it does not synchronise.
template <class T>
__device__ void copy_words(T& to, const T& from, int lane) {
  static_assert(sizeof(T) <= 32 * sizeof(int) && sizeof(T) % sizeof(int) == 0);
  if (lane < static_cast<int>(sizeof(T) / sizeof(int)))
    reinterpret_cast<int*>(&to)[lane] = __ldg(reinterpret_cast<const int*>(&from) + lane);
}

inline constexpr int kTicketSlots = 2;  // tickets that a block holds at once

/// A ticket with its task and front, which the producer copies for all other warps of its block.
template <class T>
struct Ticket {
  FrontViewOf<T> front;
  symbolic::FrontTask task;
  int number;
  unsigned turn;  // number of stages entered before those of the task
};

/// Returns true if a task of this kind adds products.
__device__ __forceinline__ bool has_products(symbolic::TaskKind kind) {
  using symbolic::TaskKind;
  return kind != TaskKind::fill && kind != TaskKind::sum && kind != TaskKind::chain;
}

/// Draws a ticket from counter *next and copies its task and front to `ticket` in shared memory.
/// `turn`: number of stages that the team entered before the task. Called by all lanes of the
/// producer's warp; returns the ticket's number, which is >= task_count if no task is left.
template <class TicketType, class Front>
__device__ int draw_ticket(TicketType& ticket, const Front* fronts,
                           const symbolic::FrontTask* tasks, int task_count, int* next,
                           unsigned turn, int lane) {
  int number = 0;
  if (lane == 0) {
    number = atomicAdd(next, 1);
    ticket.number = number, ticket.turn = turn;
  }
  number = __shfl_sync(0xffffffffu, number, 0);
  if (number < task_count) {
    copy_words(ticket.task, tasks[number], lane);
    copy_words(ticket.front, fronts[tasks[number].front], lane);
  }
  __syncwarp();
  return number;
}

/// Sleeps for up to a microsecond, or in one of 16 cases for 30 microseconds, as a hash of seed,
/// ticket and warp says. Returns at once if seed is 0.
__device__ inline void pause(unsigned seed, int ticket, int warp) {
  if (seed == 0) return;
  unsigned x = seed * 0x9e3779b9u ^ static_cast<unsigned>(ticket) * 0x85ebca6bu ^
               static_cast<unsigned>(warp) * 0xc2b2ae35u;
  x = (x ^ x >> 15) * 0x2c1b3c6du;
  x ^= x >> 12;
  __nanosleep(x % 16 == 0 ? 30000 : x >> 4 & 1023);
}

}  // namespace kauri::numeric::cuda::kernels
