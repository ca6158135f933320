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

/// Time of portable kernels over that of Hopper's own, both by tensor cores: 1.38 in float and 1.5
/// in double (M69, M70 of docs/measurements/cards.md).
constexpr double kPortable = 1.5;

/// Returns how many times the seconds that the constants of the device's target predict the kernels
/// take on the multiprocessors that they may take: by the peaks, by what multiply-adds of floats
/// take longer than TF32, and by what portable kernels take longer than Hopper's own; at least 1.
template <class T>
double slowness(const CudaOptions& options, DeviceCard device, const TiledKernels<T>& kernels) {
  if (options.multiprocessors > 0) device.processors = options.multiprocessors;
  const double peak = device_roofline(device, sizeof(T), kernels.compute).flops_per_s;
  if (peak <= 0) return 1;
  const std::string_view target = symbolic::device_target(device.major, device.minor);
  double slower = std::max(1.0, symbolic::device_cost(target, sizeof(T)).peak / peak);
  if (sizeof(T) == sizeof(float) && kernels.compute == CudaCompute::fma)
    slower *= symbolic::kMultiplyAdds;
  const bool own = kernels.compute == CudaCompute::hopper || kernels.streamed;
  return target == "sm_90" && !own ? slower * kPortable : slower;
}

}  // namespace

template <class T>
void limit_launches(const CudaOptions& options, const DeviceCard& device, bool has_limit,
                    TiledKernels<T>& kernels) {
  double seconds = options.launch_seconds;
  if (seconds == 0) seconds = has_limit ? kDisplaySeconds : std::numeric_limits<double>::infinity();
  kernels.launch_seconds = seconds / slowness(options, device, kernels);
}

template void limit_launches(const CudaOptions&, const DeviceCard&, bool, TiledKernels<float>&);
template void limit_launches(const CudaOptions&, const DeviceCard&, bool, TiledKernels<double>&);

}  // namespace kauri::numeric::cuda
