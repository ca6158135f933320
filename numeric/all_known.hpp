// Tests if the verdicts of all items of a batch are known.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <span>

#include "kauri/core/verdict.hpp"

namespace kauri::numeric {

/// Returns true if no verdict is `none`. A verdict is `none` until a factorisation of the item has
/// ended; a factorisation that was captured into a graph runs at the graph's first launch.
inline bool all_known(std::span<const DeviceVerdict> verdicts) {
  return std::none_of(verdicts.begin(), verdicts.end(),
                      [](const DeviceVerdict& v) { return v.status == VerdictStatus::none; });
}

}  // namespace kauri::numeric
