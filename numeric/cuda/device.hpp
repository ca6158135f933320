// Owners of what the CUDA runtime hands out, and its errors as kauri's.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <span>
#include <string>
#include <utility>
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

/// `count` uninitialised T on the device that is current, counted in a ledger that outlives it. Move-only.
template <class T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(Offset count, MemoryLedger& ledger) : bytes_(byte_count(count, Offset{sizeof(T)})), ledger_(&ledger) {
    if (bytes_ == 0) return;
    void* data = nullptr;
    const cudaError_t status = cudaMalloc(&data, static_cast<std::size_t>(bytes_));
    if (status != cudaSuccess) {
      bytes_ = 0;
      static_cast<void>(cudaGetLastError());
      throw Error(ErrorKind::memory, "not enough device memory for " + std::to_string(count * Offset{sizeof(T)}) + " bytes (" +
                                         cudaGetErrorString(status) + ")");
    }
    data_ = static_cast<T*>(data);
    ledger.add(bytes_);
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept { swap(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    DeviceBuffer taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~DeviceBuffer() {
    if (!data_) return;
    cudaFree(data_);
    ledger_->remove(bytes_);
  }
  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] Offset size() const { return bytes_ / Offset{sizeof(T)}; }

 private:
  void swap(DeviceBuffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(ledger_, other.ledger_);
  }
  T* data_ = nullptr;
  Offset bytes_ = 0;
  MemoryLedger* ledger_ = nullptr;
};

/// A copy of host memory, ready when this returns.
template <class T>
DeviceBuffer<T> upload(std::span<const T> host, MemoryLedger& ledger) {
  DeviceBuffer<T> buffer(static_cast<Offset>(host.size()), ledger);
  if (!host.empty()) check(cudaMemcpy(buffer.data(), host.data(), host.size_bytes(), cudaMemcpyHostToDevice), "a copy to the device");
  return buffer;
}
template <class T>
DeviceBuffer<T> upload(const std::vector<T>& host, MemoryLedger& ledger) {
  return upload(std::span<const T>(host), ledger);
}

}  // namespace kauri::numeric::cuda
