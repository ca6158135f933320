// Blocks on threads of the host, of which one runs at a time; the order of blocks, warps and lanes by a seed.
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/emulator/machine.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <semaphore>
#include <thread>
#include <vector>

#include "tests/emulator/block.hpp"

namespace kauri::emulator {
namespace {

constexpr unsigned kBesideOneAnother = 3;  // blocks of a launch that need not be there at once
constexpr int kIdleSlices = 200;           // per worker, without progress: then it is a deadlock

std::uint64_t next_seed = 1;

std::vector<DynamicShared::Find>& dynamic_shared() {
  static std::vector<DynamicShared::Find> all;
  return all;
}

/// A thread of the host with the block that runs on it. It outlives launches: the arrays that blocks share are its own, megabytes that a
/// new thread would clear, and stacks are used again.
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

  std::function<void()> job_;  ///< none: the end
  std::binary_semaphore start_{0}, ended_{0};
  std::jthread thread_{[this] { serve(); }};
};

HostThread& host_thread(std::size_t k) {
  static std::vector<std::unique_ptr<HostThread>> all;
  while (all.size() <= k) all.push_back(std::make_unique<HostThread>());
  return *all[k];
}

/// A thread of the host during a launch: blocks run on it one after another.
struct Worker {
  explicit Worker(HostThread& its_host) : host(its_host) {}

  std::binary_semaphore go{0};
  HostThread& host;
  bool done = false;
};

class Run {
 public:
  Run(const Launch& launch, std::uint64_t seed) : launch_(launch), random_(seed) {
    const unsigned count = launch.all_at_once ? launch.blocks : std::min(launch.blocks, kBesideOneAnother);
    for (unsigned k = 0; k < count; ++k) workers_.push_back(std::make_unique<Worker>(host_thread(k)));
    for (const auto& w : workers_) w->host.start([this, &worker = *w] { work(worker); });
  }

  std::string go() {
    std::size_t live = workers_.size();
    std::uint64_t seen = 0;
    for (std::size_t idle = 0; live > 0;) {
      Worker& w = *workers_[random_() % workers_.size()];
      if (w.done) continue;
      w.go.release();
      back_.acquire();
      if (w.done) --live;
      idle = status_.progress == seen ? idle + 1 : 0;
      seen = status_.progress;
      if (idle > kIdleSlices * workers_.size() && status_.failure.empty()) status_.failure = "deadlock" + state();
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
        back_.release();
        worker.go.acquire();
      }
      if (!worker.host.block.done()) worker.host.block.abandon();
    }
    worker.done = true;
    ++status_.progress;
    back_.release();
  }

  const Launch& launch_;
  Random random_;
  Status status_;
  unsigned next_block_ = 0;
  std::binary_semaphore back_{0};
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace

DynamicShared::DynamicShared(Find find) { dynamic_shared().push_back(find); }

void set_seed(std::uint64_t seed) { next_seed = seed * 1000003 + 1; }

std::string run(const Launch& launch) {
  static std::mutex one;
  const std::lock_guard lock(one);
  if (launch.blocks == 0 || launch.threads == 0 || launch.threads % 32 != 0 || launch.threads > 1024) return "a launch of no whole warps";
  return Run(launch, next_seed++).go();
}

}  // namespace kauri::emulator
