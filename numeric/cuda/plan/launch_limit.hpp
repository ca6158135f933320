// The most seconds that one launch of large fronts may take, for devices that end long kernels.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/core/backend.hpp"
#include "numeric/cuda/plan/kernel_set.hpp"
#include "symbolic/common/device_units.hpp"

namespace kauri::numeric::cuda {

/// Most seconds of a launch on a device with a limit, unless the caller gives another number: a
/// quarter of the shortest limit, that of Windows.
inline constexpr double kDisplaySeconds = 0.5;

/// Sets kernels.launch_seconds for a device, which ends long kernels if has_limit. That is
/// options.launch_seconds, or without it kDisplaySeconds if the device has a limit, in seconds that
/// the constants of the device's target predict: fewer if the device is slower than the card of
/// these constants, as the peaks of both say, or its kernels than those of the constants.
template <class T>
void limit_launches(const CudaOptions& options, const DeviceCard& device, bool has_limit,
                    TiledKernels<T>& kernels);

}  // namespace kauri::numeric::cuda
