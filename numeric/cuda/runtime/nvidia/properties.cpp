// Properties of NVIDIA's devices, and reasons why one cannot be used.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/runtime/architectures.hpp"
#include "numeric/cuda/runtime/availability.hpp"
#include "numeric/cuda/runtime/device.hpp"
#include "symbolic/device/cost.hpp"

namespace kauri::numeric::cuda {
namespace {

/// Kernels are written for this major version of a compute capability and later ones.
constexpr int kLeastMajor = 8;

std::string version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

}  // namespace

const Maker& maker() {
  static constexpr Maker nvidia{"CUDA device", "CUDA"};
  return nvidia;
}

std::string hint_of(cudaError_t status) {
  switch (status) {
    case cudaErrorNoDevice:
      return " (there is none, or CUDA_VISIBLE_DEVICES hides all of them)";
    case cudaErrorInitializationError:
      return " (a process that was forked from one that has used CUDA cannot use it: spawn it)";
    case cudaErrorSystemNotReady:
      return " (is nvidia-fabricmanager running?)";
    default:
      return "";
  }
}

/// Adds both CUDA versions if the driver is too old.
std::string why_none(cudaError_t status) {
  if (status != cudaErrorInsufficientDriver) return in_words(status);
  int driver = 0;
  static_cast<void>(cudaDriverGetVersion(&driver));
  if (driver == 0) return "no NVIDIA driver is installed";
  return in_words(status) + " (the driver is for CUDA " + version(driver) +
         ", kauri was built with " + version(CUDART_VERSION) + ")";
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

std::string code_in_words(const cudaDeviceProp& device) {
  return code_in_words(built_for(), device.major, device.minor);
}

std::string target_of(const cudaDeviceProp& device) {
  return std::string(symbolic::device_target(device.major, device.minor));
}

}  // namespace kauri::numeric::cuda
