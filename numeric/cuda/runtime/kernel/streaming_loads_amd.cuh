// AMD devices have these loads in place of those of kernel/streaming_loads.cuh.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace kauri::numeric::cuda {

template <class T>
__device__ inline void load_streaming(T (&to)[4], const T* from) {
#pragma unroll
  for (int k = 0; k < 4; ++k) to[k] = __builtin_nontemporal_load(from + k);
}

}  // namespace kauri::numeric::cuda
