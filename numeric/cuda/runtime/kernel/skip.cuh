// The test by which kernels return at once if the run flag of their solve is 0.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "numeric/cuda/runtime/launch.hpp"

namespace kauri::numeric::cuda {

/// Returns true if the kernel must return at once: run_flag is not null and *run_flag is 0. Earlier
/// work of the stream writes the flag; nothing may change it between the first and the last launch
/// of a solve, since all threads of all launches must read the same value.
__device__ inline bool is_skipped(const std::int32_t* run_flag) {
  return run_flag != nullptr && *run_flag == 0;
}

}  // namespace kauri::numeric::cuda
