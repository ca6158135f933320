// Number of host threads that an ordering, an analysis or a backend may use.
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

/// Returns the number of threads that oneTBB allows the process now, the calling one included; 1 in
/// a forked child that may start none (threads_lost()).
inline int allowed_threads() {
  if (threads_lost()) return 1;
  host_threads::begin_process();
  return static_cast<int>(std::min<std::size_t>(
      tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism),
      std::numeric_limits<int>::max()));
}

/// Returns the default number of threads: as many as oneTBB allows, by default one per hardware
/// thread in the process's affinity mask, but at most the CPU quotas of its control groups, rounded
/// up. If the calling program set a limit by tbb::global_control, that limit holds and quotas do
/// not. Quotas are read once. Returns 1 in a child with threads_lost().
int default_threads();

/// Calls f() in a oneTBB arena of min(threads, allowed_threads()) threads, or of default_threads()
/// if threads is 0. Uses the calling arena if it has that many threads; a thread that waits within
/// f takes no tasks of the caller's there. In a child with threads_lost() the calling thread runs f
/// alone. Throws Error(memory) if the system refuses a thread, Error(cancelled) if the stop token
/// of the current call was asked to stop before f began, and what f throws.
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
