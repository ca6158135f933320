// Products of FP64 tensor cores that every device from sm_80 on makes, as fast as each can.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/runtime/kernel/ptx.cuh"

// KAURI_BEFORE_HOPPER: a program of the emulated device defines it, to run what sm_80 runs.
#if (defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900) || defined(KAURI_BEFORE_HOPPER)
#define KAURI_MMA_BY_FOURS
#endif

namespace kauri::numeric::cuda::kernels::ptx {

/// c (16x8) += a (16x4k) b (4kx8), k = kFours, by products of 8 x 4 by 4 x 8. A lane holds its
/// numbers of a, b and c as for one mma of this shape.
template <int kFours>
__device__ __forceinline__ void mma_by_fours(double (&c)[4], const double (&a)[2 * kFours],
                                             const double (&b)[kFours]) {
  double upper[2] = {c[0], c[1]}, lower[2] = {c[2], c[3]};
#pragma unroll
  for (int k = 0; k < kFours; ++k) mma(upper, a[2 * k], b[k]), mma(lower, a[2 * k + 1], b[k]);
  c[0] = upper[0], c[1] = upper[1], c[2] = lower[0], c[3] = lower[1];
}

/// c (16x8) += a (16x4k) b (4kx8), k = kFours (2 or 4): by one instruction from sm_90 on, where
/// products of 8 x 4 by 4 x 8 have half of the speed; by these on sm_80, which lacks others.
template <int kFours>
__device__ __forceinline__ void any_mma(double (&c)[4], const double (&a)[2 * kFours],
                                        const double (&b)[kFours]) {
#ifdef KAURI_MMA_BY_FOURS
  mma_by_fours(c, a, b);
#else
  mma(c, a, b);
#endif
}

/// Loads two adjacent doubles from shared memory, which are not adjacent in the left operand `a` of
/// any_mma(): by two instructions where `a` is one operand of an instruction, since its registers
/// are then consecutive.
__device__ __forceinline__ void load_left(double& x, double& y, SharedAddress address) {
#ifdef KAURI_MMA_BY_FOURS
  load_shared(x, y, address);
#else
  load_shared(x, address);
  load_shared(y, address + 8);
#endif
}

}  // namespace kauri::numeric::cuda::kernels::ptx

#undef KAURI_MMA_BY_FOURS
