// Tests paths of hosts with a million children in total on a CUDA device: exact factors and
// solutions.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "symbolic/plan/internals.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/device/device_plans.hpp"
#include "tests/support/systems/caterpillar.hpp"

namespace kauri::test {
namespace {

template <class W>
class CudaHosts : public OnCuda<W> {};
TYPED_TEST_SUITE(CudaHosts, Ways);

TYPED_TEST(CudaHosts, APathOfHostsOfAMillionChildren) {
  using T = typename TypeParam::T;
  for (const auto& [hosts, leaves] : kCaterpillars) {
    SCOPED_TRACE(hosts);
    const Caterpillar system(hosts, leaves, 1);
    const Index n = system.pattern.n();
    const auto plan = this->plan(system.pattern.view(), OrderingMethod::natural, false);
    const bool tiled = leaves + 1 > symbolic::DeviceSchedule::kMostChildren;
    ASSERT_EQ(plan->internals->device.level.size(), static_cast<std::size_t>(hosts) + 1);
    ASSERT_EQ(static_cast<Index>(plan->internals->device.panel_reuses.size()), tiled ? hosts : 0);
    auto factor = Factor<T>::create(plan, this->backend());
    for (int run = 0; run < (TypeParam::by_level ? 1 : 3); ++run) {
      ASSERT_TRUE(refactorize<T>(factor, cast<T>(system.value)).ok());
      const Permutation& perm = plan->perm;
      for (Index host = leaves; host < n; host += 97 * (leaves + 1))
        for (const Index j : {host, host - 1, host - leaves}) {
          ASSERT_EQ(factor.entry(perm.new_of(j), perm.new_of(j)),
                    static_cast<T>(system.diagonal[j]))
              << j;
          if (j + 1 < n) {
            ASSERT_EQ(factor.entry(perm.new_of(system.parent(j)), perm.new_of(j)),
                      static_cast<T>(system.below[j]))
                << j;
          }
        }
    }
    // The solve uses every entry of L: in exact arithmetic no other L gives this x.
    auto workspace = Workspace<T>::create(factor, 1);
    std::vector<T> x = cast<T>(system.b);
    factor.solve({x.data(), n, 1, n}, workspace);
    EXPECT_TRUE(x == cast<T>(system.x));
  }
}

/// The system is an arrow of three rows: each of a million leaves meets one to three of them, so
/// hosts one above the other share leaves.
TYPED_TEST(CudaHosts, AnArrowOfAMillionLeaves) {
  using T = typename TypeParam::T;
  constexpr Index kLeaves = 1000000, kHubs = 3, n = kLeaves + kHubs;
  const auto meets = [](Index leaf, Index hub) { return ((leaf % 7 + 1) >> hub & 1) != 0; };
  OwnedPattern pattern;
  std::vector<T> value;
  const auto add = [&](Index row, double v) {
    pattern.row.push_back(row), value.push_back(static_cast<T>(v));
  };
  double both[kHubs][kHubs] = {};
  for (Index j = 0; j < kLeaves; ++j) {
    add(j, 4);
    for (Index h = 0; h < kHubs; ++h) {
      if (!meets(j, h)) continue;
      add(kLeaves + h, -1);
      for (Index g = 0; g <= h; ++g) both[h][g] += meets(j, g) ? 1 : 0;
    }
    pattern.col_ptr.push_back(static_cast<Offset>(pattern.row.size()));
  }
  // Eliminating the leaves leaves exactly 4 I of the hubs' block: all numbers are quarters below
  // 2^22.
  for (Index g = 0; g < kHubs; ++g) {
    for (Index h = g; h < kHubs; ++h) add(kLeaves + h, both[h][g] / 4 + (h == g ? 4 : 0));
    pattern.col_ptr.push_back(static_cast<Offset>(pattern.row.size()));
  }
  std::vector<double> expected(n), b(n, 0.0);
  for (Index i = 0; i < n; ++i) expected[i] = i % 5 - 2;
  for (Index j = 0; j < n; ++j)
    for (Offset k = pattern.col_ptr[j]; k < pattern.col_ptr[j + 1]; ++k) {
      const Index i = pattern.row[k];
      b[i] += static_cast<double>(value[k]) * expected[j];
      if (i != j) b[j] += static_cast<double>(value[k]) * expected[i];
    }
  for (const bool amalgamate : {false, true}) {
    auto factor = Factor<T>::create(this->plan(pattern.view(), OrderingMethod::natural, amalgamate),
                                    this->backend());
    for (int run = 0; run < 2; ++run) ASSERT_TRUE(refactorize<T>(factor, value).ok());
    const Permutation& perm = factor.plan().perm;
    for (Index g = kLeaves; g < n; ++g)
      for (Index h = g; h < n; ++h)
        EXPECT_EQ(factor.entry(perm.new_of(h), perm.new_of(g)), T(h == g ? 2 : 0)) << h << " " << g;
    auto workspace = Workspace<T>::create(factor, 1);
    std::vector<T> x = cast<T>(b);
    factor.solve({x.data(), n, 1, n}, workspace);
    EXPECT_TRUE(x == cast<T>(expected));
  }
}

/// The test sums children's entries by lists of 64-bit places, as arrays of 2^32 entries and more
/// need.
TYPED_TEST(CudaHosts, LongPlacesOfSums) {
  using T = typename TypeParam::T;
  if (TypeParam::by_level) GTEST_SKIP() << "level by level there are no lists";
  const Caterpillar system(5, 1200, 1);
  const Index n = system.pattern.n();
  const auto plan = this->plan(system.pattern.view(), OrderingMethod::natural, false);
  const auto other = std::make_shared<Plan>(with_long_places(*plan));
  ASSERT_GT(this->factor_bytes(*other), this->factor_bytes(*plan));
  auto factor = Factor<T>::create(other, this->backend());
  EXPECT_EQ(this->backend().bytes_in_use(), this->factor_bytes(*other));
  ASSERT_TRUE(refactorize<T>(factor, cast<T>(system.value)).ok());
  auto workspace = Workspace<T>::create(factor, 1);
  std::vector<T> x = cast<T>(system.b);
  factor.solve({x.data(), n, 1, n}, workspace);
  EXPECT_TRUE(x == cast<T>(system.x));
}

}  // namespace
}  // namespace kauri::test
