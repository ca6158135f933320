// Launches of kernels as calls of functions, which a compiler for the host alone reads too.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <utility>

namespace kauri::numeric::cuda::kernels {

/// Launches kernel<<<blocks, threads, bytes, stream>>>(arguments...) and returns the error of this
/// launch. cudaGetLastError() would also return errors of the caller's earlier calls.
template <class... P, class... A>
[[nodiscard]] cudaError_t launch(void (*kernel)(P...), unsigned blocks, unsigned threads,
                                 std::size_t bytes, cudaStream_t stream, A&&... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = bytes;
  config.stream = stream;
  return cudaLaunchKernelEx(&config, kernel, std::forward<A>(arguments)...);
}

/// Launches a kernel whose blocks wait for one another: like launch(), but a cooperative launch
/// begins when all its blocks fit on the device together, whatever else runs there.
template <class... P, class... A>
[[nodiscard]] cudaError_t launch_cooperative(void (*kernel)(P...), unsigned blocks,
                                             unsigned threads, std::size_t bytes,
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

/// Returns the number of blocks of a cooperative launch that the current device holds at once, or 0
/// if it cannot run the kernel. `threads`, `bytes`: threads and dynamic shared memory of a block.
/// Call it before the first launch: it also lets the kernel have `bytes` bytes of shared memory.
template <class... P>
int cooperative_blocks(void (*kernel)(P...), int threads, int bytes) {
  int device = 0, cooperative = 0, processors = 0, blocks = 0;
  if (cudaGetDevice(&device) == cudaSuccess &&
      cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device) == cudaSuccess &&
      cooperative != 0 &&
      cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device) == cudaSuccess &&
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) ==
          cudaSuccess &&
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads,
                                                    static_cast<std::size_t>(bytes)) == cudaSuccess)
    return blocks * processors;
  static_cast<void>(cudaGetLastError());  // clears the error, which the result 0 reports, so that
                                          // the caller's next cudaGetLastError() has none
  return 0;
}

}  // namespace kauri::numeric::cuda::kernels
