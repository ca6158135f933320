// Loads and stores of numbers that are their own flags (solve/single/shared.cuh): whole, relaxed,
// of device scope; they order no other access.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#ifdef KAURI_HIP
#include "numeric/cuda/runtime/kernel/numbers_amd.cuh"
#else

#include "numeric/cuda/runtime/kernel/ptx.cuh"

namespace kauri::numeric::cuda::kernels::ptx {

/// Load and store one number.
__device__ inline double load_relaxed(const double* p) {
  double value;
  asm volatile("ld.relaxed.gpu.global.f64 %0, [%1];"
               : "=d"(value)
               : "l"(__cvta_generic_to_global(p))
               : "memory");
  return value;
}
__device__ inline void store_relaxed(double* p, double value) {
  asm volatile("st.relaxed.gpu.global.f64 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "d"(value)
               : "memory");
}

__device__ inline float load_relaxed(const float* p) {
  float value;
  asm volatile("ld.relaxed.gpu.global.f32 %0, [%1];"
               : "=f"(value)
               : "l"(__cvta_generic_to_global(p))
               : "memory");
  return value;
}
__device__ inline void store_relaxed(float* p, float value) {
  asm volatile("st.relaxed.gpu.global.f32 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "f"(value)
               : "memory");
}

/// Load and store two adjacent numbers, aligned to the pair. Each is its own flag: one may arrive
/// before the other.
__device__ inline double2 load_relaxed(const double2* p) {
  double2 value;
  asm volatile("ld.relaxed.gpu.global.v2.f64 {%0, %1}, [%2];"
               : "=d"(value.x), "=d"(value.y)
               : "l"(__cvta_generic_to_global(p))
               : "memory");
  return value;
}
__device__ inline void store_relaxed(double2* p, double2 value) {
  asm volatile("st.relaxed.gpu.global.v2.f64 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(p)),
               "d"(value.x), "d"(value.y)
               : "memory");
}
__device__ inline float2 load_relaxed(const float2* p) {
  float2 value;
  asm volatile("ld.relaxed.gpu.global.v2.f32 {%0, %1}, [%2];"
               : "=f"(value.x), "=f"(value.y)
               : "l"(__cvta_generic_to_global(p))
               : "memory");
  return value;
}
__device__ inline void store_relaxed(float2* p, float2 value) {
  asm volatile("st.relaxed.gpu.global.v2.f32 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(p)),
               "f"(value.x), "f"(value.y)
               : "memory");
}

}  // namespace kauri::numeric::cuda::kernels::ptx

#endif
