// Figures of a device that its driver reports, and operations per cycle of its units, as
// their maker publishes them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

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

/// Least number of multiply-adds in float, in the time of one in double, of a device whose double
/// counts as slow: cards for displays do 32 or 64, others 1 or 2.
inline constexpr double kSlowDouble = 8;

/// Returns true if rates of the card were measured.
constexpr bool is_measured(const DeviceCard& card) {
  return card.in_double.flops_per_s > 0 && card.in_float.flops_per_s > 0;
}

/// Most bytes per second that one multiprocessor reads, fitted to solves by parts of a device (M64
/// in docs/measurements/cards.md): so a small part of a device reads less than its memory gives,
/// and a solve takes longer there.
inline constexpr double kReadsOfOne = 5.6e10;

/// Returns the card with the figures of a part of it, of which kernels take `taken` multiprocessors
/// (CudaOptions::multiprocessors; 0, or all that there are: the whole card). Measured operations
/// per second become those of the part, which reads no more than its multiprocessors can.
constexpr DeviceCard part_of(DeviceCard card, int taken) {
  if (taken <= 0 || taken >= card.processors) return card;
  const double share = static_cast<double>(taken) / card.processors, reads = taken * kReadsOfOne;
  card.processors = taken;
  for (DeviceCard::Rates DeviceCard::*in : {&DeviceCard::in_double, &DeviceCard::in_float}) {
    (card.*in).flops_per_s *= share;
    (card.*in).read_bytes_per_s = std::min((card.*in).read_bytes_per_s, reads);
  }
  return card;
}

/// Returns how many operations in float a card does in the time of one in double, at least 1: as
/// measured in large fronts, else the number that its driver reports for multiply-adds or that of
/// its capability, whichever is larger.
constexpr double single_to_double(const DeviceCard& card) {
  if (is_measured(card))
    return std::max(1.0, card.in_float.flops_per_s / card.in_double.flops_per_s);
  const double in_double =
      operations_per_cycle(card.major, card.minor, sizeof(double), CudaCompute::fma);
  const double published = in_double > 0 ? operations_per_cycle(card.major, card.minor,
                                                                sizeof(float), CudaCompute::fma) /
                                               in_double
                                         : 1;
  return std::max({1.0, published, static_cast<double>(card.single_to_double)});
}

/// Returns true if double is so slow on a card that a factor in float may be the faster way to
/// solutions in double.
constexpr bool has_slow_double(const DeviceCard& card) {
  return single_to_double(card) >= kSlowDouble;
}

/// Returns operations_per_cycle() of a card; in double fewer than its capability has if the driver
/// reports a larger single_to_double().
constexpr double operations_per_cycle(const DeviceCard& card, int scalar_bytes,
                                      CudaCompute compute) {
  const double published = operations_per_cycle(card.major, card.minor, scalar_bytes, compute);
  if (scalar_bytes != sizeof(double)) return published;
  DeviceCard by_capability, by_driver;
  by_capability.major = by_driver.major = card.major;
  by_capability.minor = by_driver.minor = card.minor;
  by_driver.single_to_double = card.single_to_double;
  return published * single_to_double(by_capability) / single_to_double(by_driver);
}

}  // namespace kauri::symbolic
