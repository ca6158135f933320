// The threads of one CPU backend, and runs of a plan's tasks on them.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cpu/runtime/workers.hpp"

#include <oneapi/tbb/spin_mutex.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <limits>

namespace kauri::numeric::cpu {

namespace {

/// Heap of ready tasks, least key first: the plan's memory is laid out for that order, which also
/// keeps caches warm. Thread-safe. `storage` has room for all tasks.
class ReadyHeap {
 public:
  explicit ReadyHeap(Index* storage) : storage_(storage) {}
  void push(Index key) {
    const tbb::spin_mutex::scoped_lock lock(mutex_);
    storage_[size_++] = key;
    std::push_heap(storage_, storage_ + size_, std::greater<>());
  }
  Index pop() {
    const tbb::spin_mutex::scoped_lock lock(mutex_);
    std::pop_heap(storage_, storage_ + size_--, std::greater<>());
    return storage_[size_];
  }

 private:
  Index* storage_;
  Index size_ = 0;
  tbb::spin_mutex mutex_;
};

}  // namespace

Workers::Workers(int threads) : threads_(std::min(threads, allowed_threads())), arena_(threads_) {}

/// Runs all tasks and waits for them. Keys of the heap are sign * ticket, so that one heap serves
/// both directions.
void TaskRun::all(const symbolic::TaskEdges& edges, const std::function<void(Index)>& run,
                  int sign) {
  const auto tasks = static_cast<Index>(edges.dependencies.size());
  if (workers_.alone()) {
    const StopCheck check_stop;
    for (Index k = 0; k < tasks; ++k) check_stop(), run(sign > 0 ? k : tasks - 1 - k);
    return;
  }
  std::atomic<Index>* waiting = counters_.waiting.data();
  ReadyHeap ready(counters_.heap.data());
  auto own = own_context();
  tbb::task_group group(own);
  std::function<void()> next;
  const auto start_next = carrying_stop(next);
  next = [&] {
    const Index t = sign * ready.pop();
    run(t);
    for (Offset k = edges.successor_ptr[t]; k < edges.successor_ptr[t + 1]; ++k)
      if (const Index u = edges.successor[k];
          waiting[u].fetch_sub(1, std::memory_order_acq_rel) == 1) {
        ready.push(sign * u);
        group.run(start_next);
      }
  };
  // Counters may reach zero once a task runs, so the tasks without dependencies are found before
  // any task is started.
  Index start = 0;
  for (Index t = 0; t < tasks; ++t) {
    waiting[t].store(edges.dependencies[t], std::memory_order_relaxed);
    if (edges.dependencies[t] != 0) continue;
    ready.push(sign * t);
    ++start;
  }
  for (Index k = 0; k < start; ++k) group.run(start_next);
  group.wait();
}

}  // namespace kauri::numeric::cpu
