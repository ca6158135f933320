// The threads of one CPU backend, and the run of a plan's tasks on them.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cpu/workers.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/spin_mutex.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <limits>

namespace kauri::numeric::cpu {

namespace {

/// Tasks whose dependencies are done, least key first: memory was planned for that order, and it keeps caches warm.
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

int allowed_threads() {
  return static_cast<int>(std::min<std::size_t>(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism),
                                                std::numeric_limits<int>::max()));
}

Workers::Workers(int threads) : threads_(std::min(threads, allowed_threads())), arena_(threads_) {}

TaskRun::TaskRun(Workers& workers, const Plan& plan, const RunCounters& counters)
    : workers_(workers),
      schedule_(plan.schedule),
      counter_(counters.waiting.data()),
      heap_(counters.heap.data()),
      first_child_(counters.first_child.data()),
      sibling_(counters.sibling.data()) {}

/// Keys are sign*ticket, so that the same heap serves both directions; successors(t, f) calls f(u) for each task that waits for t.
template <class Successors>
void TaskRun::all(Index start_count, const std::function<void(Index)>& run, const Successors& successors, int sign) {
  const auto tasks = static_cast<Index>(schedule_.task.size());
  ReadyHeap ready(heap_);
  tbb::task_group group;
  std::function<void()> next;
  next = [&] {
    const Index t = sign * ready.pop();
    run(t);
    successors(t, [&](Index u) {
      if (counter_[u].fetch_sub(1, std::memory_order_acq_rel) == 1) {
        ready.push(sign * u);
        group.run([&next] { next(); });
      }
    });
  };
  // Counters may reach zero while we look for the starters, so these are found first and started after.
  for (Index t = 0; t < tasks; ++t)
    if (counter_[t].load(std::memory_order_relaxed) == 0) ready.push(sign * t);
  for (Index k = 0; k < start_count; ++k) group.run([&next] { next(); });
  group.wait();
}

void TaskRun::upwards(const std::function<void(Index)>& run) {
  const auto tasks = static_cast<Index>(schedule_.task.size());
  if (workers_.threads() == 1) {
    for (Index t = 0; t < tasks; ++t) run(t);
    return;
  }
  Index start = 0;
  for (Index t = 0; t < tasks; ++t) {
    counter_[t].store(schedule_.dependencies[t], std::memory_order_relaxed);
    start += schedule_.dependencies[t] == 0;
  }
  all(
      start, run,
      [&](Index t, auto&& f) {
        for (Offset k = schedule_.successor_ptr[t]; k < schedule_.successor_ptr[t + 1]; ++k) f(schedule_.successor[k]);
      },
      1);
}

void TaskRun::downwards(const std::function<void(Index)>& run) {
  const auto tasks = static_cast<Index>(schedule_.task.size());
  if (workers_.threads() == 1) {
    for (Index t = tasks; t-- > 0;) run(t);
    return;
  }
  Index start = 0;
  for (Index t = tasks; t-- > 0;) {
    const Index parent = schedule_.task[t].parent;
    counter_[t].store(parent == kNone ? 0 : 1, std::memory_order_relaxed);
    first_child_[t] = kNone;
    if (parent == kNone) {
      ++start;
    } else {
      sibling_[t] = first_child_[parent];
      first_child_[parent] = t;
    }
  }
  all(
      start, run,
      [&](Index t, auto&& f) {
        for (Index u = first_child_[t]; u != kNone; u = sibling_[u]) f(u);
      },
      -1);
}

}  // namespace kauri::numeric::cpu
