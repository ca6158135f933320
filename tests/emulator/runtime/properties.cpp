// The emulated devices report these properties of theirs.
// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <cstdlib>

#include "tests/emulator/device/cuda_runtime_api.h"
#include "tests/emulator/runtime/contexts.hpp"

namespace emulator = kauri::emulator;

namespace {

constexpr int kProcessors = 132;  // as on an H200: kernels require many teams

/// Returns the multiprocessors of the first device: as many as the environment's
/// KAURI_EMULATED_MULTIPROCESSORS says, as a percentage of the multi-process service leaves some.
int processors() {
  static const char* const given = std::getenv("KAURI_EMULATED_MULTIPROCESSORS");
  return given == nullptr ? kProcessors : std::atoi(given);
}

/// Devices. One of them runs (emulator::let_run), by default the first; the others have these
/// figures only.
constexpr cudaDeviceProp kDevices[emulator::kDeviceCount] = {
    {"emulated", 9, 0, kProcessors, emulator::kMemory},
    {"emulated A100", 8, 0, 108, 10 * emulator::kMemory},
    {"emulated L4", 8, 9, 58, 6 * emulator::kMemory},
    {"emulated T4", 7, 5, 40, 4 * emulator::kMemory}};
std::atomic<int> properties_asked = 0;

std::atomic<bool> has_time_limit = false, rates_hidden = false;
std::atomic<int> single_to_double = 2;  // as an H100 says

}  // namespace

void kauri::emulator::limit_kernel_time(bool limited) { has_time_limit = limited; }
void kauri::emulator::hide_rates(bool hidden) { rates_hidden = hidden; }
void kauri::emulator::report_single_to_double(int ratio) { single_to_double = ratio; }
int kauri::emulator::times_properties_asked() { return properties_asked; }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  ++properties_asked;
  *properties = kDevices[device];
  if (device == 0) properties->multiProcessorCount = processors();
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  const bool amd = emulator::wavefront() == 64;  // without tensor cores of NVIDIA's 9.0
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
      *value = processors();
      break;
    case cudaDevAttrCooperativeLaunch:
      *value = 1;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = 9;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = amd ? 9 : 0;
      break;
    case cudaDevAttrClockRate:
      *value = rates_hidden ? 0 : 1'980'000;  // as this and the next two of an H100
      break;
    case cudaDevAttrMemoryClockRate:
      *value = rates_hidden ? 0 : 2'619'000;
      break;
    case cudaDevAttrGlobalMemoryBusWidth:
      *value = 5120;
      break;
    case cudaDevAttrKernelExecTimeout:
      *value = has_time_limit;
      break;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
      *value = rates_hidden ? 0 : single_to_double.load();
      break;
    case cudaDevAttrWarpSize:
      *value = emulator::wavefront();
      break;
  }
  return cudaSuccess;
}
