// More threads than the machine has, where a test wants them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <oneapi/tbb/global_control.h>

namespace kauri::test {

/// As long as this lives, the process may use 8 threads, whatever the machine has. Made before the
/// backends that use it.
struct ManyThreads {
  tbb::global_control allowed{tbb::global_control::max_allowed_parallelism, 8};
};

}  // namespace kauri::test
