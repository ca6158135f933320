// How far a long call has come, for whoever watches it: counted by its tasks, read by any thread, told by the calling thread alone.
//
// Like the stop token (base/threads/stopping.hpp) it reaches loops far below by a pointer that belongs to the thread; the loops hand it to
// their tasks. Nothing that is computed depends on it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <thread>
#include <utility>

namespace kauri {

class Meter {
 public:
  /// step(fraction): called by the thread that makes the meter, where it does a part of the work itself, at most kSteps - 1 times, with
  /// ascending fractions between 0 and 1. What it throws ends the work.
  explicit Meter(std::function<void(double)> step = {}) : step_(std::move(step)) {}

  /// Work of so many operations begins. Not while tasks run.
  void begin(double whole) {
    done_.store(0, std::memory_order_relaxed);
    whole_.store(whole, std::memory_order_relaxed);
  }
  /// So many of them are done. Any thread.
  void add(double part) {
    done_.fetch_add(part, std::memory_order_relaxed);
    if (step_ && std::this_thread::get_id() == owner_) pass();
  }
  /// Of the work that is done, 0 to 1; 0 where none has begun. Any thread.
  [[nodiscard]] double fraction() const {
    const double whole = whole_.load(std::memory_order_relaxed);
    return whole > 0 ? std::min(1.0, done_.load(std::memory_order_relaxed) / whole) : 0;
  }
  /// Operations that are done.
  [[nodiscard]] double done() const { return done_.load(std::memory_order_relaxed); }
  /// Less than this is not worth an add().
  [[nodiscard]] double grain() const { return whole_.load(std::memory_order_relaxed) / (4 * kSteps); }

  static constexpr int kSteps = 32;

 private:
  void pass() {
    const double now = fraction();
    if (now < next_ || now >= 1) return;
    next_ = (std::floor(now * kSteps) + 1) / kSteps;
    step_(now);
  }

  std::function<void(double)> step_;
  const std::thread::id owner_ = std::this_thread::get_id();
  double next_ = 1.0 / kSteps;  // the owner's alone
  std::atomic<double> done_{0}, whole_{0};
};

namespace metering {
/// Of the call that this thread makes; null where nobody watches.
inline constinit thread_local Meter* current = nullptr;
}  // namespace metering

/// While it lives, calls of this thread are counted by that meter, or by none.
class MeterScope {
 public:
  explicit MeterScope(Meter* meter) : before_(std::exchange(metering::current, meter)) {}
  MeterScope(const MeterScope&) = delete;
  MeterScope& operator=(const MeterScope&) = delete;
  ~MeterScope() { metering::current = before_; }

 private:
  Meter* before_;
};

/// Small parts of one task, put together before all threads' counter is touched.
class MeterParts {
 public:
  explicit MeterParts(Meter* meter) : meter_(meter), grain_(meter != nullptr ? meter->grain() : 0) {}
  void add(double part) {
    if (meter_ == nullptr) return;
    sum_ += part;
    if (sum_ >= grain_) flush();
  }
  /// At the end of the task; not in a destructor, since a step may throw.
  void flush() {
    if (meter_ != nullptr && sum_ > 0) meter_->add(std::exchange(sum_, 0));
  }

 private:
  Meter* meter_;
  double grain_, sum_ = 0;
};

}  // namespace kauri
