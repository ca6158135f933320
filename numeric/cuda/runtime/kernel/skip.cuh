// Launches that the device skips by a flag.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "numeric/cuda/runtime/launch.hpp"

namespace kauri::numeric::cuda {

/// Returns true if the kernel must return at once: run_flag points to 0, which earlier work of the
/// stream has written. A null run_flag never skips. All threads of a kernel and all launches of a
/// solve read the same value.
__device__ inline bool is_skipped(const std::int32_t* run_flag) {
  return run_flag != nullptr && *run_flag == 0;
}

}  // namespace kauri::numeric::cuda
