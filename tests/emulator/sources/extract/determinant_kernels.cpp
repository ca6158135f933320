// Log-determinants on the emulated device.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/extract/determinant_kernels.cu"
