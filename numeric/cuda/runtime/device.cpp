// Errors, streams and memory of the CUDA runtime.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/runtime/device.hpp"

#include <string>

#include "numeric/cuda/runtime/availability.hpp"
#include "numeric/cuda/runtime/watchdog.hpp"

namespace kauri::numeric::cuda {
namespace {

std::string too_little(Offset bytes) {
  return "not enough device memory: " + std::to_string(bytes) + " bytes needed";
}

/// Returns the free bytes of the current device's memory.
Offset free_bytes() {
  std::size_t there = 0, all = 0;
  check(cudaMemGetInfo(&there, &all), "the memory of the device");
  return static_cast<Offset>(there);
}

}  // namespace

std::string in_words(cudaError_t status) { return cudaGetErrorString(status) + hint_of(status); }

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  const auto kind = status == cudaErrorMemoryAllocation ? ErrorKind::memory : ErrorKind::device;
  throw Error(kind, maker().runtime + (": " + std::string(what)) + ": " + in_words(status) +
                        watchdog::report());
}

cudaPointerAttributes attributes_of(const void* place) {
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, place), "an address");
  return attributes;
}

void require_on_device(const void* first, const void* last, const char* name, int device) {
  for (const void* place : {first, last}) {
    const cudaPointerAttributes found = attributes_of(place);
    if (found.type == cudaMemoryTypeManaged ||
        (found.type == cudaMemoryTypeDevice && found.device == device))
      continue;
    const std::string where = found.type == cudaMemoryTypeDevice
                                  ? "that of device " + std::to_string(found.device)
                                  : "the host's";
    throw Error(ErrorKind::usage, std::string(name) + " is not in the memory of " + maker().device +
                                      " " + std::to_string(device) + " but in " + where);
  }
}

void Stream::synchronize() const {
  const CurrentDevice inside(Device{0, context_});
  check(cudaStreamSynchronize(stream_), "work on the device");
}

void Stream::wait() const noexcept {
  if (const InContext inside(context_); inside) static_cast<void>(cudaStreamSynchronize(stream_));
}

bool is_capturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(stream, &status), "the caller's stream");
  return status != cudaStreamCaptureStatusNone;
}

void fetch_bytes(void* here, const void* there, std::size_t bytes, const Stream& stream,
                 const char* what) {
  if (bytes > 0) check(cudaMemcpyAsync(here, there, bytes, cudaMemcpyDefault, stream.get()), what);
  stream.synchronize();
}

void enqueue_after(cudaStream_t earlier, const Stream& later, const char* name) {
  if (is_capturing(earlier))
    throw Error(ErrorKind::usage,
                std::string(name) +
                    ": the stream is capturing: a call that waits cannot come after what will run "
                    "later; end the capture first, or enqueue the call");
  const Event passed;
  check(cudaEventRecord(passed.get(), earlier), "the caller's stream");
  check(cudaStreamWaitEvent(later.get(), passed.get(), 0), "the caller's stream");
}

void* DeviceHeap::allocate(Offset bytes) const {
  if (bytes == 0) return nullptr;
  void* data = nullptr;
  if (allocator.allocate) {
    data = allocator.allocate(static_cast<std::size_t>(bytes), allocator.user);
    if (!data) throw Error(ErrorKind::memory, too_little(bytes) + " of the caller's allocator");
    return data;
  }
  const cudaError_t status = cudaMalloc(&data, static_cast<std::size_t>(bytes));
  if (status != cudaErrorMemoryAllocation) check(status, "memory of the device");
  if (status == cudaSuccess) return data;
  static_cast<void>(cudaGetLastError());
  throw Error(ErrorKind::memory,
              too_little(bytes) + ", " + std::to_string(free_bytes()) + " bytes free");
}

void DeviceHeap::require(Offset bytes) const {
  if (allocator.allocate) return;
  if (const Offset there = free_bytes(); bytes > there)
    throw Error(ErrorKind::memory,
                too_little(bytes) + ", " + std::to_string(there) + " bytes free");
}

void DeviceHeap::release(void* data, Offset bytes) const noexcept {
  if (!data) return;
  const InContext inside(device.context);
  if (allocator.release)
    allocator.release(data, static_cast<std::size_t>(bytes), allocator.user);
  else if (inside)
    static_cast<void>(cudaFree(data));
}

}  // namespace kauri::numeric::cuda
