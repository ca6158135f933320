// Functions of HIP's that stand for those of the CUDA driver (cuda.h beside this file).
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda.h>

#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

namespace {

/// The context of a device: its number in place of an address, from 1 on, since null is none.
CUcontext context_of(int device) {
  return reinterpret_cast<CUcontext>(static_cast<std::uintptr_t>(device) + 1);
}
int device_of(CUcontext context) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(context) - 1);
}

/// Devices that were current when the calling thread entered the contexts that it has not left.
std::vector<int>& entered() {
  thread_local std::vector<int> before;
  return before;
}

hipError_t get_device(CUdevice* device, int number) {
  int count = 0;
  if (const hipError_t status = hipGetDeviceCount(&count); status != hipSuccess) return status;
  if (number < 0 || number >= count) return hipErrorInvalidDevice;
  *device = number;
  return hipSuccess;
}

hipError_t get_device_of_current(CUdevice* device) { return hipGetDevice(device); }

hipError_t get_current(CUcontext* context) {
  int device = 0;
  const hipError_t status = hipGetDevice(&device);
  *context = status == hipSuccess ? context_of(device) : nullptr;
  return status;
}

hipError_t push(CUcontext context) {
  int before = 0;
  if (const hipError_t status = hipGetDevice(&before); status != hipSuccess) return status;
  try {
    entered().push_back(before);
  } catch (const std::bad_alloc&) {
    return hipErrorOutOfMemory;
  }
  const hipError_t status = hipSetDevice(device_of(context));
  if (status != hipSuccess) entered().pop_back();
  return status;
}

hipError_t pop(CUcontext* left) {
  if (entered().empty()) return hipErrorInvalidContext;
  static_cast<void>(get_current(left));
  const int before = entered().back();
  entered().pop_back();
  return hipSetDevice(before);
}

hipError_t get_state_of_primary(CUdevice, unsigned* flags, int* active) {
  *flags = 0, *active = 1;
  return hipSuccess;
}

hipError_t retain_primary(CUcontext* context, CUdevice device) {
  *context = context_of(device);
  return hipSuccess;
}

hipError_t release_primary(CUdevice) { return hipSuccess; }

struct StandIn {
  const char* name;
  void* function;
};
const StandIn kStandIns[] = {
    {"cuDeviceGet", reinterpret_cast<void*>(get_device)},
    {"cuCtxGetCurrent", reinterpret_cast<void*>(get_current)},
    {"cuCtxGetDevice", reinterpret_cast<void*>(get_device_of_current)},
    {"cuCtxPushCurrent", reinterpret_cast<void*>(push)},
    {"cuCtxPopCurrent", reinterpret_cast<void*>(pop)},
    {"cuDevicePrimaryCtxGetState", reinterpret_cast<void*>(get_state_of_primary)},
    {"cuDevicePrimaryCtxRetain", reinterpret_cast<void*>(retain_primary)},
    {"cuDevicePrimaryCtxRelease", reinterpret_cast<void*>(release_primary)},
    {"cuThreadExchangeStreamCaptureMode",
     reinterpret_cast<void*>(hipThreadExchangeStreamCaptureMode)}};

}  // namespace

cudaError_t cudaGetDriverEntryPoint(const char* name, void** entry, unsigned long long,
                                    cudaDriverEntryPointQueryResult* found) {
  *entry = nullptr;
  for (const StandIn& known : kStandIns)
    if (std::strcmp(known.name, name) == 0) *entry = known.function;
  *found = *entry != nullptr ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}
