// Launches of a fast solve, and its memory.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/sweep.hpp"

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
  out.ticket = reinterpret_cast<int*>(out.backward_part + Offset{sweeps.backward_parts} * 2 * symbolic::kTile);
  return out;
}

SweepBlocks prepare_sweeps() {
  SweepBlocks blocks;
  blocks.tiles = tile_sweep_blocks();
  prepare_front_sweeps(blocks);
  return blocks.tiles > 0 && blocks.narrow > 0 && blocks.small > 0 ? blocks : SweepBlocks{};
}

/// All bits of a number that is not there yet are set, and the first ticket is the one after -1.
void enqueue_unset(const Plan& plan, const SweepMemory& memory, cudaStream_t stream) {
  check(cudaMemsetAsync(memory.x, 0xff, static_cast<std::size_t>(plan.device.sweeps.numbers) * sizeof(double), stream),
        "numbers of a solve");
}

void enqueue_sweep(const SweepView& view, const SweepBlocks& blocks, const SweepMemory& memory, bool forward, cudaStream_t stream) {
  if (forward) enqueue_front_sweep(view, memory, forward, blocks, stream);
  enqueue_tile_sweep(view, memory, forward, blocks.tiles, stream);
  if (!forward) enqueue_front_sweep(view, memory, forward, blocks, stream);
}

}  // namespace kauri::numeric::cuda
