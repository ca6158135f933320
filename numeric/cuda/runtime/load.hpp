// Loading of kernels before their first launch.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/runtime/device.hpp"

namespace kauri::numeric::cuda {

/// Loads a kernel on the current device now. Otherwise it is loaded at its first launch, which may
/// be inside a caller's capture, or take time from a caller's first factorisation. Throws Error:
/// device, memory.
template <class Kernel>
void load(Kernel* kernel) {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel)), "a kernel");
}

}  // namespace kauri::numeric::cuda
