// The portable kernels of a fast solve of several right-hand sides by tensor cores, on the emulated
// device.
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/emulator/machine/shared_array.hpp"

namespace kauri::numeric::cuda::sweep::multi {
namespace {
KAURI_SHARED_ARRAY(128, unsigned char, multi_shared);
}
}  // namespace kauri::numeric::cuda::sweep::multi

#include "numeric/cuda/solve/multi/portable.cu"
