// How many threads of the host an ordering, an analysis or a backend may use.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "src/base/stopping.hpp"

namespace kauri {

/// Threads that oneTBB allows the process now.
inline int allowed_threads() {
  return static_cast<int>(std::min<std::size_t>(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism),
                                                std::numeric_limits<int>::max()));
}

/// f() in an arena of so many threads, which may be more than there are cores, or fewer where oneTBB allows the process no more; 0: all
/// that it allows. In the calling arena if that is one of as many; a thread that waits there takes up nothing of the caller's.
template <class F>
void with_threads(int threads, F&& f) {
  const int most = threads == 0 ? allowed_threads() : std::min(threads, allowed_threads());
  const auto carried = carrying_stop(f);
  if (tbb::this_task_arena::max_concurrency() == most) return tbb::this_task_arena::isolate(carried);
  tbb::task_arena(most).execute(carried);
}

}  // namespace kauri
