// Launches of kernels as calls of a function: C++ that a compiler of the host alone reads too.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <utility>

namespace kauri::numeric::cuda::kernels {

/// kernel<<<blocks, threads, bytes, stream>>>(arguments...). What went wrong is cudaGetLastError()'s.
template <class... P, class... A>
void launch(void (*kernel)(P...), unsigned blocks, unsigned threads, std::size_t bytes, cudaStream_t stream, A&&... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = bytes;
  config.stream = stream;
  static_cast<void>(cudaLaunchKernelEx(&config, kernel, std::forward<A>(arguments)...));
}

}  // namespace kauri::numeric::cuda::kernels
