// Tiled fronts by the portable kernels on the emulated device.
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/emulator/machine/shared_array.hpp"

namespace kauri::numeric::cuda::kernels::portable {
KAURI_SHARED_ARRAY_OF(100 << 10, 128, unsigned char, bytes);
}  // namespace kauri::numeric::cuda::kernels::portable

#include "numeric/cuda/factor/tiled/portable/kernel.cu"

namespace kauri::numeric::cuda::kernels::portable {
static_assert(sizeof(bytes) >= sizeof(AloneShared<double>) &&
              sizeof(bytes) >= sizeof(SuppliedShared<float>));
}
