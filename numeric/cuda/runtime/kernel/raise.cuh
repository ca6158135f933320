// Maxima over many blocks, by integer atomics: the same whatever the order.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/residual_worst.hpp"

namespace kauri::numeric::cuda {

/// Of numbers that are not negative, or NaN: those order as their bits do, a NaN above all.
__device__ inline void raise(double* place, double to) {
  const auto bits = static_cast<unsigned long long>(__double_as_longlong(to));
  auto* there = reinterpret_cast<unsigned long long*>(place);
  if (bits > __ldcg(there)) atomicMax(there, bits);  // it only grows: most need not ask again
}
/// By all kWarps warps of a block; of_warp: shared, as many.
template <int kWarps>
__device__ void raise_over_block(double* place, double value, double* of_warp) {
  for (int by = 16; by > 0; by /= 2) value = max_or_nan(__shfl_xor_sync(~0U, value, by), value);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < kWarps; ++w) value = max_or_nan(of_warp[w], value);
    raise(place, value);
  }
  __syncthreads();
}

}  // namespace kauri::numeric::cuda
