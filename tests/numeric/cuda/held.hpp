// Streams that a host function holds up.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "tests/numeric/cuda/runtime.hpp"

namespace kauri::test {

/// Holds up what is enqueued on a stream from here on, until release().
class Held {
 public:
  explicit Held(const CallerStream& stream) : stream_(stream.get()) { require(cudaLaunchHostFunc(stream_, &Held::wait, this)); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    release();
    cudaStreamSynchronize(stream_);  // wait() has returned
  }
  /// False from release() on, and after so long that whoever was to release waits for the stream: a failure, not a test that hangs.
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
    self.gave_up_ = !self.changed_.wait_for(lock, std::chrono::seconds(20), [&] { return self.released_; });
  }

  cudaStream_t stream_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool released_ = false, gave_up_ = false;
};

}  // namespace kauri::test
