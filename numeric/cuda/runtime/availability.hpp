// Tells whether a backend can be made on a device, and why not, without a context on it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "symbolic/common/device_units.hpp"

namespace kauri::numeric::cuda {

/// Names of a maker's devices and of its runtime in texts of errors.
struct Maker {
  const char *device, *runtime;
};
/// Returns the maker of the devices that this build is for. It, and all of this header that depends
/// on the maker, are in nvidia/properties.cpp or, for AMD's devices, in hip/properties.cpp.
const Maker& maker();
/// Returns a hint at an error's usual cause, to append to its text: " (is ... running?)"; or "".
std::string hint_of(cudaError_t status);

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

/// Returns why the runtime reports no devices: its own text, and what its driver lacks.
std::string why_none(cudaError_t status);

/// Throws Error(device) if the device's compute capability is below 8.0, if this build has no code
/// for it, or only PTX too new for the driver. The device must exist.
void require_code(int device);

/// Returns the compute capability in words: "9.0"; of AMD's devices the architecture: "gfx90a".
std::string capability(const cudaDeviceProp& device);

/// Returns in words what kauri was built for and what the device is: "it was built for 9.0; the
/// device is 8.0".
std::string what_was_built(const cudaDeviceProp& device);

/// Returns the code of this build that the device runs, in words: "machine code for 9.0"; empty if
/// it is not known.
std::string code_in_words(const cudaDeviceProp& device);

/// Returns the target of plans for the device.
std::string target_of(const cudaDeviceProp& device);

}  // namespace kauri::numeric::cuda
