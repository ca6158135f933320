// The executor of a CUDA device. Without CUDA, stub.cpp replaces the whole folder.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "numeric/backend.hpp"
#include "symbolic/common/device_units.hpp"

namespace kauri::numeric::cuda {

/// Makes an executor that works on a CUDA device, and factorises a small matrix with it. Throws
/// Error: device (the device does not exist, this build has no code for it, kauri was built without
/// CUDA, or the device fails), usage (an option has an invalid value, or options.compute does not
/// run on the device), memory.
std::unique_ptr<Executor> make_executor(const CudaOptions& options);
/// Returns true if device 0 exists and this build has code for it, so that make_executor({}) can be
/// expected to succeed. Makes no context on the device.
bool available();

/// State of a device at the time of the call.
struct Survey {
  std::string name;         ///< name and compute capability: "NVIDIA H200 (9.0)"
  std::string target;       ///< target of plans for this device
  DeviceCard card;          ///< figures that its seconds are predicted from
  Offset free_bytes = 0;    ///< free bytes of the device's memory; all its bytes if !started
  bool started = false;     ///< true if the process has a context on the device in which a backend
                            ///< would work
  bool time_limit = false;  ///< true if the device ends kernels that run for some seconds, as one
                            ///< with a display does
};

/// Describes a device without making a context on it. Returns nothing if the device does not exist
/// or this build has no code for it; then stores the reason, the text of make_executor()'s Error,
/// in `why_not` if that is not null.
std::optional<Survey> survey(int device, std::string* why_not = nullptr);

}  // namespace kauri::numeric::cuda
