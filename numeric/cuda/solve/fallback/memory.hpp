// Arguments of the kernels that solve level by level (solve/fallback/) or multiply by L
// (product_kernels.cu): addresses of L and of the workspace's vectors on the device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/plan/device_plan.hpp"

namespace kauri::numeric::cuda {

/// Device memory of a solve by the fallback, of a product with L, or of the copies of b and x of a
/// sweep in one direction. Non-owning: L is a factor's, the arrays are those of a workspace. x, y
/// and update are row-major, rows of x and y in the plan's numbering.
template <class T>
struct SolveMemory {
  const T* l;
  T* x;       ///< n x nrhs: right-hand sides, or the operand of a product; the forward sweep
              ///< changes it, the backward sweep writes the solution to it
  T* y;       ///< n x nrhs: solution of the forward sweep, which the backward sweep reads; or a
              ///< product
  T* update;  ///< DeviceSchedule::update_rows x nrhs: update rows, written from the leaves up
  Index nrhs;
  const std::int32_t* run_flag = nullptr;  ///< run flag, an address on the device, or null; if the
                                           ///< number there is 0, the kernels of a solve return at
                                           ///< once; null for products
};

}  // namespace kauri::numeric::cuda
