// The fast solve of one right-hand side: sweeps as persistent kernels in which a number is its own flag (sweep.cuh). FP64, Hopper.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/kernels.hpp"
#include "symbolic/sweep_lists.hpp"

namespace kauri::numeric::cuda {

/// Numbers of one solve, all of them unset at first but L and b, which are read, and `out`.
struct SweepMemory {
  const double* l;        ///< DeviceSchedule::entries
  double* x;              ///< n
  double* y;              ///< n
  double* update;         ///< UpdateRows::slot
  double* forward_part;   ///< 64 for each vector of parts
  double* backward_part;  ///< 128
  int* ticket;            ///< one for each direction; -1 at first
  const double* b;        ///< b(old_of(k)) is the right-hand side of row k
  double* out;            ///< out(old_of(k)) = x(k), or NaN where the verdict is not good; may be b
  const DeviceVerdict* verdict;
};

/// In one array of DeviceSchedule::Sweeps::numbers, which belongs to a workspace.
SweepMemory sweep_memory(const Plan& plan, const double* l, double* numbers);

/// Once per device, before the first launch: shared memory. No blocks where it cannot run them.
SweepBlocks prepare_sweeps();
/// All numbers unset, tickets at their beginning.
void enqueue_unset(const Plan& plan, const SweepMemory& memory, cudaStream_t stream);
/// L y = b, or L^T x = y, of rows in the order of view.old_of: launches on the stream. `memory` as sweep_memory() has it, unset, or with y,
/// and with b, out and verdict. Throws Error(device).
void enqueue_sweep(const SweepView& view, const SweepBlocks& blocks, const SweepMemory& memory, bool forward, cudaStream_t stream);

// Their parts: tiled fronts (sweep_tiles.cu); narrow and small ones (sweep_fronts.cu).
int tile_sweep_blocks();
void prepare_front_sweeps(SweepBlocks& blocks);
void enqueue_tile_sweep(const SweepView& view, const SweepMemory& memory, bool forward, int blocks, cudaStream_t stream);
void enqueue_front_sweep(const SweepView& view, const SweepMemory& memory, bool forward, const SweepBlocks& blocks, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
