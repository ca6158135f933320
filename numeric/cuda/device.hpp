// Owners of what the CUDA runtime hands out, and its errors as kauri's.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <span>
#include <vector>

#include "kauri/error.hpp"
#include "src/base/memory.hpp"

namespace kauri::numeric::cuda {

/// Throws Error(memory) for a failed allocation, Error(device) for all else that is not success.
void check(cudaError_t status, const char* what);

/// The device of an executor is the calling thread's as long as this lives.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device);
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
  ~CurrentDevice() { cudaSetDevice(before_); }

 private:
  int before_ = 0;
};

class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream"); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { cudaStreamDestroy(stream_); }
  [[nodiscard]] cudaStream_t get() const { return stream_; }
  void synchronize() const { check(cudaStreamSynchronize(stream_), "work on the device"); }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Where a DeviceBuffer takes its bytes from: the device that is current.
struct DeviceMemory {
  static void* allocate(Offset bytes, MemoryLedger& ledger);  ///< null for no bytes
  static void release(void* data, Offset bytes, MemoryLedger& ledger) noexcept;
};

template <class T>
using DeviceBuffer = Buffer<T, DeviceMemory>;

/// Host memory to the device, there when this returns: cudaMemcpy alone may return before a copy from pageable memory has arrived.
void copy_to_device(void* device, const void* host, std::size_t bytes);

/// A copy of host memory, ready when this returns.
template <class T>
DeviceBuffer<T> upload(std::span<const T> host, MemoryLedger& ledger) {
  DeviceBuffer<T> buffer(static_cast<Offset>(host.size()), ledger);
  copy_to_device(buffer.data(), host.data(), host.size_bytes());
  return buffer;
}
template <class T>
DeviceBuffer<T> upload(const std::vector<T>& host, MemoryLedger& ledger) {
  return upload(std::span<const T>(host), ledger);
}

}  // namespace kauri::numeric::cuda
