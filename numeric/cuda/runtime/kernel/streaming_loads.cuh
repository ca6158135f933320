// Loads of four numbers that a kernel reads once. They bypass L1, which is left to data that is
// read again. `from` must be aligned to 16 bytes, and no thread may write there during the launch.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#ifdef KAURI_HIP
#include "numeric/cuda/runtime/kernel/streaming_loads_amd.cuh"
#else

#include <cstdint>

namespace kauri::numeric::cuda {

__device__ inline void load_streaming(std::int32_t (&to)[4], const std::int32_t* from) {
  asm("ld.global.nc.L1::no_allocate.v4.s32 {%0, %1, %2, %3}, [%4];"
      : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
      : "l"(__cvta_generic_to_global(from)));
}
__device__ inline void load_streaming(float (&to)[4], const float* from) {
  asm("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
      : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
      : "l"(__cvta_generic_to_global(from)));
}
__device__ inline void load_streaming(double (&to)[4], const double* from) {
  const auto address = __cvta_generic_to_global(from);
  asm("ld.global.nc.L1::no_allocate.v2.f64 {%0, %1}, [%2];"
      : "=d"(to[0]), "=d"(to[1])
      : "l"(address));
  asm("ld.global.nc.L1::no_allocate.v2.f64 {%0, %1}, [%2];"
      : "=d"(to[2]), "=d"(to[3])
      : "l"(address + 16));
}

}  // namespace kauri::numeric::cuda

#endif
