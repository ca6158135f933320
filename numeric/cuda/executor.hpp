// A CUDA device as an executor. Without CUDA, stub.cpp stands in for the whole folder.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "numeric/backend.hpp"

namespace kauri::numeric::cuda {

/// Makes an executor that works on a CUDA device. Throws Error: device (the device does not exist,
/// or kauri was built without CUDA), usage (an option has an invalid value, or options.compute does
/// not run on the device).
std::unique_ptr<Executor> make_executor(const CudaOptions& options);
/// Returns true if device 0 exists and this build has code for it, so that make_executor({}) is
/// expected to succeed. Makes no context on the device.
bool available();

/// State of a device at the time of the call.
struct Survey {
  std::string name;        ///< name and compute capability, in words
  std::string target;      ///< target of plans for this device
  bool predicted = false;  ///< true if the cost constants of the target hold for this device
  Offset free_bytes = 0;   ///< free bytes of its memory; all bytes of it while `started` is false
  bool started = false;    ///< true if the process has a context on it that a backend would work in
};

/// Describes a device without making a context on it. Returns nothing if the device does not exist
/// or this build has no code for it; then stores the reason, the text of make_executor()'s Error,
/// in `why_not` if that is not null.
std::optional<Survey> survey(int device, std::string* why_not = nullptr);

}  // namespace kauri::numeric::cuda
