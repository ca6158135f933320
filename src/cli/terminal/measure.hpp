// Timing, memory of the process, and random right-hand sides that are the same on all platforms.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "base/progress/stopwatch.hpp"
#include "kauri/core/types.hpp"

namespace kauri::cli {

/// Returns the seconds of the fastest of `times` calls of work(); prepare() runs before each,
/// untimed.
template <class Prepare, class Work>
double least_seconds(int times, Prepare&& prepare, Work&& work) {
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < times; ++k) {
    prepare();
    least = std::min(least, seconds_of(work));
  }
  return least;
}

/// Returns the peak of this process's resident memory in bytes since reset_peak_rss(), or since its
/// start; 0 if the system does not report it.
Offset peak_rss_bytes();
void reset_peak_rss();

/// Returns freed memory to the system (with glibc; elsewhere no effect). An analysis leaves a
/// fragmented heap, which this keeps from adding to the large blocks of a factorisation.
void release_free_memory();

/// Fills x with random multiples of 2^-23 in [-1, 1), which are exact in float and double. A seed
/// gives the same numbers on every platform; a shorter x is the beginning of a longer one.
template <class T>
void fill_random(std::span<T> x, std::uint64_t seed);

}  // namespace kauri::cli
