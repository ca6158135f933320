// Mixed precision on the emulated device.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/refine/mixed_kernels.cu"
