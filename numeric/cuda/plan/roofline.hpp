// Peak rates of a device's units, from figures that its driver reports and its maker publishes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/core/backend.hpp"
#include "kauri/core/roofline.hpp"
#include "symbolic/common/device_units.hpp"

namespace kauri::numeric::cuda {

/// Returns the device's peak operations/s by the instructions of `compute`, and its peak bytes/s.
constexpr Roofline device_roofline(const DeviceCard& device, int scalar_bytes,
                                   CudaCompute compute) {
  return {symbolic::operations_per_cycle(device, scalar_bytes, compute) * device.processors *
              device.clock_hz,
          device.bandwidth};
}

}  // namespace kauri::numeric::cuda
