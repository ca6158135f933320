// Streams that a host function holds up.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/numeric/cuda/runtime/runtime.hpp"

namespace kauri::test {

/// Holds up the work that is enqueued on a stream after construction, until release().
class Held {
 public:
  explicit Held(const CallerStream& stream) : stream_(stream.get()) {
    require(cudaLaunchHostFunc(stream_, &Held::wait, this));
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    release();
    cudaStreamSynchronize(stream_);  // returns after wait() has returned
  }
  /// Returns whether the stream is held up: false after release(), and after a timeout, in case the
  /// thread that should release waits for the stream, so that the test fails rather than hangs.
  [[nodiscard]] bool holds() {
    const std::scoped_lock lock(mutex_);
    return !released_ && !gave_up_;
  }
  void release() {
    const std::scoped_lock lock(mutex_);
    released_ = true;
    changed_.notify_all();
  }

 private:
  static void CUDART_CB wait(void* held) {
    Held& self = *static_cast<Held*>(held);
    std::unique_lock lock(self.mutex_);
    // After one wait has timed out, the following ones most likely do as well, so they wait for a
    // shorter time.
    static std::atomic<bool> gave_up_before = false;
    const auto longest = std::chrono::seconds(gave_up_before ? 1 : 20);
    self.gave_up_ = !self.changed_.wait_for(lock, longest, [&] { return self.released_; });
    if (self.gave_up_) gave_up_before = true;
  }

  cudaStream_t stream_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool released_ = false, gave_up_ = false;
};

/// Returns whether other streams proceed while one is held up. They do not if streams share queues
/// of the device, as the clients of NVIDIA's multi-process service do, which have two queues each
/// (CUDA_DEVICE_MAX_CONNECTIONS). There any call that uses its own stream may wait for the held
/// one, so tests of what a call waits for prove nothing and are skipped. The function tries this
/// once on the device with three more streams, one after another, as kauri has: more than two
/// queues serve, fewer than the eight that a process alone has. It waits for two seconds at most.
inline bool streams_are_apart() {
  static const bool apart = [] {
    constexpr std::size_t kOthers = 3;
    const CallerArray<int> one(std::vector<int>(1, 1));
    void* memory = nullptr;
    require(cudaHostAlloc(&memory, kOthers * sizeof(int), cudaHostAllocDefault));
    int* const there = static_cast<int*>(memory);
    std::fill_n(there, kOthers, 0);
    const auto all_there = [&] {
      return std::all_of(there, there + kOthers, [](const volatile int& x) { return x == 1; });
    };
    const CallerStream stream;
    const std::array<CallerStream, kOthers> others;
    bool all = false;
    {
      Held held(stream);
      for (std::size_t k = 0; k < kOthers; ++k)
        require(cudaMemcpyAsync(there + k, one.data(), sizeof(int), cudaMemcpyDefault,
                                others[k].get()));
      for (int looks = 0; looks < 2000 && !(all = all_there()); ++looks)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    for (const CallerStream& other : others) require(cudaStreamSynchronize(other.get()));
    cudaFreeHost(memory);
    return all;
  }();
  return apart;
}
inline constexpr const char* kStreamsShareQueues =
    "work of other streams stands still behind a held stream here (as under MPS, whose clients "
    "share hardware queues)";

}  // namespace kauri::test
