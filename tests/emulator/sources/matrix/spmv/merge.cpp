// Products along the merge path on the emulated device.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/matrix/spmv/merge.cu"
