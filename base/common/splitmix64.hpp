// Pseudorandom numbers by SplitMix64 (Steele, Lea & Flood, "Fast splittable pseudorandom number
// generators", OOPSLA 2014).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace kauri {

/// Number that each call of splitmix64() adds to the state.
inline constexpr std::uint64_t kSplitmixStep = 0x9E3779B97F4A7C15;

/// Returns the next pseudorandom number, 64 uniform bits, and advances `state`, at first the seed.
inline std::uint64_t splitmix64(std::uint64_t& state) {
  std::uint64_t z = state += kSplitmixStep;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

}  // namespace kauri
