// Small fronts by Hopper's kernels on the emulated device, gathered and packed.
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/emulator/machine/shared_array.hpp"

namespace kauri::numeric::cuda::kernels {
KAURI_SHARED_ARRAY(16, double, shared);
}  // namespace kauri::numeric::cuda::kernels

#include "numeric/cuda/factor/small/front_kernels.cu"
#include "numeric/cuda/factor/small/gathered_fronts.cu"
