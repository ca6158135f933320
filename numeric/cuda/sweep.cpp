// The memory of a fast solve.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "numeric/cuda/wide.hpp"

namespace kauri::numeric::cuda {

SweepMemory sweep_memory(const Plan& plan, const double* l, double* numbers) {
  const DeviceSchedule::Sweeps& sweeps = plan.device.sweeps;
  SweepMemory out{};
  out.l = l;
  out.x = numbers;
  out.y = out.x + plan.n;
  out.update = out.y + plan.n;
  out.forward_part = out.update + (static_cast<Offset>(plan.supernodes.row.size()) - plan.n);
  out.backward_part = out.forward_part + Offset{sweeps.forward_parts} * symbolic::kTile;
  out.ticket = reinterpret_cast<int*>(out.backward_part + Offset{sweeps.backward_parts} * symbolic::kTile);
  return out;
}

namespace {

/// Two teams solve 9 to 32 columns up to so many rows and entries of L: then chains are what a solve waits for, not its numbers or L.
constexpr Index kFewRows = Index{1} << 16;
constexpr Offset kSmallFactor = Offset{1} << 24;

}  // namespace

Index team_width(const Plan& plan, Index width, Index asked) {
  if (width == 8) return 8;
  if (asked != 0) return asked;
  return plan.n <= kFewRows && plan.cost.nnz_l <= kSmallFactor ? 16 : 32;
}

WideMemory wide_memory(const Plan& plan, const double* l, double* numbers, Index most, Index columns, Index team) {
  const DeviceSchedule::Sweeps& sweeps = plan.device.sweeps;
  const symbolic::WideNumbers place = symbolic::wide_numbers(sweeps, plan.n, most);
  const Offset vector = Offset{plan.n} * symbolic::solve_width(columns), below = static_cast<Offset>(plan.supernodes.row.size()) - plan.n;
  WideMemory out{};
  out.numbers.l = l;
  out.numbers.x = numbers + place.scratch;
  out.numbers.y = out.numbers.x + vector;
  out.rows = out.numbers.y + vector;
  out.numbers.update = numbers;
  out.numbers.forward_part = out.numbers.update + below * team;
  out.numbers.backward_part = out.numbers.forward_part + Offset{sweeps.forward_parts} * symbolic::kTile * team;
  out.numbers.ticket = reinterpret_cast<int*>(numbers + place.ticket);
  out.kept = place.kept;
  out.teams = (columns + team - 1) / team;
  out.n = plan.n, out.columns = columns;
  return out;
}

double* scratch_of(const Plan& plan, double* numbers, Index most) {
  return most == 1 ? numbers : numbers + symbolic::wide_numbers(plan.device.sweeps, plan.n, most).scratch;
}

void enqueue_first_unset(const Plan& plan, double* numbers, Index most, cudaStream_t stream) {
  if (most == 1) return;
  const auto kept = static_cast<std::size_t>(symbolic::wide_numbers(plan.device.sweeps, plan.n, most).scratch);
  check(cudaMemsetAsync(numbers, 0xff, kept * sizeof(double), stream), "numbers of a solve");
}

/// All bits of a number that is not there yet are set, and the first ticket is the one after -1.
void enqueue_unset(const Plan& plan, const SweepMemory& memory, cudaStream_t stream) {
  check(cudaMemsetAsync(memory.x, 0xff, static_cast<std::size_t>(plan.device.sweeps.numbers) * sizeof(double), stream),
        "numbers of a solve");
}

}  // namespace kauri::numeric::cuda
