// More threads than the machine has cores, for tests that need them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <oneapi/tbb/global_control.h>

namespace kauri::test {

/// Lets the process use 8 threads during its lifetime, on any machine. Construct it before the
/// backends that need them.
struct ManyThreads {
  tbb::global_control allowed{tbb::global_control::max_allowed_parallelism, 8};
};

}  // namespace kauri::test
