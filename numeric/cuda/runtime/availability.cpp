// Properties of devices, and reasons why a device cannot be used.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/runtime/availability.hpp"

#include <atomic>
#include <map>
#include <mutex>

#include "base/threads/host_threads.hpp"
#include "base/threads/per_process.hpp"
#include "numeric/cuda/runtime/architectures.hpp"
#include "numeric/cuda/runtime/device.hpp"

namespace kauri::numeric::cuda {
namespace {

/// Least major version of a compute capability that kauri's kernels are written for: 8.0 and later.
constexpr int kLeastMajor = 8;

std::string version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

/// Returns why the runtime reports no devices: its own text, with both CUDA versions if the driver
/// is too old.
std::string why_none(cudaError_t status) {
  if (status != cudaErrorInsufficientDriver) return in_words(status);
  int driver = 0;
  static_cast<void>(cudaDriverGetVersion(&driver));
  if (driver == 0) return "no NVIDIA driver is installed";
  return in_words(status) + " (the driver is for CUDA " + version(driver) +
         ", kauri was built with " + version(CUDART_VERSION) + ")";
}

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

DeviceCard card_of(int device) {
  const cudaDeviceProp& properties = properties_of(device);
  const auto attribute = [&](cudaDeviceAttr which) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, which, device), "the device");
    return value;
  };
  constexpr double kHz = 1e3;
  return {properties.major,
          properties.minor,
          properties.multiProcessorCount,
          kHz * attribute(cudaDevAttrClockRate),
          2 * kHz * attribute(cudaDevAttrMemoryClockRate) *
              attribute(cudaDevAttrGlobalMemoryBusWidth) / 8,  // two transfers a cycle
          attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio)};
}

bool has_time_limit(int device) {
  int limited = 0;
  check(cudaDeviceGetAttribute(&limited, cudaDevAttrKernelExecTimeout, device), "the device");
  return limited != 0;
}

void require_device(int device) {
  const std::string name = "there is no CUDA device " + std::to_string(device) + ": ";
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

void require_code(int device) {
  const cudaDeviceProp& found = properties_of(device);
  const std::string name = "CUDA device " + std::to_string(device) + " (" + found.name + ") ";
  if (found.major < kLeastMajor)
    throw Error(ErrorKind::device, name + "has compute capability " + capability(found) +
                                       "; kauri has code for 8.0 and later");
  const Code code = code_for(built_for(), found.major, found.minor);
  if (code == Code::none)
    throw Error(ErrorKind::device, name + "cannot run this kauri: " + what_was_built(found) +
                                       "; build kauri with CMAKE_CUDA_ARCHITECTURES=" +
                                       std::to_string(10 * found.major + found.minor));
  int driver = 0;
  if (code == Code::ptx && cudaDriverGetVersion(&driver) == cudaSuccess && driver < CUDART_VERSION)
    throw Error(ErrorKind::device,
                name + "cannot run this kauri: " + what_was_built(found) +
                    " and can run this build's PTX alone, which needs a driver for CUDA " +
                    version(CUDART_VERSION) + " or later; this driver is for CUDA " +
                    version(driver));
}

std::string capability(const cudaDeviceProp& device) {
  return std::to_string(device.major) + "." + std::to_string(device.minor);
}

std::string what_was_built(const cudaDeviceProp& device) {
  const std::string known = in_words(built_for());
  return (known.empty() ? "" : "it was built for " + known + "; ") + "the device is " +
         capability(device);
}

}  // namespace kauri::numeric::cuda
