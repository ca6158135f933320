// A barrier of threads with a time limit.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "support/process/limits.hpp"

namespace kauri::test {

/// A reusable barrier of `count` threads. If one does not arrive within the limit (because it has
/// thrown, for example), no later meeting waits.
class Meeting {
 public:
  explicit Meeting(int count, std::chrono::milliseconds limit = std::chrono::seconds(kLimitSeconds))
      : count_(count), limit_(limit) {}

  /// Returns true if all threads have arrived.
  [[nodiscard]] bool meet() {
    std::unique_lock lock(mutex_);
    const long round = round_;
    if (++here_ == count_) {
      here_ = 0, ++round_;
      changed_.notify_all();
    } else if (!changed_.wait_for(lock, limit_, [&] { return round_ != round || given_up_; })) {
      given_up_ = true;
      changed_.notify_all();
    }
    return !given_up_;
  }

 private:
  const int count_;
  const std::chrono::milliseconds limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int here_ = 0;
  long round_ = 0;
  bool given_up_ = false;
};

}  // namespace kauri::test
