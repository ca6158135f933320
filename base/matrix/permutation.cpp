// Permutation: a checked bijection with both directions stored.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/core/permutation.hpp"

#include <atomic>
#include <numeric>
#include <span>
#include <string>

#include "base/threads/blocks.hpp"
#include "kauri/core/error.hpp"

namespace kauri {

namespace {

constexpr Index kPermutationBlock = 65536;  // number of positions that one task handles

/// Throws Error(input) that names the first entry of old_of that is out of range or repeats a row.
/// Precondition: old_of has such an entry.
[[noreturn]] void refuse(std::span<const Index> old_of) {
  const auto n = static_cast<Index>(old_of.size());
  std::vector<Index> position(old_of.size(), kNone);
  for (Index k = 0;; ++k) {
    const Index i = old_of[k];
    if (i < 0 || i >= n)
      throw Error(ErrorKind::input, "permutation: entry " + std::to_string(k) + " is " +
                                        std::to_string(i) + ", expected 0 to " +
                                        std::to_string(n - 1));
    if (position[i] != kNone)
      throw Error(ErrorKind::input, "permutation: row " + std::to_string(i) +
                                        " stands at positions " + std::to_string(position[i]) +
                                        " and " + std::to_string(k) + ", expected once");
    position[i] = k;
  }
}

}  // namespace

// If several positions k have the same row old_of[k], new_of keeps one of them, and the second loop
// finds the others.
Permutation Permutation::from_old_of(std::vector<Index> old_of) {
  const auto n = static_cast<Index>(old_of.size());
  Permutation p;
  p.new_of_.resize(old_of.size());
  std::atomic<bool> sound{true};
  const Blocks blocks(n, kPermutationBlock);
  blocks.for_each([&](Index, Index begin, Index end) {
    for (Index k = begin; k < end; ++k)
      if (const Index i = old_of[k]; i >= 0 && i < n)
        std::atomic_ref<Index>(p.new_of_[i]).store(k, std::memory_order_relaxed);
      else
        sound = false;
  });
  if (sound)
    blocks.for_each([&](Index, Index begin, Index end) {
      for (Index k = begin; k < end; ++k)
        if (p.new_of_[old_of[k]] != k) sound = false;
    });
  if (!sound) refuse(old_of);
  p.old_of_ = std::move(old_of);
  return p;
}

Permutation Permutation::identity(Index n) {
  Permutation p;
  p.old_of_.resize(static_cast<std::size_t>(n));
  std::iota(p.old_of_.begin(), p.old_of_.end(), 0);
  p.new_of_ = p.old_of_;
  return p;
}

Permutation Permutation::then(const Permutation& second) const {
  if (second.size() != size())
    throw Error(ErrorKind::usage, "permutation: composing sizes " + std::to_string(size()) +
                                      " and " + std::to_string(second.size()) +
                                      ", expected equal sizes");
  Permutation p;
  p.old_of_.resize(old_of_.size());
  p.new_of_.resize(old_of_.size());
  for (Index k = 0; k < size(); ++k) {
    p.old_of_[k] = old_of_[second.old_of_[k]];
    p.new_of_[p.old_of_[k]] = k;
  }
  return p;
}

}  // namespace kauri
