// A path of hosts, each with many leaves, as a system whose factor and solution are integers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "tests/support/process/seeds.hpp"
#include "tests/support/systems/exact.hpp"
#include "tests/support/systems/patterns.hpp"

namespace kauri::test {

/// A caterpillar, A = L L^T, and b = A x for x of small integers. L has ones, twos and fours on the
/// diagonal, and one entry below it in each column but the last: a leaf's in its host's row, a
/// host's in the next host's row. Leaves come before their host, host after host, so there is no
/// fill. All numbers are exact in 24 bits, in any order of summation, up to some ten thousand
/// leaves per host. O(n).
struct Caterpillar {
  OwnedPattern pattern;
  std::vector<double> value, diagonal, below;  // of A; of L; of L
  std::vector<double> x, b;

  [[nodiscard]] Index parent(Index j) const {
    return pattern.row[static_cast<std::size_t>(pattern.col_ptr[j]) + 1];
  }

  Caterpillar(Index hosts, Index leaves, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const Index n = hosts * (leaves + 1);
    const auto small = [&] { return static_cast<double>(static_cast<int>(random() % 5) - 2); };
    for (Index j = 0; j < n; ++j) {
      const Index host = j / (leaves + 1) * (leaves + 1) + leaves,
                  up = j < host ? host : j + leaves + 1;
      pattern.row.push_back(j);
      if (up < n) pattern.row.push_back(up);
      pattern.col_ptr.push_back(static_cast<Offset>(pattern.row.size()));
      diagonal.push_back(static_cast<double>(1 << random() % 3));
      below.push_back(up < n ? static_cast<double>(1 + random() % 2) : 0.0);
      x.push_back(small());
    }
    std::vector<double> a_diagonal(diagonal.size()), y(diagonal.size());  // y = L^T x
    b.resize(diagonal.size());
    for (Index j = 0; j < n; ++j) {
      const bool last = j + 1 == n;
      a_diagonal[j] += diagonal[j] * diagonal[j];
      y[j] = diagonal[j] * x[j] + (last ? 0.0 : below[j] * x[parent(j)]);
      b[j] += diagonal[j] * y[j];
      if (last) continue;
      a_diagonal[parent(j)] += below[j] * below[j];
      b[parent(j)] += below[j] * y[j];
    }
    for (Index j = 0; j < n; ++j) {
      value.push_back(a_diagonal[j]);
      if (j + 1 < n) value.push_back(below[j] * diagonal[j]);
    }
  }
};

/// Numbers of hosts and of leaves per host: a million columns in all, a tenth of that under a
/// sanitizer. In a device's plan the hosts of the first two sizes are tiled fronts, those of the
/// last narrow ones.
struct CaterpillarSize {
  Index hosts, leaves;
};
inline constexpr Index kTenth = kSanitized ? 10 : 1;
inline constexpr CaterpillarSize kCaterpillars[] = {
    {1000 / kTenth, 999}, {10000 / kTenth, 99}, {20000 / kTenth, 49}};

}  // namespace kauri::test
