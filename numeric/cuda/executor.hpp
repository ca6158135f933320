// A CUDA device as an executor. Without CUDA, stub.cpp stands in for the whole folder.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "numeric/backend.hpp"

namespace kauri::numeric::cuda {

/// Throws Error(device) if the device is not there or kauri was built without CUDA.
std::unique_ptr<Executor> make_executor(const CudaOptions& options);
/// True if make_executor({}) would succeed, as far as that is known without a context on the device, which is not made.
bool available();

/// A device as it is now.
struct Survey {
  std::string name;        ///< in words, with its compute capability
  std::string target;      ///< of plans for it
  bool predicted = false;  ///< that target's constants hold for it
  Offset free_bytes = 0;   ///< of its memory; all of it as long as it is not started
  bool started = false;    ///< the process has a context on it that a backend would work in
};

/// Starts nothing: no context is made for the sake of a look. Nothing if the device is not there or this build has no code
/// for it, and in `why_not`, if given, the reason: the text of make_executor()'s Error.
std::optional<Survey> survey(int device, std::string* why_not = nullptr);

}  // namespace kauri::numeric::cuda
