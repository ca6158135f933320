// The layout of a workspace of sweeps, and the initial state of its numbers.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/solve/multi/memory.hpp"

namespace kauri::numeric::cuda {
namespace {

/// Most rows of A for which four groups (kFewestRows), or two (kFewRows), solve 9 to 32 columns,
/// and most entries of L for either (kSmallFactor): up to these the chains of tiles bound the time
/// of a solve, not its arithmetic or reads of L. One H200: four groups take 0.71 to 0.9 of the time
/// of two from 2600 to 10,000 rows, and 1.1 with 24,000 and 34,000 rows that hubs tie together.
constexpr Index kFewestRows = Index{1} << 14, kFewRows = Index{1} << 16;
constexpr Offset kSmallFactor = Offset{1} << 24;

/// Sets memory.forward_part and memory.backward_part, the addresses of parts of sums, which lie
/// behind the update rows (memory.update), in rows of `columns` numbers.
template <class S>
void place_parts(const Plan& plan, Index columns, SweepMemory<S>& memory) {
  const Offset below = static_cast<Offset>(plan.supernodes.row.size()) - plan.n;
  memory.forward_part = memory.update + below * columns;
  memory.backward_part = memory.forward_part + Offset{plan.internals->device.sweeps.forward_parts} *
                                                   symbolic::kTile * columns;
}

}  // namespace

template <class S>
SweepMemory<S> sweep_memory(const Plan& plan, const S* l, double* numbers) {
  const symbolic::DeviceSchedule::Sweeps& sweeps = plan.internals->device.sweeps;
  SweepMemory<S> out{};
  out.l = l;
  out.x = numbers;
  out.y = out.x + plan.n;
  out.update = out.y + plan.n;
  place_parts(plan, 1, out);
  out.ticket =
      reinterpret_cast<int*>(out.backward_part + Offset{sweeps.backward_parts} * symbolic::kTile);
  return out;
}

Index group_width(const Plan& plan, Index width, Index asked) {
  if (width == 8) return 8;
  if (asked != 0) return asked;
  if (plan.n > kFewRows || plan.cost.nnz_l > kSmallFactor) return 32;
  return plan.n <= kFewestRows ? 8 : 16;
}

MultiMemory multi_memory(const Plan& plan, const double* l, double* numbers, Index most,
                         Index columns, Index group) {
  const symbolic::MultiNumbers place =
      symbolic::multi_numbers(plan.internals->device.sweeps, plan.n, most);
  const Offset vector = Offset{plan.n} * symbolic::solve_width(columns);
  MultiMemory out{};
  out.numbers.l = l;
  out.numbers.x = numbers + place.scratch;
  out.numbers.y = out.numbers.x + vector;
  out.rows = out.numbers.y + vector;
  out.numbers.update = numbers;
  place_parts(plan, group, out.numbers);
  out.numbers.ticket = reinterpret_cast<int*>(numbers + place.ticket);
  out.kept = place.kept;
  out.groups = (columns + group - 1) / group;
  out.n = plan.n, out.columns = columns;
  return out;
}

double* scratch_of(const Plan& plan, double* numbers, Index most) {
  return most == 1
             ? numbers
             : numbers +
                   symbolic::multi_numbers(plan.internals->device.sweeps, plan.n, most).scratch;
}

void enqueue_first_unset(const Plan& plan, double* numbers, Index most, cudaStream_t stream) {
  const auto kept = static_cast<std::size_t>(
      symbolic::multi_numbers(plan.internals->device.sweeps, plan.n, most).scratch);
  check(cudaMemsetAsync(numbers, 0xff, kept * sizeof(double), stream), "numbers of a solve");
}

/// An unset number has all bits set, which makes a ticket -1: the first ticket drawn is the one
/// after -1.
void enqueue_unset(const Plan& plan, double* numbers, cudaStream_t stream) {
  check(
      cudaMemsetAsync(
          numbers, 0xff,
          static_cast<std::size_t>(plan.internals->device.sweeps.numbers) * sizeof(double), stream),
      "numbers of a solve");
}

template SweepMemory<float> sweep_memory(const Plan&, const float*, double*);
template SweepMemory<double> sweep_memory(const Plan&, const double*, double*);

}  // namespace kauri::numeric::cuda
