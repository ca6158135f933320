// The threads of one CPU backend, and the run of a plan's tasks on them.
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
#include "kauri/backend.hpp"
#include "kauri/error.hpp"
#include "kauri/plan.hpp"

namespace kauri::numeric::cpu {

/// An arena of its own as long as it lives: nothing outside it is used or changed. It has `threads` threads, or as many as oneTBB allows
/// the process now, if these are fewer: an arena beyond that would never fill, and oneTBB would print a warning.
class Workers {
 public:
  explicit Workers(int threads);
  [[nodiscard]] int threads() const { return threads_; }
  /// The calling thread does everything: there is one, or the others are lost.
  [[nodiscard]] bool alone() const { return threads_ == 1 || threads_lost(); }
  /// Of the calling thread, inside execute(): at least 0 and less than threads(). While it is in parallel(), it does nothing else of a run
  /// with such a place.
  [[nodiscard]] int place() const { return alone() ? 0 : tbb::this_task_arena::current_thread_index(); }

  /// Runs f inside the arena and waits.
  template <class F>
  void execute(F&& f) {
    if (alone())
      f();
    else
      arena_.execute(carrying_stop(f));  // by another thread, where all places of the arena are taken
  }

  /// f(i) for 0 <= i < count, in any order, from inside execute(). A waiting thread takes no other work meanwhile.
  template <class F>
  void parallel(Index count, F&& f) {
    if (alone() || count <= 1) {
      const StopCheck check_stop;
      for (Index i = 0; i < count; ++i) check_stop(), f(i);
      return;
    }
    tbb::this_task_arena::isolate([&] {
      tbb::task_group_context own(tbb::task_group_context::isolated);  // not cut short where a task beside this one fails
      const auto each = [&](const tbb::blocked_range<Index>& range) {
        for (Index i = range.begin(); i < range.end(); ++i) f(i);
      };
      tbb::parallel_for(tbb::blocked_range<Index>(0, count, 1), carrying_stop(each), tbb::simple_partitioner(), own);
    });
  }

 private:
  int threads_;
  Arena arena_;
};

/// Throws Error(usage) for a stream; `what` was called with it.
inline void require_no_stream(StreamHandle stream, const char* what = "a factor") {
  if (stream != nullptr) throw Error(ErrorKind::usage, std::string(what) + " on the CPU has no streams: pass null");
}

/// What a run of tasks counts with: allocated once with the factor or workspace it serves.
struct RunCounters {
  RunCounters(Index tasks, MemoryLedger& ledger) : waiting(tasks, ledger), heap(tasks, ledger) {}
  Buffer<std::atomic<Index>> waiting;  // edges still open
  Buffer<Index> heap;                  // tasks that may start
};

/// One run over the tasks of a plan, each on some thread and after all tasks with an edge to it; called from inside Workers::execute().
/// Where the call is to stop, or a task throws, no task is begun any more, and those that run are waited for.
class TaskRun {
 public:
  TaskRun(Workers& workers, const RunCounters& counters) : workers_(workers), counters_(counters) {}

  /// run(t) for every task, the lowest ready ticket first; edges go to higher tickets.
  void upwards(const TaskEdges& edges, const std::function<void(Index)>& run) { all(edges, run, 1); }
  /// run(t) for every task, the highest ready ticket first; edges go to lower tickets.
  void downwards(const TaskEdges& edges, const std::function<void(Index)>& run) { all(edges, run, -1); }

 private:
  void all(const TaskEdges& edges, const std::function<void(Index)>& run, int sign);

  Workers& workers_;
  const RunCounters& counters_;
};

}  // namespace kauri::numeric::cpu
