// Products and sums that are rounded by themselves, never fused: kernels and loops of the host that go in the same order have the same
// bits.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/runtime/launch.hpp"

namespace kauri::numeric::cuda {

__device__ inline double rounded_product(double a, double b) { return __dmul_rn(a, b); }
__device__ inline float rounded_product(float a, float b) { return __fmul_rn(a, b); }
__device__ inline double rounded_sum(double a, double b) { return __dadd_rn(a, b); }
__device__ inline float rounded_sum(float a, float b) { return __fadd_rn(a, b); }

}  // namespace kauri::numeric::cuda
