// The threads of one CPU backend, and the run of a plan's tasks on them.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cpu/workers.hpp"

#include <oneapi/tbb/spin_mutex.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>

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

Workers::Workers(int threads) : threads_(threads), arena_(threads) {}

TaskRun::TaskRun(Workers& workers, const Plan& plan, const RunCounters& counters)
    : workers_(workers), schedule_(plan.schedule), assembly_(plan.assembly), counter_(counters.waiting.data()), heap_(counters.heap.data()) {}

/// Tasks are in postorder, so their last fronts ascend.
Index TaskRun::task_that_holds(Index front) const {
  const auto& task = schedule_.task;
  const auto it = std::lower_bound(task.begin(), task.end(), front, [](const Schedule::Task& t, Index f) { return t.last_front - 1 < f; });
  return static_cast<Index>(it - task.begin());
}

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
  all(start, run, [&](Index t, auto&& f) {
    for (Offset k = schedule_.successor_ptr[t]; k < schedule_.successor_ptr[t + 1]; ++k) f(schedule_.successor[k]);
  }, 1);
}

void TaskRun::downwards(const std::function<void(Index)>& run) {
  const auto tasks = static_cast<Index>(schedule_.task.size());
  if (workers_.threads() == 1) {
    for (Index t = tasks; t-- > 0;) run(t);
    return;
  }
  Index start = 0;
  for (Index t = 0; t < tasks; ++t) {
    counter_[t].store(schedule_.task[t].parent == kNone ? 0 : 1, std::memory_order_relaxed);
    start += schedule_.task[t].parent == kNone;
  }
  all(start, run, [&](Index t, auto&& f) {
    const Schedule::Task& task = schedule_.task[t];
    Index last = kNone;  // a run of sibling subtrees is one task: children in it follow each other
    for (Index s = task.first_front; s < task.last_front; ++s)
      for (Index k = assembly_.child_ptr[s]; k < assembly_.child_ptr[s + 1] && assembly_.child[k] < task.first_front; ++k) {
        const Index u = task_that_holds(assembly_.child[k]);
        if (u != last) f(u);
        last = u;
      }
  }, -1);
}

}  // namespace kauri::numeric::cpu
