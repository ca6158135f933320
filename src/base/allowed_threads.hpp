// How many threads of the host an ordering or a backend may use.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <oneapi/tbb/global_control.h>

#include <algorithm>
#include <cstddef>
#include <limits>

namespace kauri {

/// Threads that oneTBB allows the process now.
inline int allowed_threads() {
  return static_cast<int>(std::min<std::size_t>(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism),
                                                std::numeric_limits<int>::max()));
}

}  // namespace kauri
