// Descriptions of fronts on the emulated device.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/factor/front_views.cu"
