// Tests if the verdicts of all items of a batch have been copied to host memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <span>

#include "kauri/core/verdict.hpp"

namespace kauri::numeric {

/// Returns true if no verdict is `none`, its state until a factorisation has run; one captured into
/// a graph runs at the first replay.
inline bool all_known(std::span<const DeviceVerdict> verdicts) {
  return std::none_of(verdicts.begin(), verdicts.end(),
                      [](const DeviceVerdict& v) { return v.status == VerdictStatus::none; });
}

}  // namespace kauri::numeric
