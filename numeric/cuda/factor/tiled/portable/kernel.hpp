// The tasks of tiled fronts (plan/front_view.hpp) on any device from sm_80 on, in float too: the same lists, fronts and counters.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/backend.hpp"
#include "numeric/cuda/plan/front_view.hpp"

namespace kauri::numeric::cuda::kernels::portable {

/// How products are added: by FP64 tensor cores, of double alone; by fused multiply-adds; by tensor cores in TF32, of float alone, three
/// products of operands in two parts or one; or three of such parts in FP16, which the streamed kernel alone has.
enum class Arithmetic { tensor, fma, tf32x3, tf32, fp16x3 };

/// Of loops that are not Hopper's.
constexpr Arithmetic arithmetic_of(CudaCompute loops) {
  switch (loops) {
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

/// Teams, which are blocks, that the current device holds at once; 0 if it cannot run the kernel, or the arithmetic is not T's. To be
/// called once before the first launch on a device.
template <class T>
int resident_teams(Arithmetic arithmetic);

/// As kernels::enqueue_factor().
template <class T>
cudaError_t enqueue_factor(Arithmetic arithmetic, const FrontViewOf<T>* fronts, const symbolic::FrontTask* tasks, int task_count,
                           int* ticket, const Levels& levels, const ValuesOf<T>& values, const SumsOf<T>& sums, int least_part, int teams,
                           unsigned pauses, cudaStream_t stream);

}  // namespace kauri::numeric::cuda::kernels::portable
