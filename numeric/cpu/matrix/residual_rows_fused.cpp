// Kernels of residual_rows.hpp for machines with hardware fused multiply-add.
// SPDX-License-Identifier: BSD-3-Clause
#define KAURI_ROWS fused
#include "numeric/cpu/matrix/residual_rows_impl.hpp"
