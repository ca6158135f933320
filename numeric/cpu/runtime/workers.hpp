// The threads of one CPU backend, and runs of a plan's tasks on them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <atomic>
#include <functional>
#include <string>

#include "base/host/memory.hpp"
#include "base/threads/allowed_threads.hpp"
#include "base/threads/stopping.hpp"
#include "kauri/core/backend.hpp"
#include "kauri/core/error.hpp"
#include "kauri/core/types.hpp"
#include "symbolic/host/schedule_lists.hpp"

namespace kauri::numeric::cpu {

/// A oneTBB arena that exists as long as this object; other arenas are neither used nor changed. It
/// has `threads` threads, or as many as oneTBB allows the process now if these are fewer: a larger
/// arena would never fill, and oneTBB would print a warning.
class Workers {
 public:
  explicit Workers(int threads);
  [[nodiscard]] int threads() const { return threads_; }
  /// Returns true if the calling thread does all work: the arena has one thread, or the others do
  /// not exist in this process, a fork.
  [[nodiscard]] bool alone() const { return threads_ == 1 || threads_lost(); }
  /// Returns the index of the calling thread in the arena, inside execute(): 0 <= place <
  /// threads(). While a thread is in parallel(), it runs no other work that uses its index.
  [[nodiscard]] int place() const {
    return alone() ? 0 : tbb::this_task_arena::current_thread_index();
  }

  /// Runs f inside the arena and waits for it. Exceptions of f reach the caller.
  template <class F>
  void execute(F&& f) {
    if (alone())
      f();
    else
      arena_.execute(
          carrying_stop(f));  // another thread may run it if all places of the arena are taken
  }

  /// Calls f(i) for 0 <= i < count, in any order, on all threads, and waits; to be called inside
  /// execute(). A thread that waits here takes no work of other calls.
  template <class F>
  void parallel(Index count, F&& f) {
    if (alone() || count <= 1) {
      const StopCheck check_stop;
      for (Index i = 0; i < count; ++i) check_stop(), f(i);
      return;
    }
    tbb::this_task_arena::isolate([&] {
      auto own = own_context();  // not cancelled if a sibling task fails
      const auto each = [&](const tbb::blocked_range<Index>& range) {
        for (Index i = range.begin(); i < range.end(); ++i) f(i);
      };
      tbb::parallel_for(tbb::blocked_range<Index>(0, count, 1), carrying_stop(each),
                        tbb::simple_partitioner(), own);
    });
  }

 private:
  int threads_;
  Arena arena_;
};

/// Throws Error(usage) if stream is not null; `what` names the object of the call.
inline void require_no_stream(StreamHandle stream, const char* what = "a factor") {
  if (stream != nullptr)
    throw Error(ErrorKind::usage, std::string(what) + " on the CPU has no streams: pass null");
}

/// Memory of a run of tasks, allocated once with the factor, inverse or workspace that uses it.
struct RunCounters {
  RunCounters(Index tasks, MemoryLedger& ledger) : waiting(tasks, ledger), heap(tasks, ledger) {}
  Buffer<std::atomic<Index>> waiting;  // per task: edges to it from tasks that have not run
  Buffer<Index> heap;                  // keys of the tasks that are ready
};

/// One run over the tasks of a plan: each task runs on some thread, after all tasks with an edge to
/// it. To be called inside Workers::execute(). If the call is cancelled or a task throws, no
/// further task starts, and the call waits for running ones before it throws.
class TaskRun {
 public:
  TaskRun(Workers& workers, const RunCounters& counters) : workers_(workers), counters_(counters) {}

  /// Calls run(t) for every task, the lowest ready ticket first; edges go to higher tickets.
  void upwards(const symbolic::TaskEdges& edges, const std::function<void(Index)>& run) {
    all(edges, run, 1);
  }
  /// Calls run(t) for every task, the highest ready ticket first; edges go to lower tickets.
  void downwards(const symbolic::TaskEdges& edges, const std::function<void(Index)>& run) {
    all(edges, run, -1);
  }

 private:
  void all(const symbolic::TaskEdges& edges, const std::function<void(Index)>& run, int sign);

  Workers& workers_;
  const RunCounters& counters_;
};

}  // namespace kauri::numeric::cpu
