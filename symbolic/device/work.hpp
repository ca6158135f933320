// What a factorisation on a device consists of, in sums that its seconds are predicted from.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/plan.hpp"
#include "symbolic/device/levels.hpp"

namespace kauri::symbolic {

/// Bytes that residuals take on a device (numeric/cuda/matrix/residual.cpp): both halves of A by rows with their values, A's values as they
/// came, three vectors, and a task a row at most.
constexpr Offset device_residual_bytes(Index n, Offset nnz, int scalar_bytes) {
  return (2 * nnz - n) * (Offset{2 * sizeof(Index)} + scalar_bytes) + nnz * scalar_bytes +
         Offset{n} * (3 * scalar_bytes + 2 * Offset{sizeof(Offset)});
}

/// Reads no rows: those of a draft's supernodes are not there yet. levels: those of nodes. entries: of A's lower triangle. O(fronts).
DeviceWork count_device_work(const Supernodes& nodes, const DeviceLevels& levels, Offset entries);

}  // namespace kauri::symbolic
