// Properties of devices, and reasons why there is none. What depends on the maker is in
// nvidia/properties.cpp and hip/properties.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/runtime/availability.hpp"

#include <atomic>
#include <map>
#include <mutex>

#include "base/threads/host_threads.hpp"
#include "base/threads/per_process.hpp"
#include "numeric/cuda/runtime/device.hpp"

namespace kauri::numeric::cuda {
namespace {

/// Sets `count` to the number of devices. The runtime's first call loads the driver; meanwhile
/// FirstCall keeps other threads of the process from forking.
cudaError_t device_count(int& count) {
  static std::atomic<bool> is_loaded = false;
  const host_threads::FirstCall call(is_loaded);
  const cudaError_t status = cudaGetDeviceCount(&count);
  is_loaded = true;
  return status;
}

}  // namespace

/// Keeps the properties of a device: the driver takes a millisecond or more to answer, and its
/// answer never changes.
const cudaDeviceProp& properties_of(int device) {
  struct KnownDevices {
    std::mutex mutex;
    std::map<int, cudaDeviceProp> properties;  // entries of a map keep their addresses
  };
  static PerProcess<KnownDevices> process;
  auto& [mutex, known] = process.here();
  const std::scoped_lock lock(mutex);
  const auto found = known.find(device);
  if (found != known.end()) return found->second;
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "the device");
  return known.emplace(device, properties).first->second;
}

bool has_time_limit(int device) {
  int limited = 0;
  check(cudaDeviceGetAttribute(&limited, cudaDevAttrKernelExecTimeout, device), "the device");
  return limited != 0;
}

void require_device(int device) {
  const std::string name =
      std::string("there is no ") + maker().device + " " + std::to_string(device) + ": ";
  int count = 0;
  cudaError_t status = device_count(count);
  if (status != cudaSuccess)
    static_cast<void>(cudaGetLastError());
  else
    status = state_of_driver();
  if (status != cudaSuccess) throw Error(ErrorKind::device, name + why_none(status));
  if (device < 0 || device >= count)
    throw Error(ErrorKind::device, name + std::to_string(count) + " found");
}

}  // namespace kauri::numeric::cuda
