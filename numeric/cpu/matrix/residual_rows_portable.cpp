// Kernels of residual_rows.hpp for machines without hardware fused multiply-add.
// SPDX-License-Identifier: BSD-3-Clause
#define KAURI_ROWS portable
#include "numeric/cpu/matrix/residual_rows_impl.hpp"
