// Clocks, the process's memory, and right-hand sides that are the same everywhere.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <vector>

#include "kauri/types.hpp"

namespace kauri::cli {

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// Seconds of the fastest of `times` calls of work(); prepare() comes before each, unmeasured.
template <class Prepare, class Work>
double least_seconds(int times, Prepare&& prepare, Work&& work) {
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < times; ++k) {
    prepare();
    const Stopwatch watch;
    work();
    least = std::min(least, watch.seconds());
  }
  return least;
}

/// High-water mark of this process's resident memory in bytes (0 where the system does not tell), counted anew from reset_peak_rss() on.
Offset peak_rss_bytes();
void reset_peak_rss();

/// `length` numbers in [-1, 1), each a multiple of 2^-23 and so the same in float and double: the same for the same seed on every platform.
/// SplitMix64 (Steele, Lea & Flood, Fast splittable pseudorandom number generators, OOPSLA 2014).
template <class T>
std::vector<T> random_vector(std::size_t length, std::uint64_t seed);

}  // namespace kauri::cli
