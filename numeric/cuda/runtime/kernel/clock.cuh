// The device's clock, and the end of a kernel that goes no further.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace kauri::numeric::cuda::kernels {

/// ns, the same for all multiprocessors, in steps of up to a microsecond.
__device__ inline std::uint64_t nanoseconds() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

/// What this thread has written is seen by the host.
__device__ inline void fence_for_host() { __threadfence_system(); }

/// Ends the kernel, and with it the context: all later calls fail.
__device__ inline void trap() { asm volatile("trap;"); }

}  // namespace kauri::numeric::cuda::kernels
