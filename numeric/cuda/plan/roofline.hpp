// Peak rates of a device's units, from figures that its driver reports and its maker publishes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/core/backend.hpp"
#include "kauri/core/roofline.hpp"

namespace kauri::numeric::cuda {

/// Compute capability, multiprocessors, clock rates and width of the memory bus of a device.
struct DeviceRates {
  int major = 0, minor = 0;  ///< compute capability
  int processors = 0;        ///< number of multiprocessors
  double clock_hz = 0;       ///< highest clock rate of the multiprocessors
  double memory_hz = 0;      ///< clock rate of the memory, which makes two transfers a cycle
  int bus_bits = 0;
};

/// Returns the peak operations of one multiprocessor per cycle, a multiply-add counting two, by the
/// instructions of `compute`; 0 if unknown. tf32x3 and fp16x3 count a third: three products for
/// one. Sources: NVIDIA's CUDA C++ Programming Guide (throughput of arithmetic instructions) and
/// the white papers on its A100, H100 and Blackwell architectures.
constexpr double operations_per_cycle(int major, int minor, int scalar_bytes, CudaCompute compute) {
  const bool a100 = major == 8 && minor == 0, h100 = major == 9, b200 = major == 10 && minor == 0;
  if (scalar_bytes == 8) {
    const bool tensor = compute == CudaCompute::hopper || compute == CudaCompute::tensor;
    if (a100) return tensor ? 128 : 64;
    if (h100) return tensor ? 256 : 128;
    if (b200) return 128;
    return major >= 8 ? 4 : 0;
  }
  switch (compute) {
    case CudaCompute::tf32:
    case CudaCompute::tf32x3: {
      const double products = compute == CudaCompute::tf32 ? 1 : 3;
      return (a100 ? 1024 : h100 ? 2048 : b200 ? 4096 : 0) / products;
    }
    case CudaCompute::fp16x3:
      return h100 ? 4096.0 / 3 : 0;
    default:
      return major < 8 ? 0 : a100 ? 128 : 256;
  }
}

/// Returns the device's peak operations/s by the instructions of `compute`, and its peak bytes/s.
constexpr Roofline device_roofline(const DeviceRates& device, int scalar_bytes,
                                   CudaCompute compute) {
  return {operations_per_cycle(device.major, device.minor, scalar_bytes, compute) *
              device.processors * device.clock_hz,
          2 * device.memory_hz * device.bus_bits / 8};
}

}  // namespace kauri::numeric::cuda
