// Maxima over many blocks by integer atomics: the result does not depend on the order.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/residual_worst.hpp"

namespace kauri::numeric::cuda {

/// Sets *place = max(*place, to), atomically. Both numbers must be nonnegative or NaN without a
/// sign: such numbers order as their bits do. NaN counts as the largest.
__device__ inline void atomic_max_nonneg(double* place, double to) {
  const auto bits = static_cast<unsigned long long>(__double_as_longlong(to));
  auto* there = reinterpret_cast<unsigned long long*>(place);
  if (bits > __ldcg(there))
    atomicMax(there, bits);  // *there only grows: most threads need no atomic
}
/// Sets *place = max(*place, values of all threads of the block), for nonnegative values. All
/// threads of the block call it; it ends with a barrier. kWarps: warps of the block; of_warp:
/// shared memory, length kWarps. NaN counts as the largest.
template <int kWarps>
__device__ void atomic_max_over_block(double* place, double value, double* of_warp) {
  for (int by = 16; by > 0; by /= 2) value = max_or_nan(__shfl_xor_sync(~0U, value, by), value);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < kWarps; ++w) value = max_or_nan(of_warp[w], value);
    atomic_max_nonneg(place, value);
  }
  __syncthreads();
}

}  // namespace kauri::numeric::cuda
