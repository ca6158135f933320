// The solve of one right-hand side by sweeps: both sweeps in one persistent kernel in which a
// number is its own flag (shared.cuh). Hopper. L may be in float; the numbers of the solve and all
// arithmetic are in double.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/plan/device_plan.hpp"
#include "symbolic/device/sweep_lists.hpp"

namespace kauri::numeric::cuda {

/// Memory of one solve. Numbers are unset at first, except L and b, which are read, and `out`. S:
/// scalar of L and of the caller's vectors.
template <class S>
struct SweepMemory {
  const S* l;             ///< DeviceSchedule::entries
  double* x;              ///< n
  double* y;              ///< n
  double* update;         ///< UpdateRows::slot
  double* forward_part;   ///< kTile numbers for each vector of parts of the forward sweep
  double* backward_part;  ///< kTile numbers for each vector of parts of the backward sweep
  int* ticket;            ///< one for each direction; -1 at first
  const S* b;             ///< b(old_of(k)) is the right-hand side of row k
  S* out;                 ///< out(old_of(k)) = x(k), or NaN if the verdict is not good; may be b
  Offset b_step;          ///< numbers from one row of b to the next
  Offset out_step;
  const DeviceVerdict* verdict;
  const std::int32_t*
      run_flag;  ///< null, or the address of a number on the device: if it is 0, nothing is done
};

/// Returns the places of a solve's memory in `numbers`, an array of DeviceSchedule::Sweeps::numbers
/// that belongs to a workspace. b, out, their steps, verdict and run_flag are left unset.
template <class S>
SweepMemory<S> sweep_memory(const Plan& plan, const S* l, double* numbers);

/// Returns the number of blocks that the current device holds at once; 0 if it cannot run the
/// kernel. Called once for each device, before the first launch.
template <class S>
int sweep_blocks();
/// Enqueues the unsetting of all numbers of one solve, and of its tickets.
void enqueue_unset(const Plan& plan, double* numbers, cudaStream_t stream);
/// Solves L y = b (rows in the order of view.old_of), L^T x = y (view.back_of), or one after the
/// other, by a launch on the stream. `memory` is as returned by sweep_memory(), with b, out and
/// verdict, and unset, except that y is set if `forward` is false. Throws Error(device).
template <class S>
void enqueue_sweeps(const SweepView& view, const SweepMemory<S>& memory, bool forward,
                    bool backward, int blocks, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
