// AMD devices have these functions in place of those of kernel/clock.cuh.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "numeric/cuda/runtime/kernel/machine_amd.cuh"

extern "C" __device__ std::uint64_t __ockl_steadyctr_u64();  // of the device libraries: 100 MHz

namespace kauri::numeric::cuda::kernels {

__device__ inline std::uint64_t nanoseconds() { return 10 * __ockl_steadyctr_u64(); }
__device__ inline void fence_for_host() { __threadfence_system(); }
__device__ inline void trap() { hip::trap(); }

}  // namespace kauri::numeric::cuda::kernels
