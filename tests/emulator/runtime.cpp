// The runtime of the emulated device.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "tests/emulator/device/cuda_runtime_api.h"

using Work = std::function<cudaError_t()>;
using kauri::emulator::GraphStep;

struct EmulatedGraph {
  std::vector<Work> work;
};

/// Work is done by the thread that enqueues it, at once; behind a host function by that function's thread, once it has returned.
struct EmulatedStream {
  EmulatedGraph* capture = nullptr;

  EmulatedStream() = default;
  EmulatedStream(const EmulatedStream&) = delete;
  EmulatedStream& operator=(const EmulatedStream&) = delete;
  ~EmulatedStream() {
    static_cast<void>(synchronize());
    if (host_.joinable()) host_.join();
  }
  cudaError_t enqueue(Work work) {
    {
      const std::lock_guard lock(mutex_);
      if (busy_) {
        waiting_.push_back(std::move(work));
        return cudaSuccess;
      }
    }
    return work();
  }
  void run_on_host(Work function) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(function));
    if (busy_) return;
    if (host_.joinable()) host_.join();
    busy_ = true;
    host_ = std::thread([this] { work_off(); });
  }
  /// What went wrong behind host functions is told here, once.
  cudaError_t synchronize() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return !busy_; });
    return std::exchange(failure_, cudaSuccess);
  }

 private:
  void work_off() {
    std::unique_lock lock(mutex_);
    while (!waiting_.empty()) {
      const Work next = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      const cudaError_t error = next();
      lock.lock();
      if (error != cudaSuccess) failure_ = error;
    }
    busy_ = false;
    idle_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable idle_;
  std::deque<Work> waiting_;
  std::thread host_;
  bool busy_ = false;
  cudaError_t failure_ = cudaSuccess;
};
struct EmulatedEvent {
  cudaStream_t stream = nullptr;
};

namespace {

constexpr int kProcessors = 132;  // as an H200: kernels count on many teams
constexpr std::size_t kMemory = std::size_t{1} << 32;

/// The first is the one that runs; of the others there are these figures alone.
constexpr cudaDeviceProp kDevices[] = {{"emulated", 9, 0, kProcessors, kMemory},
                                       {"emulated A100", 8, 0, 108, 10 * kMemory},
                                       {"emulated L4", 8, 9, 58, 6 * kMemory},
                                       {"emulated T4", 7, 5, 40, 4 * kMemory}};
std::atomic<int> properties_asked = 0;
thread_local int current_device = 0;

std::string last_failure;
cudaError_t last_error = cudaSuccess;

/// Memory that was handed out, by its end.
class Memory {
 public:
  cudaError_t allocate(void** place, std::size_t bytes, cudaMemoryType type) {
    *place = std::aligned_alloc(256, (bytes / 256 + 1) * 256);
    if (*place == nullptr) return cudaErrorMemoryAllocation;
    if (type == cudaMemoryTypeDevice) std::memset(*place, 0xff, bytes);
    const std::lock_guard lock(mutex_);
    const int device = type == cudaMemoryTypeDevice ? current_device : 0;
    range_[static_cast<const std::byte*>(*place) + bytes] = {*place, {type, device}};
    if (device != 0) elsewhere_ = true;
    return cudaSuccess;
  }
  cudaError_t release(void* place) {
    const std::lock_guard lock(mutex_);
    std::erase_if(range_, [&](const auto& r) { return r.second.begin == place; });
    std::free(place);
    return cudaSuccess;
  }
  cudaPointerAttributes attributes(const void* place) {
    const std::lock_guard lock(mutex_);
    const auto found = range_.upper_bound(place);
    const bool known = found != range_.end() && !std::less<>()(place, found->second.begin);
    return known ? found->second.attributes : cudaPointerAttributes{cudaMemoryTypeUnregistered, 0};
  }
  /// Memory of the devices that do not run holds the complement of each byte: who reads it as if it were the host's finds other numbers.
  void copy(void* to, const void* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
    if (!elsewhere_ || (attributes(to).device != 0) == (attributes(from).device != 0)) return;
    auto* byte = static_cast<std::byte*>(to);
    std::transform(byte, byte + bytes, byte, [](std::byte b) { return ~b; });
  }

 private:
  struct Range {
    const void* begin;
    cudaPointerAttributes attributes;
  };
  std::mutex mutex_;
  std::atomic<bool> elsewhere_ = false;  // some was handed out there
  std::map<const void*, Range, std::less<>> range_;
};

Memory& memory() {
  static Memory all;
  return all;
}

/// The streams that there are.
class Streams {
 public:
  cudaStream_t make() {
    const std::lock_guard lock(mutex_);
    return *all_.insert(new EmulatedStream).first;
  }
  void destroy(cudaStream_t stream) {
    {
      const std::lock_guard lock(mutex_);
      all_.erase(stream);
    }
    delete stream;
  }
  /// Of one that was destroyed, all is done.
  cudaError_t synchronize(cudaStream_t stream) {
    const std::lock_guard lock(mutex_);
    return all_.count(stream) != 0 ? stream->synchronize() : cudaSuccess;
  }
  cudaError_t synchronize_all() {
    const std::lock_guard lock(mutex_);
    cudaError_t failure = cudaSuccess;
    for (const cudaStream_t stream : all_)
      if (const cudaError_t error = stream->synchronize(); error != cudaSuccess) failure = error;
    return failure;
  }

 private:
  std::mutex mutex_;
  std::set<cudaStream_t> all_;
};

Streams& streams() {
  static Streams all;
  return all;
}

std::atomic<GraphStep> refused_step = GraphStep::none;
std::atomic<int> steps_refused = 0, graphs_made = 0, graphs_launched = 0;

/// True if this step is to fail; then the error is the last one, too.
bool refuses(GraphStep step) {
  if (refused_step != step) return false;
  ++steps_refused;
  last_error = cudaErrorMemoryAllocation;
  return true;
}

/// Nothing is ever behind a host function on the default stream.
cudaError_t enqueue(cudaStream_t stream, Work work) {
  if (stream == nullptr) return work();
  if (stream->capture == nullptr) return stream->enqueue(std::move(work));
  if (refuses(GraphStep::capture)) return last_error;
  stream->capture->work.push_back(std::move(work));
  return cudaSuccess;
}

cudaError_t set(auto* place, auto value) {
  *place = value;
  return cudaSuccess;
}

}  // namespace

cudaError_t emulated_launch(kauri::emulator::Launch launch, cudaStream_t stream) {
  return enqueue(stream, [launch = std::move(launch)] {
    std::string failure = kauri::emulator::run(launch);
    if (failure.empty()) return cudaSuccess;
    last_failure = std::move(failure);
    return last_error = cudaErrorLaunchFailure;
  });
}

cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }
const char* cudaGetErrorString(cudaError_t error) {
  constexpr const char* kNames[] = {"success", "invalid value", "out of memory", "not supported"};
  return error == cudaErrorLaunchFailure ? last_failure.c_str() : kNames[error];
}
cudaError_t cudaGetDeviceCount(int* count) { return set(count, static_cast<int>(std::size(kDevices))); }
cudaError_t cudaGetDevice(int* device) { return set(device, current_device); }
cudaError_t cudaSetDevice(int device) { return set(&current_device, device); }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  ++properties_asked;
  return set(properties, kDevices[device]);
}
int kauri::emulator::times_properties_asked() { return properties_asked; }
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  constexpr int kValues[] = {kProcessors, 1, 9, 0, 1'980'000, 2'619'000, 5120};  // rates of an H100
  return set(value, kValues[attribute]);
}
cudaError_t cudaDeviceSynchronize() { return streams().synchronize_all(); }
cudaError_t cudaGetDriverEntryPoint(const char*, void** entry, unsigned long long, cudaDriverEntryPointQueryResult* found) {
  *entry = nullptr;
  return set(found, cudaDriverEntryPointSymbolNotFound);
}

cudaError_t cudaMalloc(void** place, std::size_t bytes) { return memory().allocate(place, bytes, cudaMemoryTypeDevice); }
cudaError_t cudaFree(void* place) { return memory().release(place); }
cudaError_t cudaHostAlloc(void** place, std::size_t bytes, unsigned) { return memory().allocate(place, bytes, cudaMemoryTypeHost); }
cudaError_t cudaFreeHost(void* place) { return memory().release(place); }
cudaError_t cudaMemGetInfo(std::size_t* there, std::size_t* all) {
  *all = kMemory;
  return set(there, kMemory);
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* place) {
  return set(attributes, memory().attributes(place));
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  if (bytes > 0) memory().copy(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return enqueue(stream, [=] { return cudaMemcpy(to, from, bytes, kind); });
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return enqueue(stream, [=] {
    std::memset(to, value, bytes);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) { return set(stream, streams().make()); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  streams().destroy(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return stream == nullptr ? cudaSuccess : stream->synchronize(); }
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return set(status, stream != nullptr && stream->capture != nullptr ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone);
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user) {
  if (stream == nullptr || stream->capture != nullptr) return cudaErrorNotSupported;
  stream->run_on_host([function, user] {
    function(user);
    return cudaSuccess;
  });
  return cudaSuccess;
}

void kauri::emulator::refuse_graphs_at(GraphStep step) { refused_step = step; }
kauri::emulator::GraphCounts kauri::emulator::graph_counts() { return {steps_refused, graphs_made, graphs_launched}; }
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) { return cudaSuccess; }
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  if (refuses(GraphStep::begin_capture)) return last_error;
  return set(&stream->capture, new EmulatedGraph);
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  *graph = std::exchange(stream->capture, nullptr);
  if (!refuses(GraphStep::end_capture)) return cudaSuccess;
  delete std::exchange(*graph, nullptr);
  return last_error;
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t*, std::size_t* count) { return set(count, graph->work.size()); }
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  if (refuses(GraphStep::instantiate)) return last_error;
  ++graphs_made;
  return set(exec, new EmulatedGraph(*graph));
}
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return refuses(GraphStep::upload) ? last_error : cudaSuccess; }
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  ++graphs_launched;
  return enqueue(stream, [exec] {
    for (const Work& work : exec->work)
      if (const cudaError_t error = work(); error != cudaSuccess) return error;
    return cudaSuccess;
  });
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) { return cudaGraphDestroy(exec); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) { return set(event, new EmulatedEvent); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) { return set(&event->stream, stream); }
cudaError_t cudaEventSynchronize(cudaEvent_t event) { return streams().synchronize(event->stream); }
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes*, const void*) { return cudaSuccess; }
