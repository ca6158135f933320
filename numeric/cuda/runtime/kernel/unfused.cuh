// Products and sums that are rounded one by one, never contracted to a fused multiply-add: kernels
// and loops of the host that sum in the same order give the same bits.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/runtime/launch.hpp"

namespace kauri::numeric::cuda {

__device__ inline double mul_rn(double a, double b) { return __dmul_rn(a, b); }
__device__ inline float mul_rn(float a, float b) { return __fmul_rn(a, b); }
__device__ inline double add_rn(double a, double b) { return __dadd_rn(a, b); }
__device__ inline float add_rn(float a, float b) { return __fadd_rn(a, b); }
__device__ inline double sub_rn(double a, double b) { return __dsub_rn(a, b); }
__device__ inline float sub_rn(float a, float b) { return __fsub_rn(a, b); }

}  // namespace kauri::numeric::cuda
