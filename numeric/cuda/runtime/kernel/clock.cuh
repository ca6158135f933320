// The device's clock, a fence towards the host, and the trap that ends a kernel.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#ifdef KAURI_HIP
#include "numeric/cuda/runtime/kernel/clock_amd.cuh"
#else

#include <cstdint>

namespace kauri::numeric::cuda::kernels {

/// Returns the time in ns, the same on all multiprocessors, in steps of up to a microsecond.
__device__ inline std::uint64_t nanoseconds() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

/// Makes what this thread has written visible to the host.
__device__ inline void fence_for_host() { __threadfence_system(); }

/// Ends the kernel with an error that destroys the CUDA context: all later calls in it fail.
__device__ inline void trap() { asm volatile("trap;"); }

}  // namespace kauri::numeric::cuda::kernels

#endif
