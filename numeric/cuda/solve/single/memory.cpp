// The layout of a workspace of sweeps of one right-hand side, and the initial state of its numbers.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/solve/single/memory.hpp"

namespace kauri::numeric::cuda {

template <class S, class N>
void place_parts(const Plan& plan, Index columns, SweepMemory<S, N>& memory) {
  const Offset below = static_cast<Offset>(plan.supernodes.row.size()) - plan.n;
  memory.forward_part = memory.update + below * columns;
  memory.backward_part = memory.forward_part + Offset{plan.internals->device.sweeps.forward_parts} *
                                                   symbolic::kTile * columns;
}

template <class S, class N>
SweepMemory<S, N> sweep_memory(const Plan& plan, const S* l, double* numbers) {
  const symbolic::DeviceSchedule::Sweeps& sweeps = plan.internals->device.sweeps;
  SweepMemory<S, N> out{};
  out.l = l;
  out.x = reinterpret_cast<N*>(numbers);
  out.y = out.x + plan.n;
  out.update = out.y + plan.n;
  place_parts(plan, 1, out);
  out.ticket =
      reinterpret_cast<int*>(out.backward_part + Offset{sweeps.backward_parts} * symbolic::kTile);
  return out;
}

/// An unset number has all bits set, which makes a ticket -1: the first ticket drawn is the one
/// after -1.
template <class N>
void enqueue_unset(const Plan& plan, double* numbers, cudaStream_t stream) {
  // One of the doubles that are counted stands for both tickets.
  const auto arrays = static_cast<std::size_t>(plan.internals->device.sweeps.numbers) - 1;
  check(cudaMemsetAsync(numbers, 0xff, arrays * sizeof(N) + 2 * sizeof(int), stream),
        "numbers of a solve");
}

#define KAURI_MEMORY(S, N)                                           \
  template void place_parts(const Plan&, Index, SweepMemory<S, N>&); \
  template SweepMemory<S, N> sweep_memory(const Plan&, const S*, double*);
KAURI_MEMORY(float, float)
KAURI_MEMORY(float, double)
KAURI_MEMORY(double, double)
#undef KAURI_MEMORY
template void enqueue_unset<float>(const Plan&, double*, cudaStream_t);
template void enqueue_unset<double>(const Plan&, double*, cudaStream_t);

}  // namespace kauri::numeric::cuda
