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

/// The k-th block of a launch that is there: its stacks are used again by the next.
Block& block_at(std::size_t k) {
  static std::vector<std::unique_ptr<Block>> all;
  while (all.size() <= k) all.push_back(std::make_unique<Block>());
  return *all[k];
}

/// A thread of the host, on which blocks run one after another.
struct Worker {
  explicit Worker(Block& its_block) : block(its_block) {}

  std::binary_semaphore go{0};
  Block& block;
  bool done = false;
  std::thread thread;
};

class Run {
 public:
  Run(const Launch& launch, std::uint64_t seed) : launch_(launch), random_(seed) {
    const unsigned count = launch.all_at_once ? launch.blocks : std::min(launch.blocks, kBesideOneAnother);
    for (unsigned k = 0; k < count; ++k) workers_.push_back(std::make_unique<Worker>(block_at(k)));
    for (const auto& w : workers_) w->thread = std::thread([this, &worker = *w] { work(worker); });
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
    for (const auto& w : workers_) w->thread.join();
    return status_.failure;
  }

 private:
  std::string state() const {
    std::string all;
    for (const auto& w : workers_)
      if (!w->done) all += w->block.describe();
    return all;
  }

  void work(Worker& worker) {
    worker.go.acquire();
    while (next_block_ < launch_.blocks && status_.failure.empty()) {
      for (const DynamicShared::Find find : dynamic_shared()) {
        const std::span<std::byte> shared = find();
        std::memset(shared.data(), 0xff, std::min(shared.size(), launch_.shared_bytes));
      }
      worker.block.begin(launch_, next_block_++, random_(), status_);
      while (!worker.block.done() && status_.failure.empty()) {
        worker.block.slice();
        back_.release();
        worker.go.acquire();
      }
      if (!worker.block.done()) worker.block.abandon();
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
