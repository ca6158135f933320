// Clocks, the process's memory, and right-hand sides that are the same everywhere.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "base/progress/stopwatch.hpp"
#include "kauri/types.hpp"

namespace kauri::cli {

/// Seconds of the fastest of `times` calls of work(); prepare() comes before each, unmeasured.
template <class Prepare, class Work>
double least_seconds(int times, Prepare&& prepare, Work&& work) {
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < times; ++k) {
    prepare();
    least = std::min(least, seconds_of(work));
  }
  return least;
}

/// High-water mark of this process's resident memory in bytes (0 where the system does not tell), counted anew from reset_peak_rss() on.
Offset peak_rss_bytes();
void reset_peak_rss();

/// Hands memory that was freed back to the system (glibc; nothing elsewhere): called between the analysis, which leaves a heap full of
/// holes, and the factorisation, which needs large blocks.
void release_free_memory();

/// Fills x with numbers in [-1, 1), each a multiple of 2^-23 and so the same in float and double: the same for the same seed on every
/// platform, and a shorter x gets the beginning of a longer one.
template <class T>
void fill_random(std::span<T> x, std::uint64_t seed);

}  // namespace kauri::cli
