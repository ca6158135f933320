// Which kernels do the tiled fronts of a factor, and how many teams of them its device holds.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/backend.hpp"

namespace kauri::numeric::cuda {

/// What runs on a device in one scalar. `teams` 0: nothing does, and all fronts are done level by level.
struct Loops {
  CudaLoops kind = CudaLoops::automatic;  ///< in a choice that has been made never this one, unless teams is 0
  int teams = 0;
};

/// As in CudaLoops: "hopper", "tensor", "fma".
constexpr const char* short_name(CudaLoops kind) {
  return kind == CudaLoops::hopper ? "hopper" : kind == CudaLoops::tensor ? "tensor" : "fma";
}

/// For T on the current device. Throws Error(usage) where `wanted` cannot be had, in T or on the device. Once per device and scalar.
template <class T>
Loops choose_loops(CudaLoops wanted);

}  // namespace kauri::numeric::cuda
