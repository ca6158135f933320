// Compares the peak of a device with that of its cost table.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/plan/launch_limit.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

#include "numeric/cuda/plan/roofline.hpp"
#include "symbolic/device/cost.hpp"

namespace kauri::numeric::cuda {
namespace {

/// Returns how many times as many operations per second the constants of the device's target assume
/// as the multiprocessors that kernels may take do by `compute`; at least 1.
double slowness(const CudaOptions& options, DeviceCard device, int scalar_bytes,
                CudaCompute compute) {
  if (options.multiprocessors > 0) device.processors = options.multiprocessors;
  const double peak = device_roofline(device, scalar_bytes, compute).flops_per_s;
  const std::string_view target = symbolic::device_target(device.major, device.minor);
  return peak > 0 ? std::max(1.0, symbolic::device_cost(target, scalar_bytes).peak / peak) : 1;
}

}  // namespace

template <class T>
void limit_launches(const CudaOptions& options, const DeviceCard& device, bool has_limit,
                    TiledKernels<T>& kernels) {
  double seconds = options.launch_seconds;
  if (seconds == 0) seconds = has_limit ? kDisplaySeconds : std::numeric_limits<double>::infinity();
  kernels.launch_seconds = seconds / slowness(options, device, sizeof(T), kernels.compute);
}

template void limit_launches(const CudaOptions&, const DeviceCard&, bool, TiledKernels<float>&);
template void limit_launches(const CudaOptions&, const DeviceCard&, bool, TiledKernels<double>&);

}  // namespace kauri::numeric::cuda
