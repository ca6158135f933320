// Errors and memory of the CUDA runtime.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/device.hpp"

#include <string>

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

void copy_to_device(void* device, const void* host, std::size_t bytes) {
  if (bytes == 0) return;
  check(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, nullptr), "a copy to the device");
  check(cudaStreamSynchronize(nullptr), "a copy to the device");
}

void* DeviceMemory::allocate(Offset bytes, MemoryLedger& ledger) {
  void* data = nullptr;
  if (bytes == 0) return data;
  if (const cudaError_t status = cudaMalloc(&data, static_cast<std::size_t>(bytes)); status != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    throw Error(ErrorKind::memory, "not enough device memory for " + std::to_string(bytes) + " bytes (" + cudaGetErrorString(status) + ")");
  }
  ledger.add(bytes);
  return data;
}

void DeviceMemory::release(void* data, Offset bytes, MemoryLedger& ledger) noexcept {
  cudaFree(data);  // null is allowed
  ledger.remove(bytes);
}

}  // namespace kauri::numeric::cuda
