// Blocks on threads of the host, one of which runs at a time; a seed determines the order of
// blocks, warps and lanes.
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/emulator/machine/machine.hpp"

#include <semaphore.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/emulator/machine/block.hpp"

namespace kauri::emulator {
namespace {

constexpr unsigned kBesideOneAnother = 3;  // concurrent blocks of a launch that is not cooperative
constexpr int kIdleSlices = 200;           // per worker without progress: the launch is a deadlock
constexpr int kStalledSlices = 50;         // per worker without progress: from there on the clock
                                           // advances

std::uint64_t next_seed = 1;

std::vector<DynamicShared::Find>& dynamic_shared() {
  static std::vector<DynamicShared::Find> all;
  return all;
}

/// A semaphore that sleeps at once. std::binary_semaphore yields before it sleeps, and on a loaded
/// machine each yield costs this process its turn, which is milliseconds.
class Signal {
 public:
  Signal() { sem_init(&signal_, 0, 0); }
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;
  ~Signal() { sem_destroy(&signal_); }

  void release() { sem_post(&signal_); }
  void acquire() {
    while (sem_wait(&signal_) != 0) {  // interrupted
    }
  }

 private:
  sem_t signal_;
};

/// A thread of the host with the block that runs on it. It outlives launches, since the blocks'
/// shared arrays are thread_local (a new thread would clear megabytes) and stacks are reused.
class HostThread {
 public:
  HostThread() = default;
  HostThread(const HostThread&) = delete;
  HostThread& operator=(const HostThread&) = delete;
  ~HostThread() { start(nullptr); }

  void start(std::function<void()> job) {
    job_ = std::move(job);
    start_.release();
  }
  void wait() { ended_.acquire(); }

  Block block;

 private:
  void serve() {
    for (start_.acquire(); job_; start_.acquire()) {
      job_();
      ended_.release();
    }
  }

  std::function<void()> job_;  ///< empty: the thread ends
  Signal start_, ended_;
  std::jthread thread_{[this] { serve(); }};
};

HostThread& host_thread(std::size_t k) {
  static std::vector<std::unique_ptr<HostThread>> all;
  while (all.size() <= k) all.push_back(std::make_unique<HostThread>());
  return *all[k];
}

/// A thread of the host during a launch, which runs blocks one after another.
struct Worker {
  explicit Worker(HostThread& its_host) : host(its_host) {}

  Signal go;
  HostThread& host;
  bool done = false;
};

class Run {
 public:
  Run(const Launch& launch, std::uint64_t seed) : launch_(launch), random_(seed) {
    const unsigned count =
        launch.all_at_once ? launch.blocks : std::min(launch.blocks, kBesideOneAnother);
    for (unsigned k = 0; k < count; ++k)
      workers_.push_back(std::make_unique<Worker>(host_thread(k)));
    for (const auto& w : workers_) w->host.start([this, &worker = *w] { work(worker); });
  }

  std::string go() {
    live_ = workers_.size();
    if (Worker* first = choose()) {
      first->go.release();
      back_.acquire();
    }
    for (const auto& w : workers_) w->host.wait();
    return status_.failure;
  }

 private:
  std::string state() const {
    std::string all;
    for (const auto& w : workers_)
      if (!w->done) all += w->host.block.describe();
    return all;
  }

  /// Returns a random worker that is not done, or null if all are done.
  Worker* choose() {
    while (live_ > 0) {
      Worker& w = *workers_[random_() % workers_.size()];
      if (!w.done) return &w;
    }
    return nullptr;
  }

  /// Ends a slice of the worker and wakes the next one. Workers wake each other, since a scheduling
  /// thread would need two switches per turn.
  void hand_over(Worker& worker) {
    if (worker.done) --live_;
    idle_ = status_.progress == seen_ ? idle_ + 1 : 0;
    seen_ = status_.progress;
    if (idle_ > kStalledSlices * workers_.size() && idle_ % workers_.size() == 0)
      ++status_.stalled_rounds;
    if (idle_ > kIdleSlices * workers_.size() && status_.failure.empty())
      status_.failure = "deadlock" + state();
    Worker* next = choose();
    if (next == &worker) return;
    const bool done = worker.done;  // read now: once another worker runs, `worker` may be destroyed
    (next != nullptr ? next->go : back_).release();
    if (!done) worker.go.acquire();
  }

  void work(Worker& worker) {
    worker.go.acquire();
    while (next_block_ < launch_.blocks && status_.failure.empty()) {
      for (const DynamicShared::Find find : dynamic_shared()) {
        const std::span<std::byte> shared = find();
        std::memset(shared.data(), 0xff, std::min(shared.size(), launch_.shared_bytes));
      }
      worker.host.block.begin(launch_, next_block_++, random_(), status_);
      while (!worker.host.block.done() && status_.failure.empty()) {
        worker.host.block.slice();
        hand_over(worker);
      }
      if (!worker.host.block.done()) worker.host.block.abandon();
    }
    worker.done = true;
    ++status_.progress;
    hand_over(worker);
  }

  const Launch& launch_;
  Random random_;
  Status status_;
  unsigned next_block_ = 0;
  std::size_t live_ = 0, idle_ = 0;  ///< workers that are not done; slices without progress
  std::uint64_t seen_ = 0;
  Signal back_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace

DynamicShared::DynamicShared(Find find) { dynamic_shared().push_back(find); }

void set_seed(std::uint64_t seed) { next_seed = seed * 1000003 + 1; }

std::string run(const Launch& launch) {
  static std::mutex one;
  const std::lock_guard lock(one);
  if (launch.blocks == 0 || launch.threads == 0 || launch.threads % 32 != 0 ||
      launch.threads > 1024)
    return "a launch of no whole warps";
  return Run(launch, next_seed++).go();
}

}  // namespace kauri::emulator
