// Launches of kernels as calls of a function: C++ that a compiler of the host alone reads too.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <utility>

namespace kauri::numeric::cuda::kernels {

/// kernel<<<blocks, threads, bytes, stream>>>(arguments...). Not cudaGetLastError(), which may be an error of the caller's own calls.
template <class... P, class... A>
[[nodiscard]] cudaError_t launch(void (*kernel)(P...), unsigned blocks, unsigned threads, std::size_t bytes, cudaStream_t stream,
                                 A&&... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = bytes;
  config.stream = stream;
  return cudaLaunchKernelEx(&config, kernel, std::forward<A>(arguments)...);
}

/// The same by a cooperative launch: it begins when all its blocks fit on the device together, however much runs beside them. For kernels
/// whose blocks wait for one another.
template <class... P, class... A>
[[nodiscard]] cudaError_t launch_cooperative(void (*kernel)(P...), unsigned blocks, unsigned threads, std::size_t bytes,
                                             cudaStream_t stream, A&&... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = bytes;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, std::forward<A>(arguments)...);
}

/// Blocks of such a launch that the current device holds at once; 0 if it cannot run it. Lets the kernel have the shared memory, so it
/// comes before the first launch.
template <class... P>
int cooperative_blocks(void (*kernel)(P...), int threads, int bytes) {
  int device = 0, cooperative = 0, processors = 0, blocks = 0;
  if (cudaGetDevice(&device) == cudaSuccess && cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device) == cudaSuccess &&
      cooperative != 0 && cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device) == cudaSuccess &&
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) == cudaSuccess &&
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, static_cast<std::size_t>(bytes)) == cudaSuccess)
    return blocks * processors;
  static_cast<void>(cudaGetLastError());  // an answer, not an error of the next launch
  return 0;
}

}  // namespace kauri::numeric::cuda::kernels
