// Loads and stores of numbers that are their own flags on AMD devices: relaxed atomics of agent
// scope, one for each number.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/runtime/kernel/ptx.cuh"

namespace kauri::numeric::cuda::kernels::ptx {

__device__ inline double load_relaxed(const double* p) { return hip::load_device(p); }
__device__ inline void store_relaxed(double* p, double value) { hip::store_device(p, value); }
__device__ inline float load_relaxed(const float* p) { return hip::load_device(p); }
__device__ inline void store_relaxed(float* p, float value) { hip::store_device(p, value); }

__device__ inline double2 load_relaxed(const double2* p) {
  const double x = hip::load_device(&p->x);
  return make_double2(x, hip::load_device(&p->y));
}
__device__ inline void store_relaxed(double2* p, double2 value) {
  hip::store_device(&p->x, static_cast<double>(value.x));
  hip::store_device(&p->y, static_cast<double>(value.y));
}
__device__ inline float2 load_relaxed(const float2* p) {
  const float x = hip::load_device(&p->x);
  return make_float2(x, hip::load_device(&p->y));
}
__device__ inline void store_relaxed(float2* p, float2 value) {
  hip::store_device(&p->x, static_cast<float>(value.x));
  hip::store_device(&p->y, static_cast<float>(value.y));
}

}  // namespace kauri::numeric::cuda::kernels::ptx
