// Which kernels do the tiled fronts of a factor, and how many teams of them its device holds.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/backend.hpp"

namespace kauri::numeric::cuda {

/// What runs on a device in one scalar. `teams` 0: nothing does, and all fronts are done level by level.
struct Loops {
  CudaCompute kind = CudaCompute::automatic;  ///< in a choice that has been made never this one, unless teams is 0
  int teams = 0;
  bool streamed = false;  ///< those of floats: operands come by bulk copies (factor/tiled/streamed/kernel.hpp)
};

/// As in CudaCompute: "hopper", "tensor", "fma", "tf32x3", "tf32", "fp16x3".
constexpr const char* short_name(CudaCompute kind) {
  switch (kind) {
    case CudaCompute::hopper:
      return "hopper";
    case CudaCompute::tensor:
      return "tensor";
    case CudaCompute::tf32x3:
      return "tf32x3";
    case CudaCompute::tf32:
      return "tf32";
    case CudaCompute::fp16x3:
      return "fp16x3";
    default:
      return "fma";
  }
}

/// Which scalar alone has these loops. Of a backend that is asked for them, doubles choose as on its own, floats are refused (CudaCompute).
constexpr bool is_of_double_alone(CudaCompute kind) { return kind == CudaCompute::hopper || kind == CudaCompute::tensor; }
constexpr bool is_of_float_alone(CudaCompute kind) {
  return kind == CudaCompute::tf32x3 || kind == CudaCompute::tf32 || kind == CudaCompute::fp16x3;
}

/// For T on the current device. Throws Error(usage) where `wanted` cannot be had, in T or on the device. Once per device and scalar.
template <class T>
Loops choose_loops(CudaCompute wanted);
/// Those of factors in float of scaled matrices (CudaCompute::fp16x3), where `of_float` is the choice for others: tasks are shared.
Loops choose_scaled_loops(CudaCompute wanted, const Loops& of_float);

}  // namespace kauri::numeric::cuda
