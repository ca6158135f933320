// The solve of one right-hand side by sweeps: both sweeps in one persistent kernel in which a
// number is its own flag (single/shared.cuh). L may be in float; the numbers of the solve and all
// arithmetic are in double, or, by the kernel for devices whose FP64 is slow, in float too.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/plan/device_plan.hpp"
#include "symbolic/device/sweep_lists.hpp"

namespace kauri::numeric::cuda {

/// Device memory of one solve by sweeps. Before the launch its arrays of numbers and its tickets
/// have all bits 1, which marks numbers as unset; but y is given if only the backward sweep is run.
/// S: scalar of L and of the caller's vectors. N: scalar of numbers and of all arithmetic, double
/// or S.
template <class S, class N>
struct SweepMemory {
  const S* l;        ///< DeviceSchedule::entries numbers: a factor's panels, inverses and
                     ///< products (FactorMemory::entries)
  N* x;              ///< n: solution of the backward sweep
  N* y;              ///< n: solution of the forward sweep
  N* update;         ///< one number for each update row, in the order of UpdateRows::slot
  N* forward_part;   ///< kTile numbers for each vector of parts of the forward sweep
  N* backward_part;  ///< kTile numbers for each vector of parts of the backward sweep
  int* ticket;       ///< two: the last ticket drawn in the forward and in the backward sweep;
                     ///< -1 at first
  const S* b;        ///< b(old_of(k)) is the right-hand side of row k of L, old_of as in
                     ///< SweepView (null: k itself); read by the forward sweep alone
  S* out;            ///< the backward sweep writes out(back_of(k)) = x(k), back_of as in
                     ///< SweepView (null: k itself), or NaN if the verdict is not good; may be
                     ///< b
  Offset b_step;     ///< distance in scalars from one row of b to the next
  Offset out_step;
  const DeviceVerdict* verdict;
  const std::int32_t* run_flag;  ///< null, or the address of a number on the device: if it is 0,
                                 ///< the kernel returns at once
};

/// Returns the memory of a solve: l, and addresses in `numbers`, a workspace's array of
/// DeviceSchedule::Sweeps::numbers doubles, whose beginning holds as many N. b, out, their steps,
/// verdict and run_flag are null or 0: the caller sets them.
template <class S, class N>
SweepMemory<S, N> sweep_memory(const Plan& plan, const S* l, double* numbers);

/// Sets the addresses of parts of sums, which lie behind the update rows, in rows of `columns`
/// numbers.
template <class S, class N>
void place_parts(const Plan& plan, Index columns, SweepMemory<S, N>& memory);

/// The two ways of kernels of sweeps to load L (single/loads.cuh): BulkLoads is Hopper's,
/// AsyncLoads runs on every device. Both give the same bits. With N = float there is AsyncLoads
/// alone.
struct BulkLoads;
struct AsyncLoads;

/// Returns the number of blocks of a kernel that the current device holds at once; 0 if it cannot
/// run the kernel. Called once for each device, before the first launch, since it prepares the
/// kernel.
template <class S, class N, class Loads>
int sweep_blocks();
/// Enqueues a fill of `numbers`, the array of sweep_memory(), with all bits 1, which marks all
/// numbers N of one solve as unset and sets its tickets to -1. Throws Error(device).
template <class N>
void enqueue_unset(const Plan& plan, double* numbers, cudaStream_t stream);
/// Enqueues one launch that solves L y = b with b in the order of view.old_of, L^T x = y with x
/// stored to memory.out in the order of view.back_of, or one after the other. After a forward sweep
/// alone y is in memory.y, unchecked by the verdict. `memory` is that of sweep_memory() with b,
/// out, steps and verdict; its numbers are unset, but y is given if `forward` is false. `blocks`:
/// at most sweep_blocks(). Throws Error(device).
template <class S, class N, class Loads>
void enqueue_sweeps(const SweepView& view, const SweepMemory<S, N>& memory, bool forward,
                    bool backward, int blocks, cudaStream_t stream);

/// Returns the kernel as a member of a KernelSet, for `blocks` blocks.
template <class S, class N, class Loads>
SingleKernel<S> single_sweeps(int blocks) {
  SingleKernel<S> out{blocks};
  if constexpr (sizeof(N) == sizeof(double))
    out.enqueue = enqueue_sweeps<S, N, Loads>;
  else
    out.enqueue_in_float = enqueue_sweeps<S, N, Loads>;
  return out;
}

}  // namespace kauri::numeric::cuda
