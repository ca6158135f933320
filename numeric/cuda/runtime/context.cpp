// Contexts of devices, found and entered by functions of the CUDA driver: functions of the CUDA
// runtime make a context if there is none.
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda.h>

#include <atomic>
#include <mutex>

#include "base/threads/per_process.hpp"
#include "numeric/cuda/runtime/device.hpp"

namespace kauri::numeric::cuda {
namespace {

struct Driver {
  CUresult (*device)(CUdevice*, int) = nullptr;
  CUresult (*current)(CUcontext*) = nullptr;
  CUresult (*device_of_current)(CUdevice*) = nullptr;
  CUresult (*push)(CUcontext) = nullptr;
  CUresult (*pop)(CUcontext*) = nullptr;
  CUresult (*state_of_primary)(CUdevice, unsigned*, int*) = nullptr;
  CUresult (*retain_primary)(CUcontext*, CUdevice) = nullptr;
  CUresult (*release_primary)(CUdevice) = nullptr;
  CUresult (*exchange_capture_mode)(CUstreamCaptureMode*) = nullptr;
};

template <class F>
cudaError_t find(const char* name, F*& function) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
  const cudaError_t status =
      cudaGetDriverEntryPointByVersion(name, &entry, 12000, cudaEnableDefault, &found);
#else
  const cudaError_t status = cudaGetDriverEntryPoint(name, &entry, cudaEnableDefault, &found);
#endif
  function = reinterpret_cast<F*>(entry);
  if (status != cudaSuccess) return status;
  return found == cudaDriverEntryPointSuccess && entry != nullptr ? cudaSuccess
                                                                  : cudaErrorNotSupported;
}

cudaError_t find_all(Driver& driver) {
  const cudaError_t found[] = {
      find("cuDeviceGet", driver.device),
      find("cuCtxGetCurrent", driver.current),
      find("cuCtxGetDevice", driver.device_of_current),
      find("cuCtxPushCurrent", driver.push),
      find("cuCtxPopCurrent", driver.pop),
      find("cuDevicePrimaryCtxGetState", driver.state_of_primary),
      find("cuDevicePrimaryCtxRetain", driver.retain_primary),
      find("cuDevicePrimaryCtxRelease", driver.release_primary),
      find("cuThreadExchangeStreamCaptureMode", driver.exchange_capture_mode)};
  for (const cudaError_t status : found)
    if (status != cudaSuccess) return status;
  return cudaSuccess;
}

PerProcess<std::mutex> looking_up;
std::atomic<const Driver*> the_driver = nullptr;

/// Returns the driver's functions, or null if one is not found, with the reason in `why_not`. A
/// failed search is repeated at the next call: a driver may be installed while the process runs.
const Driver* find_driver(cudaError_t& why_not) noexcept {
  if (const Driver* known = the_driver.load(std::memory_order_acquire)) return known;
  static Driver driver;
  std::unique_lock<std::mutex> lock;
  try {
    lock = std::unique_lock(looking_up.here());
  } catch (const std::bad_alloc&) {
    why_not = cudaErrorMemoryAllocation;
    return nullptr;
  }
  if (the_driver.load(std::memory_order_relaxed) != nullptr) return &driver;
  why_not = find_all(driver);
  if (why_not != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return nullptr;
  }
  the_driver.store(&driver, std::memory_order_release);
  return &driver;
}

const Driver* find_driver() noexcept {
  cudaError_t why_not = cudaSuccess;
  return find_driver(why_not);
}

/// Throws as check() does if the driver's `status` is not success. A CUresult has the number of the
/// cudaError_t of the same meaning.
void check_driver(CUresult status, const char* what) {
  cuda::check(static_cast<cudaError_t>(status), what);
}

/// Returns the calling thread's context if it is a context on `device`, else null.
CUcontext current_on(const Driver& driver, CUdevice device) {
  CUcontext context = nullptr;
  CUdevice of = 0;
  if (driver.current(&context) != CUDA_SUCCESS || context == nullptr) return nullptr;
  return driver.device_of_current(&of) == CUDA_SUCCESS && of == device ? context : nullptr;
}

bool has_primary_context(const Driver& driver, CUdevice device) {
  unsigned flags = 0;
  int active = 0;
  return driver.state_of_primary(device, &flags, &active) == CUDA_SUCCESS && active != 0;
}

/// Retains the primary context of a device while it lives.
class Retained {
 public:
  Retained(const Driver& driver, CUdevice device) : driver_(driver), device_(device) {
    check_driver(driver.retain_primary(&context_, device), "the context of the device");
  }
  Retained(const Retained&) = delete;
  Retained& operator=(const Retained&) = delete;
  ~Retained() { static_cast<void>(driver_.release_primary(device_)); }
  [[nodiscard]] CUcontext get() const { return context_; }

 private:
  const Driver& driver_;
  CUdevice device_;
  CUcontext context_ = nullptr;
};

}  // namespace

Device open_device(int number) {
  cudaError_t why_not = cudaSuccess;
  const Driver* driver = find_driver(why_not);
  if (driver == nullptr) cuda::check(why_not, "the driver's functions");
  const RelaxedCapture relaxed;
  CUdevice device = 0;
  check_driver(driver->device(&device, number), "the device");
  const CUcontext current = current_on(*driver, device);
  if (current != nullptr && !has_primary_context(*driver, device)) return {number, current};
  CUcontext primary = nullptr;
  check_driver(driver->retain_primary(&primary, device), "the context of the device");
  if (current == nullptr || current == primary) return {number, primary};
  static_cast<void>(driver->release_primary(device));
  return {number, current};
}

void close_device(const Device& opened) noexcept {
  const Driver* driver = find_driver();
  CUdevice device = 0;
  const RelaxedCapture relaxed;
  if (driver == nullptr || driver->device(&device, opened.number) != CUDA_SUCCESS ||
      !has_primary_context(*driver, device))
    return;
  CUcontext primary = nullptr;
  if (driver->retain_primary(&primary, device) != CUDA_SUCCESS) return;
  static_cast<void>(driver->release_primary(device));
  if (primary == opened.context) static_cast<void>(driver->release_primary(device));
}

cudaError_t state_of_driver() noexcept {
  cudaError_t why_not = cudaSuccess;
  const Driver* driver = find_driver(why_not);
  CUcontext context = nullptr;
  return driver != nullptr ? static_cast<cudaError_t>(driver->current(&context)) : why_not;
}

CUctx_st* current_context() noexcept {
  const Driver* driver = find_driver();
  CUcontext context = nullptr;
  return driver != nullptr && driver->current(&context) == CUDA_SUCCESS ? context : nullptr;
}

std::optional<Offset> free_bytes_of(int number) {
  const Driver* driver = find_driver();
  CUdevice device = 0;
  if (driver == nullptr || driver->device(&device, number) != CUDA_SUCCESS) return {};
  const auto free_bytes = [](CUcontext context) {
    const CurrentDevice inside(Device{0, context});
    std::size_t free = 0, all = 0;
    cuda::check(cudaMemGetInfo(&free, &all), "the device's memory");
    return static_cast<Offset>(free);
  };
  if (const CUcontext current = current_on(*driver, device)) return free_bytes(current);
  if (!has_primary_context(*driver, device)) return {};
  const RelaxedCapture relaxed;
  return free_bytes(Retained(*driver, device).get());
}

RelaxedCapture::RelaxedCapture() noexcept : mode_(kNotExchanged) {
  const Driver* driver = find_driver();
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  if (driver != nullptr && driver->exchange_capture_mode(&mode) == CUDA_SUCCESS) mode_ = mode;
}

RelaxedCapture::~RelaxedCapture() {
  if (mode_ == kNotExchanged) return;
  auto mode = static_cast<CUstreamCaptureMode>(mode_);
  static_cast<void>(find_driver()->exchange_capture_mode(&mode));
}

InContext::InContext(CUctx_st* context) noexcept : entered_(false), status_(CUDA_SUCCESS) {
  if (context == nullptr) return;
  const Driver* driver = find_driver();
  status_ = driver != nullptr ? driver->push(context) : CUDA_ERROR_NOT_INITIALIZED;
  entered_ = status_ == CUDA_SUCCESS;
}

InContext::~InContext() {
  CUcontext left = nullptr;
  if (entered_) static_cast<void>(find_driver()->pop(&left));
}

CurrentDevice::CurrentDevice(const Device& device) : InContext(device.context) {
  check_driver(static_cast<CUresult>(status()), "the context that the backend was made in");
}

}  // namespace kauri::numeric::cuda
