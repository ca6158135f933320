// The fast solve of one right-hand side: both sweeps as one persistent kernel in which a number is its own flag (flags.cuh). Hopper. L may
// be in float: numbers of the solve and all arithmetic are in double.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/plan/kernels.hpp"
#include "symbolic/device/sweep_lists.hpp"

namespace kauri::numeric::cuda {

/// Numbers of one solve, all of them unset at first but L and b, which are read, and `out`. S: of L and the caller's vectors.
template <class S>
struct SweepMemory {
  const S* l;             ///< DeviceSchedule::entries
  double* x;              ///< n
  double* y;              ///< n
  double* update;         ///< UpdateRows::slot
  double* forward_part;   ///< 64 for each vector of parts
  double* backward_part;  ///< 64
  int* ticket;            ///< one for each direction; -1 at first
  const S* b;             ///< b(old_of(k)) is the right-hand side of row k
  S* out;                 ///< out(old_of(k)) = x(k), or NaN where the verdict is not good; may be b
  Offset b_step;          ///< from row to row of b
  Offset out_step;
  const DeviceVerdict* verdict;
  const std::int32_t* run_flag;  ///< null, or on the device: where that is 0, nothing is done
};

/// In one array, which belongs to a workspace, of DeviceSchedule::Sweeps::numbers.
template <class S>
SweepMemory<S> sweep_memory(const Plan& plan, const S* l, double* numbers);

/// Blocks that the current device holds at once; 0: it cannot run the kernel. Once per device, before the first launch.
template <class S>
int sweep_blocks();
/// All numbers of one solve unset, tickets at their beginning.
void enqueue_unset(const Plan& plan, double* numbers, cudaStream_t stream);
/// L y = b (of rows in the order of view.old_of), L^T x = y (view.back_of), or one after the other: a launch on the stream. `memory` as
/// sweep_memory() has it, unset but for y where there is no forward sweep, and with b, out and verdict. Throws Error(device).
template <class S>
void enqueue_sweeps(const SweepView& view, const SweepMemory<S>& memory, bool forward, bool backward, int blocks, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
