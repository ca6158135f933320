// Products with L on the emulated device.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/solve/product_kernels.cu"
