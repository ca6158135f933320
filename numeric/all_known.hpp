// Whether the host knows what came of all items of a batch.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <span>

#include "kauri/verdict.hpp"

namespace kauri::numeric {

/// False while one is `none`, as before the first replay of a captured factorisation.
inline bool all_known(std::span<const DeviceVerdict> verdicts) {
  return std::none_of(verdicts.begin(), verdicts.end(), [](const DeviceVerdict& v) { return v.status == VerdictStatus::none; });
}

}  // namespace kauri::numeric
