// The selected inverse on the emulated device.
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/emulator/machine/shared_array.hpp"

namespace kauri::numeric::cuda {
namespace {
KAURI_SHARED_ARRAY_OF(64 << 10, 16, unsigned char, shared);
}
namespace inverse {
KAURI_SHARED_ARRAY_OF(64 << 10, 16, unsigned char, stages);
}
}  // namespace kauri::numeric::cuda

#include "numeric/cuda/inverse/kernels.cu"

namespace kauri::numeric::cuda {
static_assert(sizeof(shared) >= sizeof(double) * 64 * 65 &&
              sizeof(inverse::stages) >= inverse::kProductBytes<double>);
}
