// Log-determinants on the emulated device.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/determinant_kernels.cu"
