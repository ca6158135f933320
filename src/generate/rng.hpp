// Random numbers of the generators: SplitMix64 with the generators' own seeding.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/common/splitmix64.hpp"
#include "kauri/core/types.hpp"

namespace kauri::gen {

/// Counter-based random numbers: the k-th is a hash of seed and k alone, so skip() takes O(1) time.
class Rng {
 public:
  explicit Rng(std::uint64_t seed) : state_(seed * kSplitmixStep + 0x1234567) {}

  std::uint64_t next() { return splitmix64(state_); }
  /// Returns a multiple of 2^-53 in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  /// Returns an integer in [0, bound), for bound > 0.
  Offset below(Offset bound) {
    return static_cast<Offset>(next() % static_cast<std::uint64_t>(bound));
  }
  /// Skips `draws` numbers.
  void skip(std::uint64_t draws) { state_ += draws * kSplitmixStep; }

 private:
  std::uint64_t state_;
};

/// Shuffles by Fisher & Yates, from the back: one draw for each element but the first.
template <class T>
void shuffle(std::vector<T>& items, Rng& rng) {
  for (auto left = static_cast<Offset>(items.size()); left > 1; --left)
    std::swap(items[left - 1], items[rng.below(left)]);
}

}  // namespace kauri::gen
