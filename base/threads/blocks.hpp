// Parallel loops over fixed blocks of a range, and parallel calls, by the threads of the calling
// oneTBB arena. Each loop or call has an own_context().
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <utility>

#include "base/threads/host_threads.hpp"
#include "base/threads/stopping.hpp"
#include "kauri/core/types.hpp"

namespace kauri {

/// The range [0, n) in blocks of `size` >= 1; the last block holds the rest. If size is a constant,
/// the blocks depend on n alone, and results computed block by block do not depend on the number of
/// threads. Use a size that depends on the number of threads only if the result is the same for any
/// size, as for concatenated lists.
class Blocks {
 public:
  Blocks(Index n, Index size) : n_(n), size_(size) {}
  [[nodiscard]] Index count() const { return n_ / size_ + (n_ % size_ != 0); }
  [[nodiscard]] Index begin(Index b) const { return b * size_; }
  [[nodiscard]] Index end(Index b) const { return size_ < n_ - begin(b) ? begin(b) + size_ : n_; }

  /// Calls f(b, begin(b), end(b)) for each block, in parallel. A thread that waits takes only
  /// blocks of this loop, so that another task cannot overwrite its thread-local memory. If f
  /// throws, starts no further block and rethrows one of the exceptions. Once the current call's
  /// stop token was asked to stop, starts no further block and throws Error(cancelled).
  template <class F>
  void for_each(F&& f) const {
    if (count() < 2 || threads_here() == 1) {
      const StopCheck check_stop;
      for (Index b = 0; b < count(); ++b) check_stop(), f(b, begin(b), end(b));
      return;
    }
    isolated([&] {
      auto own = own_context();
      const auto each = [&](Index b) { f(b, begin(b), end(b)); };
      tbb::parallel_for(Index{0}, count(), carrying_stop(each), tbb::simple_partitioner(), own);
    });
  }

 private:
  Index n_, size_;
};

/// Calls two or more functions in parallel and waits for all; one after the other if threads_here()
/// is 1. A thread that waits may take other tasks of the arena. If functions throw, rethrows one of
/// the exceptions; functions that have not begun by then may be left out. Throws Error(cancelled)
/// if the current call's stop token was asked to stop before one of them began.
template <class... F>
void side_by_side(F&&... f) {
  if (threads_here() == 1) return (..., carrying_stop(f)());
  auto own = own_context();
  tbb::parallel_invoke(carrying_stop(f)..., own);
}

/// Calls two or more functions in parallel as side_by_side(), but a thread that waits takes no
/// other tasks.
template <class... F>
void side_by_side_alone(F&&... f) {
  isolated([&] { side_by_side(std::forward<F>(f)...); });
}

/// Runs `there` on any thread of the arena while this thread runs `here`, and waits for both; runs
/// `here` first if threads_here() is 1. Both may throw; if both do, the exception of `here` is
/// rethrown. Throws Error(cancelled) if the current call's stop token was asked to stop before
/// `there` began.
template <class There, class Here>
void meanwhile(There&& there, Here&& here) {
  const auto do_here = [&](auto&& do_there) {
    try {
      here();
    } catch (...) {
      try {
        do_there();
      } catch (...) {  // the exception of here() is rethrown
      }
      throw;
    }
    do_there();
  };
  if (threads_here() == 1) return do_here(carrying_stop(there));
  auto own = own_context();
  tbb::task_group group(own);
  group.run(carrying_stop(there));
  do_here([&] { group.wait(); });
}

}  // namespace kauri
