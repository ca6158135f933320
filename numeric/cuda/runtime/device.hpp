// Owners of what the CUDA runtime hands out, and its errors as kauri's.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <optional>
#include <span>

#include "base/host/memory.hpp"
#include "kauri/backend.hpp"
#include "kauri/error.hpp"
#include "kauri/matrix.hpp"
#include "numeric/dense_view.hpp"

struct CUctx_st;  // a CUcontext points to it

namespace kauri::numeric::cuda {

/// The driver's words, and what they are met with: "initialization error (a process that was forked ...)".
std::string in_words(cudaError_t status);

/// Throws Error(memory) for a failed allocation, Error(device) for all else that is not success.
void check(cudaError_t status, const char* what);

/// What kind of memory an address is in. The device is current, as for what follows.
cudaPointerAttributes attributes_of(const void* place);

/// Throws Error(usage) that names `name` unless an array lies on the device, from its first entry to its last; managed memory is any
/// device's.
void require_on_device(const void* first, const void* last, const char* name, int device);
/// Of a matrix that is not empty.
template <class T>
void require_on_device(const MatrixView<T>& a, const char* name, int device) {
  require_on_device(a.data, &strided(a)(a.rows - 1, a.cols - 1), name, device);
}

/// A device, and the context of it that a backend works in, see open_device(). Says which device to whoever takes a number.
struct Device {
  int number = 0;
  CUctx_st* context = nullptr;  ///< null: that of the calling thread
  operator int() const { return number; }
};

/// The context of that device which the calling thread works in, if it does: one of the caller's own (cuCtxCreate), which then lives as
/// long as anything that the backend makes. Else the device's primary context, made where it is not there yet, and retained for the rest
/// of the process: what other libraries use through the CUDA runtime. Throws Error(device).
Device open_device(int number);
/// Gives back the primary context that open_device() retained, for a device that nothing works on. Does nothing where the context is the
/// caller's own.
void close_device(const Device& device) noexcept;

/// Success, or what the driver says of itself: in a fork of a process that has used CUDA an error, though the runtime still knows how many
/// devices there were.
cudaError_t state_of_driver() noexcept;

/// Of the calling thread; null: none, or no driver. Makes none.
CUctx_st* current_context() noexcept;

/// Free bytes of the device's memory, if the process has a context there that open_device() would take; makes none.
std::optional<Offset> free_bytes_of(int number);

/// As long as this lives, the calling thread's calls neither fail for a capture of any stream, nor invalidate one
/// (cudaStreamCaptureModeRelaxed). Makes no context, as cudaThreadExchangeStreamCaptureMode() would.
class RelaxedCapture {
 public:
  RelaxedCapture() noexcept;
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;
  ~RelaxedCapture();

 private:
  static constexpr int kNotExchanged = -1;
  int mode_;  // the one before, a CUstreamCaptureMode
};

/// As long as this lives, the calling thread works in that context, if there is one: for destructors. Where the context has been destroyed,
/// or the process is a fork of the one that made it, nothing is entered: what was made in it is gone, too.
class InContext {
 public:
  explicit InContext(CUctx_st* context) noexcept;
  InContext(const InContext&) = delete;
  InContext& operator=(const InContext&) = delete;
  ~InContext();
  /// False where the context is no longer there.
  explicit operator bool() const { return status_ == 0; }

 protected:
  [[nodiscard]] int status() const { return status_; }

 private:
  RelaxedCapture relaxed_;
  bool entered_;
  int status_;  // a CUresult
};

/// The calling thread works in a backend's context as long as this lives, whatever context it has: its own one, none, or one on another
/// device. That one is current again afterwards; none where there was none, so no device gets a context that nobody asked for. Captures
/// of other threads are not disturbed (RelaxedCapture). Throws Error(device) where the context is no longer there.
class CurrentDevice : private InContext {
 public:
  explicit CurrentDevice(const Device& device);
};

class Stream {
 public:
  /// In the calling thread's context.
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream"); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    if (const InContext inside(context_); inside) cudaStreamDestroy(stream_);
  }
  [[nodiscard]] cudaStream_t get() const { return stream_; }
  /// From any context.
  void synchronize() const;
  /// For destructors.
  void wait() const noexcept;

 private:
  CUctx_st* context_ = current_context();
  cudaStream_t stream_ = nullptr;
};

/// Numbers from the device to the host's memory, in the stream's order; they are there when this returns.
void fetch_bytes(void* here, const void* there, std::size_t bytes, const Stream& stream, const char* what);
template <class T>
void fetch(std::span<T> here, const T* there, const Stream& stream, const char* what) {
  fetch_bytes(here.data(), there, here.size_bytes(), stream, what);
}
template <class T>
[[nodiscard]] T fetch(const T* there, const Stream& stream, const char* what) {
  T value{};
  fetch_bytes(&value, there, sizeof value, stream, what);
  return value;
}

class Event {
 public:
  /// In the calling thread's context.
  Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "an event"); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() {
    if (const InContext inside(context_); inside) cudaEventDestroy(event_);
  }
  [[nodiscard]] cudaEvent_t get() const { return event_; }

 private:
  CUctx_st* context_ = current_context();
  cudaEvent_t event_ = nullptr;
};

bool is_capturing(cudaStream_t stream);

/// What is enqueued on `later` from here on begins after what is on `earlier` by now, a stream of the caller's, which is not capturing:
/// Error(usage), named by `name`. The device is current.
void enqueue_after(cudaStream_t earlier, const Stream& later, const char* name);

/// Page-locked memory of the host, which the device may write, too.
class PinnedBytes {
 public:
  explicit PinnedBytes(std::size_t bytes) { check(cudaHostAlloc(&data_, bytes, cudaHostAllocMapped), "page-locked memory of the host"); }
  PinnedBytes(const PinnedBytes&) = delete;
  PinnedBytes& operator=(const PinnedBytes&) = delete;
  ~PinnedBytes() {
    if (const InContext inside(context_); inside) cudaFreeHost(data_);
  }
  [[nodiscard]] void* data() const { return data_; }

 private:
  CUctx_st* context_ = current_context();
  void* data_ = nullptr;
};

/// A device with the memory taken from it: by the allocator, or by cudaMalloc where it has no functions.
struct DeviceHeap {
  Device device;
  DeviceAllocator allocator;
  MemoryLedger* ledger = nullptr;  ///< of what is made in this memory; null: counted nowhere

  /// Null for no bytes. The device is current, as for require(). Throws Error(memory).
  [[nodiscard]] void* allocate(Offset bytes) const;
  /// Throws Error(memory) if there are fewer, as far as the driver tells: nobody knows of an allocator.
  void require(Offset bytes) const;
  /// From any context.
  void release(void* data, Offset bytes) const noexcept;
};

}  // namespace kauri::numeric::cuda
