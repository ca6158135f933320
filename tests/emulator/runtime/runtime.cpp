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
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <thread>
#include <vector>

#include "tests/emulator/device/cuda_runtime_api.h"
#include "tests/emulator/runtime/contexts.hpp"

using Work = std::function<cudaError_t()>;
using kauri::emulator::GraphStep;
namespace emulator = kauri::emulator;

struct EmulatedStream;
struct EmulatedGraph {
  std::vector<Work> work;
  std::unique_ptr<emulator::Capture> capture;  // while it captures
  std::vector<EmulatedStream*> joined;  // streams that wait for events of the capture, which are
                                        // captured, too
};

/// A stream. The thread that enqueues work executes it at once; behind a host function the thread
/// of that function executes it, after the function has returned.
struct EmulatedStream {
  EmulatedGraph* capture = nullptr;
  // In a capture that the stream joined: its number of works, and how many of them another stream
  // of the capture waits for.
  std::size_t captured = 0, rejoined = 0;
  const CUcontext context;
  std::atomic<int> watched_copies = 0, launches = 0;  ///< since the last wait for the stream

  const bool blocking;  // waits for the default stream

  EmulatedStream(CUcontext of, bool waits) : context(of), blocking(waits) {}
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
  /// Waits, and returns a failure of work behind host functions once.
  cudaError_t synchronize() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return !busy_; });
    watched_copies = launches = 0;
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
  EmulatedGraph* capture = nullptr;  // that of the stream, if it was capturing
  std::size_t captured = 0;
};

namespace {

std::string last_failure;
cudaError_t last_error = cudaSuccess;

/// Allocated memory, by its end.
class Memory {
 public:
  cudaError_t allocate(void** place, std::size_t bytes, cudaMemoryType type) {
    *place = std::aligned_alloc(256, (bytes / 256 + 1) * 256);
    if (*place == nullptr) return cudaErrorMemoryAllocation;
    if (type == cudaMemoryTypeDevice) std::memset(*place, 0xff, bytes);
    const std::lock_guard lock(mutex_);
    const int device = type == cudaMemoryTypeDevice ? emulator::current_device() : 0;
    range_[static_cast<const std::byte*>(*place) + bytes] = {*place, {type, device}};
    if (type == cudaMemoryTypeDevice && device != emulator::running_device()) elsewhere_ = true;
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
  /// Copies bytes. Memory of devices that do not run holds the complement of each byte, so that
  /// code which reads it as host memory finds other numbers.
  void copy(void* to, const void* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
    if (!elsewhere_ || is_elsewhere(to) == is_elsewhere(from)) return;
    auto* byte = static_cast<std::byte*>(to);
    std::transform(byte, byte + bytes, byte, [](std::byte b) { return ~b; });
  }

 private:
  [[nodiscard]] bool is_elsewhere(const void* place) {
    const cudaPointerAttributes found = attributes(place);
    return found.type == cudaMemoryTypeDevice && found.device != emulator::running_device();
  }
  struct Range {
    const void* begin;
    cudaPointerAttributes attributes;
  };
  std::mutex mutex_;
  std::atomic<bool> elsewhere_ = false;  // some memory of a device that does not run was allocated
  std::map<const void*, Range, std::less<>> range_;
};

Memory& memory() {
  static Memory all;
  return all;
}

/// All existing streams.
class Streams {
 public:
  cudaStream_t make(CUcontext context, bool blocking) {
    const std::lock_guard lock(mutex_);
    return *all_.insert(new EmulatedStream(context, blocking)).first;
  }
  void destroy(cudaStream_t stream) {
    {
      const std::lock_guard lock(mutex_);
      all_.erase(stream);
    }
    delete stream;
  }
  /// Waits for the stream; a destroyed stream has no pending work.
  cudaError_t synchronize(cudaStream_t stream) {
    const std::lock_guard lock(mutex_);
    return all_.count(stream) != 0 ? stream->synchronize() : cudaSuccess;
  }
  int watched_copies() {
    const std::lock_guard lock(mutex_);
    int all = 0;
    for (const cudaStream_t stream : all_) all += stream->watched_copies;
    return all;
  }
  int launches() {
    const std::lock_guard lock(mutex_);
    int all = 0;
    for (const cudaStream_t stream : all_) all += stream->launches;
    return all;
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

std::atomic<int> launches_taken = -1;  // negative: accepts all
std::span<const std::byte> watched;

bool is_watched(const void* place) {
  const auto* byte = static_cast<const std::byte*>(place);
  return !watched.empty() && !std::less<>()(byte, watched.data()) &&
         std::less<>()(byte, watched.data() + watched.size());
}

/// Returns true if this step must fail, and sets the last error.
bool refuses(GraphStep step) {
  if (refused_step != step) return false;
  ++steps_refused;
  last_error = cudaErrorMemoryAllocation;
  return true;
}

/// Enters the context, as the first action of every call that needs one.
cudaError_t entered() {
  CUcontext context = nullptr;
  return emulator::enter(&context);
}

/// Enters the context for a call that a capture may forbid.
cudaError_t allowed() {
  if (const cudaError_t error = entered(); error != cudaSuccess) return error;
  return emulator::is_forbidden() ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

/// Enters the context for work on a stream, which must belong to that context.
cudaError_t entered(cudaStream_t stream) {
  CUcontext context = nullptr;
  if (const cudaError_t error = emulator::enter(&context); error != cudaSuccess) return error;
  if (stream == nullptr)
    return emulator::default_is_forbidden() ? cudaErrorStreamCaptureImplicit : cudaSuccess;
  return stream->context == context ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

/// Executes or captures the work. The default stream has no host functions, so its work never
/// waits.
cudaError_t enqueue(cudaStream_t stream, Work work) {
  if (const cudaError_t error = entered(stream); error != cudaSuccess) return error;
  if (stream == nullptr) return work();
  if (stream->capture == nullptr) return stream->enqueue(std::move(work));
  if (stream->capture->capture->is_invalidated()) return cudaErrorStreamCaptureInvalidated;
  if (refuses(GraphStep::capture)) return last_error;
  stream->capture->work.push_back(std::move(work));
  ++stream->captured;
  return cudaSuccess;
}

cudaError_t set(auto* place, auto value) {
  *place = value;
  return cudaSuccess;
}

}  // namespace

void kauri::emulator::refuse_launches_after(int taken) { launches_taken = taken; }
void kauri::emulator::watch_copies(std::span<const std::byte> host) { watched = host; }
int kauri::emulator::copies_under_way() { return streams().watched_copies(); }
int kauri::emulator::launches_under_way() { return streams().launches(); }

cudaError_t emulated_launch(kauri::emulator::Launch launch, cudaStream_t stream) {
  if (launches_taken == 0) return last_error = cudaErrorNotSupported;
  if (launches_taken > 0) --launches_taken;
  if (stream != nullptr && stream->capture == nullptr) ++stream->launches;
  return enqueue(stream, [launch = std::move(launch)] {
    std::string failure = kauri::emulator::run(launch);
    if (failure.empty()) return cudaSuccess;
    last_failure = std::move(failure);
    return last_error = cudaErrorLaunchFailure;
  });
}

cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }
const char* cudaGetErrorString(cudaError_t error) {
  static const std::map<cudaError_t, const char*> kWords = {
      {cudaSuccess, "success"},
      {cudaErrorInvalidValue, "invalid value"},
      {cudaErrorMemoryAllocation, "out of memory"},
      {cudaErrorInitializationError, "initialization error"},
      {cudaErrorInsufficientDriver, "insufficient driver"},
      {cudaErrorNoDevice, "no device is detected"},
      {cudaErrorNoKernelImageForDevice, "no kernel image"},
      {cudaErrorInvalidResourceHandle, "invalid resource handle"},
      {cudaErrorContextIsDestroyed, "context is destroyed"},
      {cudaErrorNotSupported, "not supported"},
      {cudaErrorSystemNotReady, "system not ready"},
      {cudaErrorStreamCaptureUnsupported, "not permitted during a capture"},
      {cudaErrorStreamCaptureImplicit, "the default stream during a capture"},
      {cudaErrorStreamCaptureInvalidated, "the capture was invalidated"}};
  if (error == cudaErrorLaunchFailure) return last_failure.c_str();
  const auto found = kWords.find(error);
  return found != kWords.end() ? found->second : "unknown";
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = emulator::kDeviceCount;
  return emulator::answer_for_devices();
}
cudaError_t cudaDeviceSynchronize() {
  if (const cudaError_t error = allowed(); error != cudaSuccess) return error;
  return streams().synchronize_all();
}

cudaError_t cudaMalloc(void** place, std::size_t bytes) {
  if (const cudaError_t error = allowed(); error != cudaSuccess) return error;
  return memory().allocate(place, bytes, cudaMemoryTypeDevice);
}
cudaError_t cudaFree(void* place) {
  if (const cudaError_t error = allowed(); error != cudaSuccess) return error;
  return memory().release(place);
}
cudaError_t cudaHostAlloc(void** place, std::size_t bytes, unsigned) {
  if (const cudaError_t error = allowed(); error != cudaSuccess) return error;
  return memory().allocate(place, bytes, cudaMemoryTypeHost);
}
cudaError_t cudaFreeHost(void* place) { return cudaFree(place); }
cudaError_t cudaHostRegister(void*, std::size_t, unsigned) { return cudaSuccess; }
cudaError_t cudaHostGetDevicePointer(void** there, void* here, unsigned) {
  return set(there, here);
}
cudaError_t cudaMemGetInfo(std::size_t* there, std::size_t* all) {
  if (const cudaError_t error = entered(); error != cudaSuccess) return error;
  *all = emulator::kMemory;
  return set(there, emulator::kMemory);
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* place) {
  if (const cudaError_t error = allowed(); error != cudaSuccess) return error;
  return set(attributes, memory().attributes(place));
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  if (const cudaError_t error = allowed(); error != cudaSuccess) return error;
  if (const cudaError_t error = entered(nullptr); error != cudaSuccess) return error;
  if (bytes > 0) memory().copy(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  if (stream != nullptr && (is_watched(to) || is_watched(from))) ++stream->watched_copies;
  return enqueue(stream, [=] {
    if (bytes > 0) memory().copy(to, from, bytes);
    return cudaSuccess;
  });
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return enqueue(stream, [=] {
    std::memset(to, value, bytes);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  CUcontext context = nullptr;
  if (const cudaError_t error = emulator::enter(&context); error != cudaSuccess) return error;
  if (emulator::is_forbidden()) return cudaErrorStreamCaptureUnsupported;
  return set(stream, streams().make(context, (flags & cudaStreamNonBlocking) == 0));
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (const cudaError_t error = allowed(); error != cudaSuccess) return error;
  streams().destroy(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (const cudaError_t error = allowed(); error != cudaSuccess) return error;
  return stream == nullptr ? cudaSuccess : stream->synchronize();
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  if (const cudaError_t error = entered(stream); error != cudaSuccess) return error;
  return set(status, stream != nullptr && stream->capture != nullptr ? cudaStreamCaptureStatusActive
                                                                     : cudaStreamCaptureStatusNone);
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user) {
  if (const cudaError_t error = entered(stream); error != cudaSuccess) return error;
  if (stream == nullptr || stream->capture != nullptr) return cudaErrorNotSupported;
  stream->run_on_host([function, user] {
    function(user);
    return cudaSuccess;
  });
  return cudaSuccess;
}

void kauri::emulator::refuse_graphs_at(GraphStep step) { refused_step = step; }
kauri::emulator::GraphCounts kauri::emulator::graph_counts() {
  return {steps_refused, graphs_made, graphs_launched};
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  if (const cudaError_t error = entered(stream); error != cudaSuccess) return error;
  if (refuses(GraphStep::begin_capture)) return last_error;
  stream->captured = stream->rejoined = 0;
  return set(
      &stream->capture,
      new EmulatedGraph{{}, std::make_unique<emulator::Capture>(mode, stream->blocking), {}});
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  *graph = std::exchange(stream->capture, nullptr);
  const auto capture = std::move((*graph)->capture);
  bool whole = true;  // all work of streams that joined is waited for
  for (EmulatedStream* other : std::exchange((*graph)->joined, {})) {
    other->capture = nullptr;
    whole = whole && other->captured == other->rejoined;
  }
  if (!whole || capture->is_invalidated()) {
    delete std::exchange(*graph, nullptr);
    return last_error = cudaErrorStreamCaptureInvalidated;
  }
  if (!refuses(GraphStep::end_capture)) return cudaSuccess;
  delete std::exchange(*graph, nullptr);
  return last_error;
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t*, std::size_t* count) {
  return set(count, graph->work.size());
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  if (refuses(GraphStep::instantiate)) return last_error;
  if (const cudaError_t error = allowed(); error != cudaSuccess) return error;
  ++graphs_made;
  return set(exec, new EmulatedGraph{graph->work, nullptr, {}});
}
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) {
  return refuses(GraphStep::upload) ? last_error : cudaSuccess;
}
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
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  if (const cudaError_t error = entered(); error != cudaSuccess) return error;
  return set(event, new EmulatedEvent);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (const cudaError_t error = entered(); error != cudaSuccess) return error;
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (const cudaError_t error = entered(stream); error != cudaSuccess) return error;
  event->capture = stream != nullptr ? stream->capture : nullptr;
  event->captured = stream != nullptr ? stream->captured : 0;
  return set(&event->stream, stream);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (const cudaError_t error = allowed(); error != cudaSuccess) return error;
  return streams().synchronize(event->stream);
}
/// Makes later work wait for all work on the event's stream, which is more than the event requires.
/// If that stream is capturing, this one joins the capture, whose works run in the order in which
/// they were enqueued.
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  if (event->capture != nullptr && event->stream->capture == event->capture) {
    if (const cudaError_t error = entered(stream); error != cudaSuccess) return error;
    if (stream->capture == event->capture) {
      event->stream->rejoined = event->captured;
      return cudaSuccess;
    }
    if (stream->capture != nullptr) return last_error = cudaErrorStreamCaptureInvalidated;
    stream->capture = event->capture;
    stream->captured = stream->rejoined = 0;
    stream->capture->joined.push_back(stream);
    return cudaSuccess;
  }
  return enqueue(stream, [earlier = event->stream] { return streams().synchronize(earlier); });
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes*, const void*) {
  if (const cudaError_t error = entered(); error != cudaSuccess) return error;
  return emulator::answer_for_kernels();
}
