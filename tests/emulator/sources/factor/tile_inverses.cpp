// Inverses of diagonal tiles on the emulated device.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/factor/tile_inverses.cu"
