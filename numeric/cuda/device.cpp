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

cudaPointerAttributes attributes_of(const void* place) {
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, place), "an address");
  return attributes;
}

CurrentDevice::CurrentDevice(int device) {
  check(cudaGetDevice(&before_), "the current device");
  changed_ = before_ != device;
  if (changed_) check(cudaSetDevice(device), "the device");
}

void DeviceHeap::require(Offset bytes) const {
  if (allocator.allocate) return;
  std::size_t there = 0, all = 0;
  check(cudaMemGetInfo(&there, &all), "the memory of the device");
  if (static_cast<Offset>(there) < bytes)
    throw Error(ErrorKind::memory,
                "not enough device memory: " + std::to_string(bytes) + " bytes needed, " + std::to_string(there) + " bytes free");
}

void* DeviceMemory::allocate(Offset bytes, const DeviceHeap& heap) {
  if (bytes == 0) return nullptr;
  void* data = nullptr;
  const char* reason = "by the caller's allocator";
  if (heap.allocator.allocate) {
    data = heap.allocator.allocate(static_cast<std::size_t>(bytes), heap.allocator.user);
  } else if (const cudaError_t status = cudaMalloc(&data, static_cast<std::size_t>(bytes)); status != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    data = nullptr;
    reason = cudaGetErrorString(status);
  }
  if (!data) throw Error(ErrorKind::memory, "not enough device memory for " + std::to_string(bytes) + " bytes (" + reason + ")");
  if (heap.ledger) heap.ledger->add(bytes);
  return data;
}

void DeviceMemory::release(void* data, Offset bytes, const DeviceHeap& heap) noexcept {
  if (!data) return;
  if (heap.allocator.release) {
    int before = heap.device;
    cudaGetDevice(&before);
    cudaSetDevice(heap.device);
    heap.allocator.release(data, static_cast<std::size_t>(bytes), heap.allocator.user);
    cudaSetDevice(before);
  } else {
    cudaFree(data);
  }
  if (heap.ledger) heap.ledger->remove(bytes);
}

}  // namespace kauri::numeric::cuda
