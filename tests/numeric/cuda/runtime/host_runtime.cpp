// Implements functions of the CUDA runtime on the host.
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/numeric/cuda/runtime/host_runtime.hpp"

#include <cuda_runtime_api.h>

#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>

namespace {

using kauri::test::runtime_calls;

struct Copy {
  void* to;
  const void* from;
  std::size_t bytes;
};

struct Line {
  std::deque<Copy> waiting;
  std::size_t put = 0;
};

struct Mark {
  cudaStream_t stream;
  std::size_t put;
};

std::mutex mutex;
std::map<cudaStream_t, Line> lines;
std::map<cudaEvent_t, Mark> marks;

/// Runs the stream's copies until `put` of them have been done in total.
void run(cudaStream_t stream, std::size_t put) {
  Line& line = lines[stream];
  while (line.put - line.waiting.size() < put) {
    const Copy copy = line.waiting.front();
    line.waiting.pop_front();
    std::memcpy(copy.to, copy.from, copy.bytes);
  }
}

cudaError_t allocate(void** data, std::size_t bytes, int& calls) {
  const std::scoped_lock lock(mutex);
  ++calls;
  *data = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (!*data) return cudaErrorMemoryAllocation;
  std::memset(*data, std::to_integer<int>(kauri::test::kFresh), bytes);
  return cudaSuccess;
}

cudaError_t no_driver(void** entry) {
  *entry = nullptr;
  return cudaErrorInsufficientDriver;
}

}  // namespace

namespace kauri::test {

RuntimeCalls& runtime_calls() {
  static RuntimeCalls calls;
  return calls;
}

}  // namespace kauri::test

extern "C" {

cudaError_t cudaGetLastError() { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t) { return "as asked for"; }
/// This runtime has no driver and no contexts: all calls work in the calling thread's.
#if CUDART_VERSION >= 12050
cudaError_t cudaGetDriverEntryPointByVersion(const char*, void** entry, unsigned,
                                             unsigned long long, cudaDriverEntryPointQueryResult*) {
  return no_driver(entry);
}
#else
cudaError_t cudaGetDriverEntryPoint(const char*, void** entry, unsigned long long,
                                    cudaDriverEntryPointQueryResult*) {
  return no_driver(entry);
}
#endif

cudaError_t cudaMalloc(void** data, std::size_t bytes) {
  return allocate(data, bytes, runtime_calls().allocations);
}
cudaError_t cudaHostAlloc(void** data, std::size_t bytes, unsigned) {
  return allocate(data, bytes, runtime_calls().pinned);
}
cudaError_t cudaFree(void* data) {
  std::free(data);
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* data) { return cudaFree(data); }
cudaError_t cudaHostRegister(void*, std::size_t, unsigned) { return cudaSuccess; }
cudaError_t cudaHostGetDevicePointer(void** there, void* here, unsigned) {
  *there = here;
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* all) {
  *free = *all = 0;
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void*) {
  *attributes = {};
  attributes->type = cudaMemoryTypeUnregistered;
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  const std::scoped_lock lock(mutex);
  ++runtime_calls().streams;
  *stream = static_cast<cudaStream_t>(std::malloc(1));
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const std::scoped_lock lock(mutex);
  run(stream, lines[stream].put);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  cudaStreamSynchronize(stream);
  const std::scoped_lock lock(mutex);
  lines.erase(stream);
  std::free(stream);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  const std::scoped_lock lock(mutex);
  ++runtime_calls().copies;
  lines[stream].waiting.push_back({to, from, bytes});
  ++lines[stream].put;
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = static_cast<cudaEvent_t>(std::malloc(1));
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const std::scoped_lock lock(mutex);
  marks.erase(event);
  std::free(event);
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const std::scoped_lock lock(mutex);
  marks[event] = {stream, lines[stream].put};
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) {
  return cudaErrorNotSupported;
}  // uploads do not ask for it
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const std::scoped_lock lock(mutex);
  if (const auto mark = marks.find(event);
      mark != marks.end() && lines.contains(mark->second.stream))
    run(mark->second.stream, mark->second.put);
  return cudaSuccess;
}

}  // extern "C"
