// Products and solves on tiled fronts by themselves on the emulated device.
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/emulator/machine/shared_array.hpp"

namespace kauri::numeric::cuda::kernels {
namespace {
KAURI_SHARED_ARRAY(128, double, stages);
}
}  // namespace kauri::numeric::cuda::kernels

#include "numeric/cuda/factor/tiled/hopper/dense_kernels.cu"
