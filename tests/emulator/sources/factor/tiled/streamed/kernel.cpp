// Tiled fronts of floats by Hopper's kernels on the emulated device.
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/emulator/machine/shared_array.hpp"

namespace kauri::numeric::cuda::kernels::streamed {
KAURI_SHARED_ARRAY_OF(116 << 10, 128, unsigned char, bytes);
}  // namespace kauri::numeric::cuda::kernels::streamed

#include "numeric/cuda/factor/tiled/streamed/kernel.cu"

namespace kauri::numeric::cuda::kernels::streamed {
static_assert(sizeof(bytes) >= sizeof(StreamedShared<float>));
}
