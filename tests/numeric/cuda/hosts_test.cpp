// Paths of hosts of a million children in all on a CUDA device: exact factors and solutions.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/caterpillar.hpp"
#include "tests/support/cuda_ways.hpp"
#include "tests/support/device_plans.hpp"

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
    const bool tiled = leaves + 1 > DeviceSchedule::kMostChildren;
    ASSERT_EQ(plan->device.level.size(), static_cast<std::size_t>(hosts) + 1);
    ASSERT_EQ(static_cast<Index>(plan->device.panel_reuses.size()), tiled ? hosts : 0);
    auto factor = Factor<T>::create(plan, this->backend());
    for (int run = 0; run < (TypeParam::by_level ? 1 : 3); ++run) {
      ASSERT_TRUE(refactorize<T>(factor, cast<T>(system.value)).ok());
      const Permutation& perm = plan->perm;
      for (Index host = leaves; host < n; host += 97 * (leaves + 1))
        for (const Index j : {host, host - 1, host - leaves}) {
          ASSERT_EQ(factor.entry(perm.new_of(j), perm.new_of(j)), static_cast<T>(system.diagonal[j])) << j;
          if (j + 1 < n) {
            ASSERT_EQ(factor.entry(perm.new_of(system.parent(j)), perm.new_of(j)), static_cast<T>(system.below[j])) << j;
          }
        }
    }
    // Every entry of L is in what follows: in exact numbers no other L gives this x.
    auto workspace = Workspace<T>::create(factor, 1);
    std::vector<T> x = cast<T>(system.b);
    factor.solve({x.data(), n, 1, n}, workspace);
    EXPECT_TRUE(x == cast<T>(system.x));
  }
}

/// Sums of children's entries by lists of 64-bit places, as in arrays of 2^32 entries and more.
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
