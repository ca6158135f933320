// The tasks of tiled fronts (plan/front_view.hpp) on any device from sm_80 on, in double and in
// float, with the same lists, fronts and counters as Hopper's kernels.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include "kauri/core/backend.hpp"
#include "numeric/cuda/plan/front_view.hpp"

namespace kauri::numeric::cuda::kernels::portable {

/// Arithmetic of products: FP64 tensor cores, for double only; fused multiply-adds; TF32 tensor
/// cores, for float only, with three products of operands in two parts, or with one; or three
/// products of parts in FP16, which only the streamed kernel has.
enum class Arithmetic { tensor, fma, tf32x3, tf32, fp16x3 };

/// Returns the arithmetic of a CudaCompute other than `hopper`.
constexpr Arithmetic arithmetic_of(CudaCompute compute) {
  switch (compute) {
    case CudaCompute::tensor:
      return Arithmetic::tensor;
    case CudaCompute::tf32x3:
      return Arithmetic::tf32x3;
    case CudaCompute::tf32:
      return Arithmetic::tf32;
    case CudaCompute::fp16x3:
      return Arithmetic::fp16x3;
    default:
      return Arithmetic::fma;
  }
}

/// Returns the number of teams, one per thread block, that the current device holds at once; 0 if
/// it cannot run the kernel or the kernel lacks the arithmetic for T. Call it before the first
/// launch on a device, since it prepares the kernel.
template <class T>
int resident_teams(Arithmetic arithmetic);

/// Enqueues the fronts' partial Cholesky, as kernels::enqueue_factor() (hopper/front_kernel.hpp),
/// but `teams` may be odd. Requires that resident_teams<T>(arithmetic) is not 0, and at least
/// `teams`.
template <class T>
cudaError_t enqueue_factor(Arithmetic arithmetic, const FrontViewOf<T>* fronts,
                           const symbolic::FrontTask* tasks, int task_count, int* ticket,
                           const Levels& levels, const ValuesOf<T>& values, const SumsOf<T>& sums,
                           int least_part, int teams, unsigned pauses, cudaStream_t stream);

}  // namespace kauri::numeric::cuda::kernels::portable
