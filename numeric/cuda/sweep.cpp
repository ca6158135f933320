// The memory of a fast solve.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/sweep.hpp"

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

/// All bits of a number that is not there yet are set, and the first ticket is the one after -1.
void enqueue_unset(const Plan& plan, const SweepMemory& memory, cudaStream_t stream, Index width) {
  check(cudaMemsetAsync(memory.x, 0xff, static_cast<std::size_t>(symbolic::solve_numbers(plan.device.sweeps, width)) * sizeof(double),
                        stream),
        "numbers of a solve");
}

}  // namespace kauri::numeric::cuda
