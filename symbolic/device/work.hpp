// Counts the work of a factorisation on a device, as sums that its seconds are predicted from.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/core/plan.hpp"
#include "symbolic/device/levels.hpp"

namespace kauri::symbolic {

/// Returns the bytes that residuals take on a device (numeric/cuda/matrix/residual.cpp): both
/// halves of A by rows with their values, A's values in the caller's order, three vectors, and at
/// most one task per row.
constexpr Offset device_residual_bytes(Index n, Offset nnz, int scalar_bytes) {
  return (2 * nnz - n) * (Offset{2 * sizeof(Index)} + scalar_bytes) + nnz * scalar_bytes +
         Offset{n} * (3 * scalar_bytes + 2 * Offset{sizeof(Offset)});
}

/// Counts the work. Reads no row structures, which a draft does not have. levels: those of nodes;
/// entries: stored entries of A's lower triangle. O(fronts).
DeviceWork count_device_work(const Supernodes& nodes, const DeviceLevels& levels, Offset entries);

}  // namespace kauri::symbolic
