// The layout of a workspace of sweeps of one right-hand side, and the initial state of its numbers.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/solve/single/memory.hpp"

namespace kauri::numeric::cuda {

template <class S>
void place_parts(const Plan& plan, Index columns, SweepMemory<S>& memory) {
  const Offset below = static_cast<Offset>(plan.supernodes.row.size()) - plan.n;
  memory.forward_part = memory.update + below * columns;
  memory.backward_part = memory.forward_part + Offset{plan.internals->device.sweeps.forward_parts} *
                                                   symbolic::kTile * columns;
}

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

/// An unset number has all bits set, which makes a ticket -1: the first ticket drawn is the one
/// after -1.
void enqueue_unset(const Plan& plan, double* numbers, cudaStream_t stream) {
  check(
      cudaMemsetAsync(
          numbers, 0xff,
          static_cast<std::size_t>(plan.internals->device.sweeps.numbers) * sizeof(double), stream),
      "numbers of a solve");
}

template void place_parts(const Plan&, Index, SweepMemory<float>&);
template void place_parts(const Plan&, Index, SweepMemory<double>&);
template SweepMemory<float> sweep_memory(const Plan&, const float*, double*);
template SweepMemory<double> sweep_memory(const Plan&, const double*, double*);

}  // namespace kauri::numeric::cuda
