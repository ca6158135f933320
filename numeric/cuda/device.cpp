// Errors of the CUDA runtime.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/device.hpp"

namespace kauri::numeric::cuda {

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  const auto kind = status == cudaErrorMemoryAllocation ? ErrorKind::memory : ErrorKind::device;
  throw Error(kind, std::string("CUDA: ") + what + ": " + cudaGetErrorString(status));
}

CurrentDevice::CurrentDevice(int device) {
  check(cudaGetDevice(&before_), "the current device");
  check(cudaSetDevice(device), "the device");
}

}  // namespace kauri::numeric::cuda
