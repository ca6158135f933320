// The tasks of tiled fronts (front_kernels.hpp) on any device from sm_80 on, in float too: the same lists, fronts and counters.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/kernels/front_kernels.hpp"

namespace kauri::numeric::cuda::kernels::portable {

/// How products are added: by FP64 tensor cores, of double alone, or by fused multiply-adds.
enum class Arithmetic { tensor, fma };

/// Teams, which are blocks, that the current device holds at once; 0 if it cannot run the kernel. To be called once before the first launch
/// on a device.
template <class T>
int resident_teams(Arithmetic arithmetic);

/// As kernels::enqueue_factor().
template <class T>
cudaError_t enqueue_factor(Arithmetic arithmetic, const FrontViewOf<T>* fronts, const symbolic::FrontTask* tasks, int task_count,
                           int* ticket, const Levels& levels, const ValuesOf<T>& values, const SumsOf<T>& sums, int least_part, int teams,
                           unsigned pauses, cudaStream_t stream);

}  // namespace kauri::numeric::cuda::kernels::portable
