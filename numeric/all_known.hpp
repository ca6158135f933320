// Tells if the host knows the verdicts of all items of a batch.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <span>

#include "kauri/core/verdict.hpp"

namespace kauri::numeric {

/// Returns false if a verdict is `none`, as before the first replay of a captured factorisation.
inline bool all_known(std::span<const DeviceVerdict> verdicts) {
  return std::none_of(verdicts.begin(), verdicts.end(),
                      [](const DeviceVerdict& v) { return v.status == VerdictStatus::none; });
}

}  // namespace kauri::numeric
