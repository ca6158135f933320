// Device memory of a solve by the fallback, and of a product with L.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "numeric/cuda/plan/device_plan.hpp"

namespace kauri::numeric::cuda {

/// Device memory of a solve by the fallback, or of a product with L. x, y and update are row-major,
/// rows of x and y in the plan's numbering.
template <class T>
struct SolveMemory {
  const T* l;
  T* x;       ///< n x nrhs: right-hand sides; the backward sweep writes the solution
  T* y;       ///< n x nrhs: solution of the forward sweep, or a product
  T* update;  ///< update_rows x nrhs
  Index nrhs;
  const std::int32_t* run_flag = nullptr;  ///< address on the device, or null; if the number there
                                           ///< is 0, no kernel of the solve does anything
};

}  // namespace kauri::numeric::cuda
