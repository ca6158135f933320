// Small fronts by the portable kernels on the emulated device, gathered and packed.
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/emulator/machine/shared_array.hpp"

namespace kauri::numeric::cuda::kernels::portable {
KAURI_SHARED_ARRAY_OF(48 << 10, 16, unsigned char, shared);
}  // namespace kauri::numeric::cuda::kernels::portable

#ifndef KAURI_HIP  // with loops for tensor cores
#include "numeric/cuda/factor/small/portable_front_kernels.cu"
#endif
#include "numeric/cuda/factor/small/portable_gathered.cu"
