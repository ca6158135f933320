// Progress of a long call: its tasks count operations, any thread reads the fraction, only the
// calling thread reports it.
//
// Like the stop token (base/threads/stopping.hpp), the meter reaches inner loops by a thread-local
// pointer; the loops pass it to their tasks. No result depends on it.
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
  /// step(fraction): progress callback. The thread that constructed the meter calls it from add(),
  /// at most kSteps - 1 times, with ascending fractions between 0 and 1. An exception that it
  /// throws ends the work.
  explicit Meter(std::function<void(double)> step = {}) : step_(std::move(step)) {}

  /// Starts work of `whole` operations, of which none is done. Must not run concurrently with
  /// add(). Work that begins again, as a factorisation with another shift, calls step() only once
  /// its fraction exceeds all that step() has been told: a phase does not go back.
  void begin(double whole) {
    done_.store(0, std::memory_order_relaxed);
    whole_.store(whole, std::memory_order_relaxed);
  }
  /// Adds `part` operations to those done. Thread-safe. In the thread that constructed the meter,
  /// may call step(), and throws what step() throws.
  void add(double part) {
    done_.fetch_add(part, std::memory_order_relaxed);
    if (step_ && std::this_thread::get_id() == owner_) pass();
  }
  /// Returns the fraction of the operations that is done, 0 to 1; 0 before begin(). Thread-safe.
  [[nodiscard]] double fraction() const {
    const double whole = whole_.load(std::memory_order_relaxed);
    return whole > 0 ? std::min(1.0, done_.load(std::memory_order_relaxed) / whole) : 0;
  }
  /// Returns the number of operations done.
  [[nodiscard]] double done() const { return done_.load(std::memory_order_relaxed); }
  /// Returns the number of operations, whole / 128, below which an add() is not worth its cost;
  /// MeterParts collects smaller parts.
  [[nodiscard]] double grain() const {
    return whole_.load(std::memory_order_relaxed) / (4 * kSteps);
  }

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
  double next_ = 1.0 / kSteps;  // least fraction at which pass() calls step_; read by owner_ only
  std::atomic<double> done_{0}, whole_{0};
};

namespace metering {
/// Meter of the call that this thread works for; null if that call is not metered.
inline constinit thread_local Meter* current = nullptr;
}  // namespace metering

/// Sets metering::current of this thread to the given meter, or null for none, for its lifetime.
/// Then restores the previous one.
class MeterScope {
 public:
  explicit MeterScope(Meter* meter) : before_(std::exchange(metering::current, meter)) {}
  MeterScope(const MeterScope&) = delete;
  MeterScope& operator=(const MeterScope&) = delete;
  ~MeterScope() { metering::current = before_; }

 private:
  Meter* before_;
};

/// Sums the operations of one task and passes the sum to Meter::add() each time that it reaches
/// grain(), since all threads share the meter's counter. Does nothing if the meter is null.
class MeterParts {
 public:
  explicit MeterParts(Meter* meter)
      : meter_(meter), grain_(meter != nullptr ? meter->grain() : 0) {}
  void add(double part) {
    if (meter_ == nullptr) return;
    sum_ += part;
    if (sum_ >= grain_) flush();
  }
  /// Passes the operations summed since the last flush to Meter::add(). Call it at the end of the
  /// task; the destructor does not, since the meter's step() may throw.
  void flush() {
    if (meter_ != nullptr && sum_ > 0) meter_->add(std::exchange(sum_, 0));
  }

 private:
  Meter* meter_;
  double grain_, sum_ = 0;
};

}  // namespace kauri
