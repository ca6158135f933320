// SplitMix64 (Steele, Lea & Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace kauri {

/// Increment of the state per draw.
inline constexpr std::uint64_t kSplitmixStep = 0x9E3779B97F4A7C15;

/// Returns the next draw of the stream with this state, and advances the state.
inline std::uint64_t splitmix64(std::uint64_t& state) {
  std::uint64_t z = state += kSplitmixStep;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

}  // namespace kauri
