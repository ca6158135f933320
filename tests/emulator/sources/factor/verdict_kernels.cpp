// Verdicts on the emulated device.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/factor/verdict_kernels.cu"
