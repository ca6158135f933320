// The sweeps of several right-hand sides for every device, by its tensor cores.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/solve/multi/kernel.cuh"

namespace kauri::numeric::cuda {

KAURI_MULTI_SWEEPS(double, tensor)
KAURI_MULTI_SWEEPS(float, tensor)

}  // namespace kauri::numeric::cuda
