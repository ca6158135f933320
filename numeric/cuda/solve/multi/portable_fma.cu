// The sweeps of several right-hand sides for every device, by fused multiply-adds.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/solve/multi/kernel.cuh"

namespace kauri::numeric::cuda {

KAURI_MULTI_SWEEPS(double, fma)
KAURI_MULTI_SWEEPS(float, fma)

}  // namespace kauri::numeric::cuda
