// Tells whether a backend can be made on a device, and why not, without a context on it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "symbolic/common/device_units.hpp"

namespace kauri::numeric::cuda {

/// Returns the properties of a device. Asks the driver once per device and process. Throws
/// Error(device) if the driver does not answer.
const cudaDeviceProp& properties_of(int device);
/// Returns what the driver reports of a device's multiprocessors, clock and memory. Throws
/// Error(device).
DeviceCard card_of(int device);
/// Returns true if a device ends kernels that run for some seconds, as one with a display does.
/// Throws Error(device).
bool has_time_limit(int device);

/// Throws Error(device) if the device does not exist, with the driver's reason if it reports no
/// device at all.
void require_device(int device);

/// Throws Error(device) if the device's compute capability is below 8.0, if this build has no code
/// for it, or only PTX too new for the driver. The device must exist.
void require_code(int device);

/// Returns the compute capability in words: "9.0".
std::string capability(const cudaDeviceProp& device);

/// Returns in words what kauri was built for and what the device is: "it was built for 9.0; the
/// device is 8.0".
std::string what_was_built(const cudaDeviceProp& device);

}  // namespace kauri::numeric::cuda
