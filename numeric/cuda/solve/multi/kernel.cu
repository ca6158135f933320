// The sweeps of several right-hand sides for Hopper.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/solve/multi/kernel.cuh"

namespace kauri::numeric::cuda {

KAURI_MULTI_SWEEPS(double, hopper)
KAURI_MULTI_SWEEPS(float, hopper)

}  // namespace kauri::numeric::cuda
