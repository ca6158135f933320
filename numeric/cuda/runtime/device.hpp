// Owners of streams, events, memory and contexts of the CUDA runtime, and kauri's errors for the
// runtime's.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <optional>
#include <span>

#include "base/host/memory.hpp"
#include "kauri/core/backend.hpp"
#include "kauri/core/error.hpp"
#include "kauri/core/matrix.hpp"
#include "numeric/dense_view.hpp"

struct CUctx_st;  // a CUcontext is a pointer to it

namespace kauri::numeric::cuda {

/// Returns the runtime's text for an error, with a hint at its usual cause: "initialization error
/// (a process that was forked ...)".
std::string in_words(cudaError_t status);

/// Throws Error(memory) for a failed allocation, Error(device) for any other status that is not
/// success. `what` names the operation in the error's text.
void check(cudaError_t status, const char* what);

/// Returns what CUDA knows of the memory at `place`: its kind and its device. The backend's
/// device must be current, here and in require_on_device(). Throws Error(device).
cudaPointerAttributes attributes_of(const void* place);

/// Throws Error(usage), whose text begins with `name`, unless the first and the last entry of an
/// array lie in memory of the device. Managed memory counts as any device's.
void require_on_device(const void* first, const void* last, const char* name, int device);
/// Throws Error(usage) unless the first and the last entry of a, not empty, lie on the device.
template <class T>
void require_on_device(const MatrixView<T>& a, const char* name, int device) {
  require_on_device(a.data, &strided(a)(a.rows - 1, a.cols - 1), name, device);
}

/// A device, and the context on it that a backend works in; see open_device(). Converts to the
/// device's number.
struct Device {
  int number = 0;
  CUctx_st* context = nullptr;  ///< null: the calling thread's context
  operator int() const { return number; }
};

/// Returns device `number` with the context that a backend works in. If the calling thread works in
/// a context on that device that the caller made (cuCtxCreate), it is this one, which must live as
/// long as anything that the backend makes. Otherwise it is the device's primary context, which
/// other libraries use through the CUDA runtime; it is made if it does not exist yet, and retained
/// for the rest of the process, or until close_device(). Throws Error(device).
Device open_device(int number);
/// Releases the primary context that open_device() retained. No work of the backend may be left on
/// the device. Does nothing if the context is the caller's.
void close_device(const Device& device) noexcept;

/// Returns success or the driver's error about its own state. In a fork of a process that has used
/// CUDA this is an error, although the runtime still reports how many devices there were.
cudaError_t state_of_driver() noexcept;

/// Returns the calling thread's context, or null if it has none or there is no driver. Makes no
/// context.
CUctx_st* current_context() noexcept;

/// Returns the free bytes of the device's memory, or nothing if the process has no context there
/// that open_device() would take. Makes no context. Throws Error(device).
std::optional<Offset> free_bytes_of(int number);

/// While it lives, calls of the calling thread neither fail because some stream is capturing, nor
/// invalidate the capture (cudaStreamCaptureModeRelaxed). Makes no context, unlike
/// cudaThreadExchangeStreamCaptureMode().
class RelaxedCapture {
 public:
  RelaxedCapture() noexcept;
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;
  ~RelaxedCapture();

 private:
  static constexpr int kNotExchanged = -1;
  int mode_;  // the previous mode, a CUstreamCaptureMode
};

/// While it lives, the calling thread works in the given context; if `context` is null, in the
/// context that it has. Made for destructors: if the context has been destroyed, or the process is
/// a fork of the one that made it, the thread enters no context, and objects that were made in the
/// lost context no longer exist either.
class InContext {
 public:
  explicit InContext(CUctx_st* context) noexcept;
  InContext(const InContext&) = delete;
  InContext& operator=(const InContext&) = delete;
  ~InContext();
  /// Returns false if the context no longer exists.
  explicit operator bool() const { return status_ == 0; }

 protected:
  [[nodiscard]] int status() const { return status_; }

 private:
  RelaxedCapture relaxed_;
  bool entered_;
  int status_;  // a CUresult
};

/// While it lives, the calling thread works in the context of `device`, whether it had another
/// context on this or another device, or none. The destructor makes the thread's previous context
/// current again, or none if it had none, so that no device gets a context that the caller did not
/// ask for. Captures of other threads are not disturbed (RelaxedCapture). The constructor throws
/// Error(device) if the context no longer exists.
class CurrentDevice : private InContext {
 public:
  explicit CurrentDevice(const Device& device);
};

class Stream {
 public:
  /// Makes a stream in the calling thread's context.
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream"); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    if (const InContext inside(context_); inside) static_cast<void>(cudaStreamDestroy(stream_));
  }
  [[nodiscard]] cudaStream_t get() const { return stream_; }
  /// Waits for the stream's work, from any context. Throws Error(device).
  void synchronize() const;
  /// Waits for the stream's work, from any context, but ignores errors: for destructors.
  void wait() const noexcept;

 private:
  CUctx_st* context_ = current_context();
  cudaStream_t stream_ = nullptr;
};

/// Copies `bytes` bytes from `there` on the device to `here` in host memory, in the stream's order,
/// and waits for the stream. `what` names the copy in the text of an Error.
void fetch_bytes(void* here, const void* there, std::size_t bytes, const Stream& stream,
                 const char* what);
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
  /// Makes an event in the calling thread's context.
  Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "an event"); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() {
    if (const InContext inside(context_); inside) static_cast<void>(cudaEventDestroy(event_));
  }
  [[nodiscard]] cudaEvent_t get() const { return event_; }

 private:
  CUctx_st* context_ = current_context();
  cudaEvent_t event_ = nullptr;
};

bool is_capturing(cudaStream_t stream);

/// Makes all work that is enqueued on `later` after this call begin after the work that is on
/// `earlier` before it; the host does not wait. `earlier` is a stream of the caller's. The device
/// must be current. Throws Error: usage, with a text that begins with `name` (`earlier` is
/// capturing), device.
void enqueue_after(cudaStream_t earlier, const Stream& later, const char* name);

/// Page-locked memory of the host, uninitialised, which kernels can access, too.
class PinnedBytes {
 public:
  explicit PinnedBytes(std::size_t bytes) {
    check(cudaHostAlloc(&data_, bytes, cudaHostAllocMapped), "page-locked memory of the host");
  }
  PinnedBytes(const PinnedBytes&) = delete;
  PinnedBytes& operator=(const PinnedBytes&) = delete;
  ~PinnedBytes() {
    if (const InContext inside(context_); inside) static_cast<void>(cudaFreeHost(data_));
  }
  [[nodiscard]] void* data() const { return data_; }

 private:
  CUctx_st* context_ = current_context();
  void* data_ = nullptr;
};

/// A device and the source of its memory: the allocator, or cudaMalloc if the allocator has no
/// functions.
struct DeviceHeap {
  Device device;
  CudaOptions::Allocator allocator;
  MemoryLedger* ledger =
      nullptr;  ///< counts the bytes of arrays in this memory; null: they are not counted

  /// Allocates memory of the device; returns null for 0 bytes. The device must be current, as for
  /// require(). Throws Error: memory, device.
  [[nodiscard]] void* allocate(Offset bytes) const;
  /// Throws Error(memory) if the driver reports fewer than `bytes` free bytes. Does nothing if
  /// there is an allocator, whose free memory is unknown.
  void require(Offset bytes) const;
  /// Frees memory of `bytes` bytes that allocate() returned, from any context. `data` may be null.
  void release(void* data, Offset bytes) const noexcept;
};

}  // namespace kauri::numeric::cuda
