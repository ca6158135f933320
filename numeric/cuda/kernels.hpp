// Launches of the level-by-level factorisation and solve.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/device_plan.hpp"
#include "numeric/cuda/kernels/front_kernels.hpp"

namespace kauri::numeric::cuda {

/// What became of a front.
enum class FrontState : int { done = 0, dead = 1, failed = 2 };  // dead: a descendant failed

/// Written by the stream at the end of a factorisation.
struct DeviceVerdict {
  int failed;    ///< 1 if A is not positive definite
  Index column;  ///< the failing column of least index in the plan's permutation, in the caller's numbering
  double pivot;  ///< met there
};

static_assert(sizeof(DeviceVerdict) == symbolic::kDeviceVerdictBytes);
static_assert(sizeof(FrontState) + sizeof(Index) + sizeof(double) == symbolic::kDeviceStateBytes);

/// Device memory of a factor. All arrays are borrowed.
template <class T>
struct FactorMemory {
  T* entries;          ///< DeviceSchedule::entries
  const T* value;      ///< of A, in the order of the pattern analysed
  const T* shift;      ///< one number
  FrontState* state;   ///< one per front; all done before the first level
  Index* fail_column;  ///< one per front: valid where it failed
  double* fail_pivot;
};

/// Device memory of a solve: right-hand sides row-major in the plan's numbering.
template <class T>
struct SolveMemory {
  const T* l;
  T* x;       ///< n x nrhs
  T* y;       ///< n x nrhs: solution of the forward sweep
  T* update;  ///< update_rows x nrhs
  Index nrhs;
};

/// Once per process and device: opt-in shared memory. Throws Error(device).
void prepare_kernels();

/// One level of a factorisation, all work on the stream. Multifrontal: children are pulled in their fixed order; no atomics.
template <class T>
void enqueue_level(const PlanView& plan, const Level& level, const FactorMemory<T>& memory, cudaStream_t stream);
/// The states of `count` tiled fronts from `first` in plan.order, of which the tasks tell.
void enqueue_states(const PlanView& plan, Index first, Index count, const kernels::FrontView* fronts, const FactorMemory<double>& memory,
                    cudaStream_t stream);
/// The verdict over `fronts` fronts.
template <class T>
void enqueue_verdict(const PlanView& plan, Index fronts, const FactorMemory<T>& memory, DeviceVerdict* verdict, cudaStream_t stream);

/// Sweeps of a solve, one level.
template <class T>
void enqueue_forward(const PlanView& plan, const Level& level, const SolveMemory<T>& memory, cudaStream_t stream);
template <class T>
void enqueue_backward(const PlanView& plan, const Level& level, const SolveMemory<T>& memory, cudaStream_t stream);
/// x(k,:) = b(old_of(k),:), and b(old_of(k),:) = x(k,:); b is n x nrhs, column-major with leading dimension ld, on the device.
template <class T>
void enqueue_gather(const PlanView& plan, Index n, const T* b, Offset ld, const SolveMemory<T>& memory, cudaStream_t stream);
template <class T>
void enqueue_scatter(const PlanView& plan, Index n, T* b, Offset ld, const SolveMemory<T>& memory, cudaStream_t stream);

}  // namespace kauri::numeric::cuda
