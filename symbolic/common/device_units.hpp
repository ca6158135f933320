// Figures of a device that its driver reports, and operations per cycle of its units, as
// their maker publishes them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/core/analysis.hpp"
#include "kauri/core/backend.hpp"

namespace kauri {
using DeviceCard = AnalyzeOptions::DeviceOffer::Card;
}

namespace kauri::symbolic {

/// Returns true if the tensor cores of compute capability major.minor are no slower than other
/// units in FP64 (on 8.0 and 9.0 twice as fast), and more than twice as fast in TF32 even with
/// three products for one. On other devices they are absent or slow.
constexpr bool has_fast_tensor_cores(int major, int minor) {
  return minor == 0 && major >= 8 && major <= 10;
}

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

}  // namespace kauri::symbolic
