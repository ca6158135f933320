// Schur complements on the emulated device.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/schur_kernels.cu"
