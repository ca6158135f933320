// Contexts of the emulated devices.
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/emulator/runtime/contexts.hpp"

#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "numeric/cuda/runtime/architectures.hpp"

struct CUctx_st {
  int device = 0;
  bool there = true;
};

namespace kauri::emulator {
namespace {

std::mutex mutex;  // guards the members below, and captures
CUctx_st primary[kDeviceCount] = {{0, false}, {1, false}, {2, false}, {3, false}};
int retained[kDeviceCount] = {};
std::vector<std::unique_ptr<CUctx_st>> made;  // by cuCtxCreate, including destroyed contexts
std::set<Capture*> captures;

std::atomic<int> running = 0, given = 0;
std::atomic<cudaError_t> answer_of_devices = cudaSuccess, answer_of_kernels = cudaSuccess;
std::atomic<int> driver_version = CUDART_VERSION;
std::atomic<const char*> architectures = "";

thread_local std::vector<CUcontext> stack;
thread_local int chosen = 0;
thread_local cudaStreamCaptureMode mode_of_thread = cudaStreamCaptureModeGlobal;

std::atomic<unsigned long> threads = 0;
unsigned long this_thread() {
  static thread_local const unsigned long number = ++threads;
  return number;
}

bool is_device(int device) { return device >= 0 && device < kDeviceCount; }

// ---- the driver's functions ----

CUresult device_get(CUdevice* device, int number) {
  *device = number;
  return is_device(number) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult get_current(CUcontext* context) {
  *context = stack.empty() ? nullptr : stack.back();
  return CUDA_SUCCESS;
}
CUresult set_current(CUcontext context) {
  if (!stack.empty()) stack.pop_back();
  if (context != nullptr) stack.push_back(context);
  return CUDA_SUCCESS;
}
CUresult device_of_current(CUdevice* device) {
  if (stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  *device = stack.back()->device;
  return CUDA_SUCCESS;
}
CUresult push(CUcontext context) {
  if (!context->there) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  stack.push_back(context);
  return CUDA_SUCCESS;
}
CUresult pop(CUcontext* context) {
  if (stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  *context = stack.back();
  stack.pop_back();
  return CUDA_SUCCESS;
}
CUresult state_of_primary(CUdevice device, unsigned* flags, int* active) {
  const std::lock_guard lock(mutex);
  *flags = 0, *active = primary[device].there ? 1 : 0;
  return CUDA_SUCCESS;
}
CUresult retain_primary(CUcontext* context, CUdevice device) {
  if (is_forbidden()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  const std::lock_guard lock(mutex);
  ++retained[device];
  primary[device].there = true;
  *context = &primary[device];
  return CUDA_SUCCESS;
}
CUresult release_primary(CUdevice device) {
  if (is_forbidden()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  const std::lock_guard lock(mutex);
  if (--retained[device] == 0) primary[device].there = false;
  return CUDA_SUCCESS;
}
CUresult create(CUcontext* context, unsigned, CUdevice device) {
  const std::lock_guard lock(mutex);
  made.push_back(std::make_unique<CUctx_st>(CUctx_st{device, true}));
  *context = made.back().get();
  stack.push_back(*context);
  return CUDA_SUCCESS;
}
CUresult destroy(CUcontext context) {
  const std::lock_guard lock(mutex);
  context->there = false;
  if (!stack.empty() && stack.back() == context) stack.pop_back();
  return CUDA_SUCCESS;
}
CUresult exchange_mode(CUstreamCaptureMode* mode) {
  *mode = static_cast<CUstreamCaptureMode>(
      std::exchange(mode_of_thread, static_cast<cudaStreamCaptureMode>(*mode)));
  return CUDA_SUCCESS;
}

struct Entry {
  const char* name;
  void* function;
};
template <class F>
void* address(F* function) {
  return reinterpret_cast<void*>(function);
}
const Entry kEntries[] = {{"cuDeviceGet", address(device_get)},
                          {"cuCtxGetCurrent", address(get_current)},
                          {"cuCtxSetCurrent", address(set_current)},
                          {"cuCtxGetDevice", address(device_of_current)},
                          {"cuCtxPushCurrent", address(push)},
                          {"cuCtxPopCurrent", address(pop)},
                          {"cuDevicePrimaryCtxGetState", address(state_of_primary)},
                          {"cuDevicePrimaryCtxRetain", address(retain_primary)},
                          {"cuDevicePrimaryCtxRelease", address(release_primary)},
                          {"cuCtxCreate", address(create)},
                          {"cuCtxDestroy", address(destroy)},
                          {"cuThreadExchangeStreamCaptureMode", address(exchange_mode)}};

/// Returns the primary context as the runtime creates it: retained until the process ends.
CUcontext runtimes_own(int device) {
  CUcontext context = nullptr;
  {
    const std::lock_guard lock(mutex);
    if (!primary[device].there) ++retained[device];
    primary[device].there = true;
    context = &primary[device];
  }
  return context;
}

}  // namespace

void let_run(int device) { running = device; }
int running_device() { return running; }
int contexts_given() { return given; }
bool has_primary(int device) {
  const std::lock_guard lock(mutex);
  return primary[device].there;
}
void refuse_devices(cudaError_t error, int version) {
  answer_of_devices = error, driver_version = version;
}
void refuse_kernels(cudaError_t error) { answer_of_kernels = error; }
const char* built_for() { return architectures; }
void build_for(const char* names) { architectures = names; }
cudaError_t answer_for_devices() { return answer_of_devices; }
cudaError_t answer_for_kernels() { return answer_of_kernels; }

cudaError_t enter(CUcontext* context) {
  if (stack.empty()) {
    ++given;
    stack.push_back(runtimes_own(chosen));
  }
  *context = stack.back();
  return stack.back()->there ? cudaSuccess : cudaErrorContextIsDestroyed;
}
int device_of(CUcontext context) { return context->device; }
int current_device() { return stack.empty() ? chosen : stack.back()->device; }

Capture::Capture(cudaStreamCaptureMode mode, bool blocking)
    : mode_(mode), blocking_(blocking), thread_(this_thread()) {
  const std::lock_guard lock(mutex);
  captures.insert(this);
}
Capture::~Capture() {
  const std::lock_guard lock(mutex);
  captures.erase(this);
}
bool Capture::is_invalidated() const {
  const std::lock_guard lock(mutex);
  return invalidated_;
}

bool is_forbidden() {
  if (mode_of_thread == cudaStreamCaptureModeRelaxed) return false;
  const std::lock_guard lock(mutex);
  bool forbidden = false;
  for (Capture* capture : captures) {
    const bool own =
        capture->thread_ == this_thread() && capture->mode_ != cudaStreamCaptureModeRelaxed;
    const bool of_all = capture->mode_ == cudaStreamCaptureModeGlobal &&
                        mode_of_thread == cudaStreamCaptureModeGlobal;
    if (own || of_all) capture->invalidated_ = forbidden = true;
  }
  return forbidden;
}

bool default_is_forbidden() {
  const std::lock_guard lock(mutex);
  bool forbidden = false;
  for (Capture* capture : captures)
    if (capture->blocking_) capture->invalidated_ = forbidden = true;
  return forbidden;
}

}  // namespace kauri::emulator

using namespace kauri::emulator;  // NOLINT: CUDA's functions follow

cudaError_t cudaGetDevice(int* device) {
  *device = current_device();
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (!is_device(device)) return cudaErrorInvalidDevice;
  chosen = device;
  set_current(runtimes_own(device));
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = driver_version;
  return cudaSuccess;
}
cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** entry, unsigned,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult* found) {
  *entry = nullptr;
  for (const Entry& known : kEntries)
    if (std::strcmp(known.name, name) == 0) *entry = known.function;
  *found = *entry != nullptr ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  CUcontext context = nullptr;  // the call creates a context, too
  if (const cudaError_t error = enter(&context); error != cudaSuccess) return error;
  *mode = std::exchange(mode_of_thread, *mode);
  return cudaSuccess;
}

namespace kauri::numeric::cuda {

std::string_view built_for() { return emulator::built_for(); }

}  // namespace kauri::numeric::cuda
