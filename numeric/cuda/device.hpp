// Owners of what the CUDA runtime hands out, and its errors as kauri's.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include "kauri/backend.hpp"
#include "kauri/error.hpp"
#include "kauri/matrix.hpp"
#include "numeric/dense_view.hpp"
#include "src/base/memory.hpp"

namespace kauri::numeric::cuda {

/// Throws Error(memory) for a failed allocation, Error(device) for all else that is not success.
void check(cudaError_t status, const char* what);

/// What kind of memory an address is in.
cudaPointerAttributes attributes_of(const void* place);

/// Throws Error(usage) that names `name` unless an array lies on the device, from its first entry to its last; managed memory is any
/// device's.
void require_on_device(const void* first, const void* last, const char* name, int device);
/// Of a matrix that is not empty.
template <class T>
void require_on_device(const MatrixView<T>& a, const char* name, int device) {
  require_on_device(a.data, &strided(a)(a.rows - 1, a.cols - 1), name, device);
}

/// As long as this lives, the calling thread may ask about addresses while a stream is capturing, and nothing that it does disturbs
/// captures of other threads.
class RelaxedCapture {
 public:
  RelaxedCapture() { check(cudaThreadExchangeStreamCaptureMode(&mode_), "the mode of captures"); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;
  ~RelaxedCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;  // then the one before
};

/// The device of an executor is the calling thread's as long as this lives.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device);
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
  ~CurrentDevice() {
    if (changed_) cudaSetDevice(before_);
  }

 private:
  int before_ = 0;
  bool changed_ = false;
};

class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream"); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { cudaStreamDestroy(stream_); }
  [[nodiscard]] cudaStream_t get() const { return stream_; }
  void synchronize() const { check(cudaStreamSynchronize(stream_), "work on the device"); }
  /// For destructors.
  void wait() const noexcept { static_cast<void>(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "an event"); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(event_); }
  [[nodiscard]] cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Page-locked memory of the host, which the device may write, too.
class PinnedBytes {
 public:
  explicit PinnedBytes(std::size_t bytes) { check(cudaHostAlloc(&data_, bytes, cudaHostAllocMapped), "page-locked memory of the host"); }
  PinnedBytes(const PinnedBytes&) = delete;
  PinnedBytes& operator=(const PinnedBytes&) = delete;
  ~PinnedBytes() { cudaFreeHost(data_); }
  [[nodiscard]] void* data() const { return data_; }

 private:
  void* data_ = nullptr;
};

/// A device with the memory taken from it: by the allocator, or by cudaMalloc where it has no functions.
struct DeviceHeap {
  int device = 0;
  DeviceAllocator allocator;
  MemoryLedger* ledger = nullptr;  ///< of what is made in this memory; null: counted nowhere

  /// Null for no bytes. The device is current, as for require(). Throws Error(memory).
  [[nodiscard]] void* allocate(Offset bytes) const;
  /// Throws Error(memory) if there are fewer, as far as the driver tells: nobody knows of an allocator.
  void require(Offset bytes) const;
  void release(void* data, Offset bytes) const noexcept;
};

}  // namespace kauri::numeric::cuda
