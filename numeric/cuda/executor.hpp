// A CUDA device as an executor. Without CUDA, stub.cpp stands in for the whole folder.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "numeric/backend.hpp"

namespace kauri::numeric::cuda {

/// Throws Error(device) if the device is not there or kauri was built without CUDA.
std::unique_ptr<Executor> make_executor(const CudaOptions& options);
/// True if make_executor({}) would succeed.
bool available();

}  // namespace kauri::numeric::cuda
