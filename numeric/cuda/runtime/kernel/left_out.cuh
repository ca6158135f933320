// Launches that the device itself leaves out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "numeric/cuda/runtime/launch.hpp"

namespace kauri::numeric::cuda {

/// What a kernel asks first of the flag that it was given: null, or the address of a number that earlier work of its stream has written.
/// The same for all its threads, and for all launches of a solve.
__device__ inline bool is_left_out(const std::int32_t* unless_zero) { return unless_zero != nullptr && *unless_zero == 0; }

}  // namespace kauri::numeric::cuda
