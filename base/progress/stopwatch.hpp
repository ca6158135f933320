// A monotonic clock. Reports read it; no decision does.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

namespace kauri {

/// Measures wall-clock seconds since its construction.
class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// Returns the wall-clock seconds that work() takes.
template <class Work>
double seconds_of(Work&& work) {
  const Stopwatch watch;
  work();
  return watch.seconds();
}

}  // namespace kauri
