// How many threads of the host an ordering, an analysis or a backend may use.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "base/threads/host_threads.hpp"
#include "base/threads/stopping.hpp"

namespace kauri {

/// Threads that oneTBB allows the process now; 1 where they are lost.
inline int allowed_threads() {
  if (threads_lost()) return 1;
  host_threads::begin_process();
  return static_cast<int>(std::min<std::size_t>(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism),
                                                std::numeric_limits<int>::max()));
}

/// Threads where nobody says how many: those that oneTBB allows, which are those of the process's affinity, but no more than the quotas of
/// its control groups pay for, rounded up; what the host program set with tbb::global_control goes before quotas. Quotas are read once.
int default_threads();

/// f() in an arena of so many threads, which may be more than there are cores, or fewer where oneTBB allows the process no more; 0:
/// default_threads(). In the calling arena if that is one of as many; a thread that waits there takes up nothing of the caller's. Throws
/// Error(memory) where the system refuses a thread.
template <class F>
void with_threads(int threads, F&& f) {
  const auto carried = carrying_stop(f);
  if (threads_lost()) return carried();
  const int most = threads == 0 ? default_threads() : std::min(threads, allowed_threads());
  if (tbb::this_task_arena::max_concurrency() == most) {
    if (most > 1) host_threads::start(most - 1);
    return tbb::this_task_arena::isolate(carried);
  }
  Arena(most).execute(carried);
}

}  // namespace kauri
