// Refinement on the emulated device.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/refine/refine_kernels.cu"
