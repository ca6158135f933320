// Launches of kernels as calls of functions, which a compiler for the host alone reads too.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <utility>

namespace kauri::numeric::cuda::kernels {

// A thread of a kernel is a hardware thread of its launch on CUDA devices, and on AMD devices in
// most sources; but where warps wait for one another a warp has a wavefront of its own
// (kernel/language_amd.cuh), and wavefronts of 64 lanes are twice as long as warps.

/// Each thread is a hardware thread.
struct OneEach {
  static constexpr unsigned hardware_threads(unsigned threads) { return threads; }
};

#ifdef KAURI_WARPS_WAIT
/// Each warp has a wavefront of the current device, where the number of threads is one of whole
/// warps.
struct OwnWavefronts {
  static unsigned hardware_threads(unsigned threads) {
    int device = 0, lanes = 32;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&lanes, cudaDevAttrWarpSize, device) != cudaSuccess)
      static_cast<void>(cudaGetLastError());  // the launch fails for the same reason
    return threads / 32 * static_cast<unsigned>(lanes);
  }
};
using LanesHere = OwnWavefronts;
#else
using LanesHere = OneEach;
#endif

/// Launches kernel<<<blocks, threads, bytes, stream>>>(arguments...) and returns the error of this
/// launch. cudaGetLastError() would also return errors of the caller's earlier calls. Lanes, here
/// and below: the type of the calling source.
template <class Lanes = LanesHere, class... P, class... A>
[[nodiscard]] cudaError_t launch(void (*kernel)(P...), unsigned blocks, unsigned threads,
                                 std::size_t bytes, cudaStream_t stream, A&&... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(Lanes::hardware_threads(threads));
  config.dynamicSmemBytes = bytes;
  config.stream = stream;
  return cudaLaunchKernelEx(&config, kernel, std::forward<A>(arguments)...);
}

/// Launches a kernel whose blocks wait for one another: like launch(), but a cooperative launch
/// begins when all its blocks fit on the device together, whatever else runs there.
template <class Lanes = LanesHere, class... P, class... A>
[[nodiscard]] cudaError_t launch_cooperative(void (*kernel)(P...), unsigned blocks,
                                             unsigned threads, std::size_t bytes,
                                             cudaStream_t stream, A&&... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(Lanes::hardware_threads(threads));
  config.dynamicSmemBytes = bytes;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, std::forward<A>(arguments)...);
}

/// Returns the number of blocks of a cooperative launch that the current device holds at once, or 0
/// if it cannot run the kernel. `threads`, `bytes`: threads and dynamic shared memory of a block.
/// Call it before the first launch: it also lets the kernel have `bytes` bytes of shared memory.
template <class Lanes = LanesHere, class... P>
int cooperative_blocks(void (*kernel)(P...), int threads, int bytes) {
  const auto lanes = static_cast<int>(Lanes::hardware_threads(static_cast<unsigned>(threads)));
  int device = 0, cooperative = 0, processors = 0, blocks = 0;
  if (cudaGetDevice(&device) == cudaSuccess &&
      cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device) == cudaSuccess &&
      cooperative != 0 &&
      cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device) == cudaSuccess &&
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) ==
          cudaSuccess &&
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, lanes,
                                                    static_cast<std::size_t>(bytes)) == cudaSuccess)
    return blocks * processors;
  static_cast<void>(cudaGetLastError());  // clears the error, which the result 0 reports, so that
                                          // the caller's next cudaGetLastError() has none
  return 0;
}

}  // namespace kauri::numeric::cuda::kernels
