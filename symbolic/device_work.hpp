// What a factorisation on a device consists of, in sums that its seconds are predicted from.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kauri/plan.hpp"

namespace kauri::symbolic {

/// Reads no rows: those of an outline's supernodes are not there yet. entries: of A's lower triangle. O(fronts).
DeviceWork count_device_work(const Supernodes& nodes, Offset entries);

}  // namespace kauri::symbolic
