// Schur complements on the emulated device.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/extract/schur_kernels.cu"
