// Norms of inverses on the emulated device.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/extract/norm_estimator_kernels.cu"
