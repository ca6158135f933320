// From a wish to a device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/backend.hpp"
#include "kauri/solver.hpp"

namespace kauri {

/// threads: of the CPU, 0 is one per hardware thread. Throws Error(device) for a device that was asked for and is not there. Automatic is
/// the CPU until the device is the faster one.
inline Backend choose_backend(BackendChoice choice, int threads) {
  return choice == BackendChoice::cuda ? cuda_backend() : cpu_backend(threads);
}

}  // namespace kauri
