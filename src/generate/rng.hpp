// Random numbers of the generators: splitmix64 (Steele, Lea & Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "kauri/types.hpp"

namespace kauri::gen {

/// A counter-based stream: draw number k is a hash of seed and k alone, so that skip() costs nothing.
class Rng {
 public:
  explicit Rng(std::uint64_t seed) : state_(seed * kGolden + 0x1234567) {}

  std::uint64_t next() {
    state_ += kGolden;
    return mix(state_);
  }
  /// In [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  /// In [0, bound), bound > 0.
  Offset below(Offset bound) { return static_cast<Offset>(next() % static_cast<std::uint64_t>(bound)); }
  /// As if `draws` numbers had been drawn.
  void skip(std::uint64_t draws) { state_ += draws * kGolden; }

 private:
  static constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

/// Fisher & Yates, from the back: one draw per element but the first.
template <class T>
void shuffle(std::vector<T>& items, Rng& rng) {
  for (auto left = static_cast<Offset>(items.size()); left > 1; --left) std::swap(items[left - 1], items[rng.below(left)]);
}

}  // namespace kauri::gen
