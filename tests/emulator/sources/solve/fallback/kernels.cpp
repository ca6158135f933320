// The oracle and fallback of solves on the emulated device.
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/emulator/machine/shared_array.hpp"

namespace kauri::numeric::cuda::fallback {
namespace {
KAURI_SHARED_ARRAY(16, unsigned char, shared);
}
}  // namespace kauri::numeric::cuda::fallback

#include "numeric/cuda/solve/fallback/kernels.cu"
