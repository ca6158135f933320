// Residuals on the emulated device.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/matrix/residual_kernels.cu"
