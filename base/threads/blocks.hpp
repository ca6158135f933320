// Loops over fixed blocks of a range, and a few things side by side, by the threads of the calling arena of oneTBB.
//
// Each has a context of its own. In one bound to its surroundings, what fails beside it, in kauri or in the caller's own loops, would
// cancel it, and it would return as if all had been done.
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
#include "kauri/types.hpp"

namespace kauri {

/// [0, n) in blocks of `size` >= 1, the last one of what is left. How many there are says n alone: what is computed block by block does not
/// depend on threads. A size that does depend on them is for what comes out the same by any, such as lists put one behind the other.
class Blocks {
 public:
  Blocks(Index n, Index size) : n_(n), size_(size) {}
  [[nodiscard]] Index count() const { return n_ / size_ + (n_ % size_ != 0); }
  [[nodiscard]] Index begin(Index b) const { return b * size_; }
  [[nodiscard]] Index end(Index b) const { return size_ < n_ - begin(b) ? begin(b) + size_ : n_; }

  /// f(b, begin(b), end(b)) for each block, side by side. A thread that waits for others takes up nothing but blocks of this loop, so that
  /// memory of its own that it holds stays its own. f may throw. Where the call is to stop, no block is begun any more.
  template <class F>
  void for_each(F&& f) const {
    if (count() < 2 || threads_here() == 1) {
      const StopCheck check_stop;
      for (Index b = 0; b < count(); ++b) check_stop(), f(b, begin(b), end(b));
      return;
    }
    isolated([&] {
      tbb::task_group_context own(tbb::task_group_context::isolated);
      const auto each = [&](Index b) { f(b, begin(b), end(b)); };
      tbb::parallel_for(Index{0}, count(), carrying_stop(each), tbb::simple_partitioner(), own);
    });
  }

 private:
  Index n_, size_;
};

/// Calls two f or more, side by side. A thread that waits may take up other work of the arena. Each f may throw.
template <class... F>
void side_by_side(F&&... f) {
  if (threads_here() == 1) return (..., carrying_stop(f)());
  tbb::task_group_context own(tbb::task_group_context::isolated);
  tbb::parallel_invoke(carrying_stop(f)..., own);
}

/// The same, where a thread that waits takes up nothing else.
template <class... F>
void side_by_side_alone(F&&... f) {
  isolated([&] { side_by_side(std::forward<F>(f)...); });
}

/// Calls `there` by any thread of the arena while this one calls `here`. Each may throw; of two errors the one of `here` is told.
template <class There, class Here>
void meanwhile(There&& there, Here&& here) {
  const auto do_here = [&](auto&& do_there) {
    try {
      here();
    } catch (...) {
      try {
        do_there();
      } catch (...) {  // told is the first
      }
      throw;
    }
    do_there();
  };
  if (threads_here() == 1) return do_here(carrying_stop(there));
  tbb::task_group_context own(tbb::task_group_context::isolated);
  tbb::task_group group(own);
  group.run(carrying_stop(there));
  do_here([&] { group.wait(); });
}

}  // namespace kauri
