// Whether a backend can be made on a device, and why not, without a context on it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <string>

namespace kauri::numeric::cuda {

/// Asked once per device and process. Throws Error(device).
const cudaDeviceProp& properties_of(int device);

/// Throws Error(device) where the device is not there: with the driver's reason where it tells of none at all.
void require_device(int device);

/// The same where there is no code for the device.
void require_code(int device);

/// "9.0"
std::string capability(const cudaDeviceProp& device);

/// "it was built for 9.0; the device is 8.0", of kauri.
std::string what_was_built(const cudaDeviceProp& device);

}  // namespace kauri::numeric::cuda
