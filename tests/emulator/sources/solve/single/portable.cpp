// The portable kernel of a fast solve on the emulated device.
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/emulator/machine/shared_array.hpp"

namespace kauri::numeric::cuda::sweep {
namespace {
KAURI_SHARED_ARRAY(128, unsigned char, sweep_shared);
}
}  // namespace kauri::numeric::cuda::sweep

#include "numeric/cuda/solve/single/portable.cu"
