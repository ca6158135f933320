// The memory of a fast solve.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "numeric/cuda/wide.hpp"

namespace kauri::numeric::cuda {

SweepMemory sweep_memory(const Plan& plan, const double* l, double* numbers, Index width) {
  const DeviceSchedule::Sweeps& sweeps = plan.device.sweeps;
  SweepMemory out{};
  out.l = l;
  out.x = numbers;
  out.y = out.x + Offset{plan.n} * width;
  out.update = out.y + Offset{plan.n} * width;
  out.forward_part = out.update + (static_cast<Offset>(plan.supernodes.row.size()) - plan.n) * width;
  out.backward_part = out.forward_part + Offset{sweeps.forward_parts} * symbolic::kTile * width;
  out.ticket = reinterpret_cast<int*>(out.backward_part + Offset{sweeps.backward_parts} * symbolic::kTile * width);
  return out;
}

WideRoom wide_room(const Plan& plan, double* numbers, Index most) {
  const DeviceSchedule::Sweeps& sweeps = plan.device.sweeps;
  const Offset below = static_cast<Offset>(plan.supernodes.row.size()) - plan.n;
  const Offset parts = (Offset{sweeps.forward_parts} + sweeps.backward_parts) * symbolic::kTile;
  WideRoom out{};
  out.kept = numbers;
  out.kept_count = (below + parts) * most;
  out.scratch = out.kept + out.kept_count;
  out.ticket = reinterpret_cast<int*>(out.scratch + std::max(Offset{3} * plan.n * most, (sweeps.numbers + 1) / 2 * 2));
  out.new_of = out.ticket + 8;
  return out;
}

WideMemory wide_memory(const Plan& plan, const double* l, const WideRoom& room, Index width, Index columns) {
  const DeviceSchedule::Sweeps& sweeps = plan.device.sweeps;
  const Offset vector = Offset{plan.n} * width;
  const Index share = std::min(width, kTeamWidth);
  WideMemory out{};
  SweepMemory& numbers = out.numbers;
  numbers.l = l;
  numbers.x = room.scratch;
  numbers.y = numbers.x + vector;
  out.rows = numbers.y + vector;
  const Offset below = static_cast<Offset>(plan.supernodes.row.size()) - plan.n;
  numbers.update = room.kept;
  numbers.forward_part = room.kept + below * share;
  numbers.backward_part = numbers.forward_part + Offset{sweeps.forward_parts} * symbolic::kTile * share;
  out.kept = below + (Offset{sweeps.forward_parts} + sweeps.backward_parts) * symbolic::kTile;
  out.teams = (columns + share - 1) / share;
  out.columns = columns;
  numbers.ticket = room.ticket;
  out.n = plan.n;
  return out;
}

/// All bits of a number that is not there yet are set, and the first ticket is the one after -1.
void enqueue_unset(const Plan& plan, const SweepMemory& memory, cudaStream_t stream, Index width) {
  check(cudaMemsetAsync(memory.x, 0xff, static_cast<std::size_t>(symbolic::solve_numbers(plan.device.sweeps, width)) * sizeof(double),
                        stream),
        "numbers of a solve");
}

}  // namespace kauri::numeric::cuda
