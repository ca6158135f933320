// Solves on the emulated device.
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/emulator/machine/shared_array.hpp"

namespace kauri::numeric::cuda {
namespace {
KAURI_SHARED_ARRAY(16, unsigned char, shared);
}
}  // namespace kauri::numeric::cuda

#include "numeric/cuda/solve/fallback/kernels.cu"
