// Tests hosts of many children on the CPU: exact factors and solutions for paths of hosts, and for
// trees of large blocks with leaves.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "kauri/kauri.hpp"
#include "tests/support/process/many_threads.hpp"
#include "tests/support/systems/block_tree.hpp"
#include "tests/support/systems/caterpillar.hpp"

namespace kauri {
namespace {

template <class T>
class Hosts : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Hosts, Scalars);

template <class T>
std::vector<T> solution(const Factor<T>& factor, std::vector<T> b) {
  auto workspace = Workspace<T>::create(factor, 1);
  factor.solve(column_view(std::span<T>(b)), workspace);
  return b;
}

TYPED_TEST(Hosts, APathOfHostsOfAMillionChildren) {
  using T = TypeParam;
  const test::ManyThreads many;
  for (const auto& [hosts, leaves] : test::kCaterpillars) {
    const test::Caterpillar system(hosts, leaves, 1);
    for (const bool amalgamate : {false, true}) {
      SCOPED_TRACE(std::to_string(hosts) + (amalgamate ? "" : " fundamental"));
      AnalyzeOptions options;
      options.ordering.method = OrderingMethod::natural;
      options.amalgamate = amalgamate;
      options.workers = 8;
      Backend backend = cpu_backend(8);
      auto factor = factorize<T>(analyze(system.pattern.view(), options),
                                 test::cast<T>(system.value), backend);
      ASSERT_TRUE(factor.ok());
      const Permutation& perm = factor.value().plan().perm;
      for (Index j = 0; j < system.pattern.n(); j += j + leaves < system.pattern.n() ? 7 : 1) {
        ASSERT_EQ(factor.value().entry(perm.new_of(j), perm.new_of(j)),
                  static_cast<T>(system.diagonal[j]))
            << j;
        if (j + 1 < system.pattern.n()) {
          ASSERT_EQ(factor.value().entry(perm.new_of(system.parent(j)), perm.new_of(j)),
                    static_cast<T>(system.below[j]))
              << j;
        }
      }
      EXPECT_TRUE(solution(factor.value(), test::cast<T>(system.b)) == test::cast<T>(system.x));
    }
  }
}

/// Checks the system on which a device sums products in parts
/// (tests/numeric/cuda/factor/parts_test.cpp): it is exact and has the expected values.
TEST(BlockTrees, AreExact) {
  test::BlockTree tree({330, 200, 130, 90}, 5);
  for (const auto& rows : {tree.rows(), tree.with_leaves(300, 2, 20)}) {
    const auto system = test::dense_exact_system(rows);
    AnalyzeOptions options;
    options.ordering.method = OrderingMethod::natural;
    Backend backend = cpu_backend(2);
    const auto factor =
        factorize<double>(analyze(system.a.pattern(), options), system.a.value(), backend);
    ASSERT_TRUE(factor.ok());
    const Permutation& perm = factor.value().plan().perm;
    for (Index i = 0; i < system.a.n(); ++i)
      for (const auto& [j, v] : system.l[i])
        ASSERT_EQ(factor.value().entry(perm.new_of(i), perm.new_of(j)), static_cast<double>(v))
            << i << " " << j;
    std::mt19937_64 random(1);
    std::vector<double> x(static_cast<std::size_t>(system.a.n()));
    for (double& v : x) v = static_cast<int>(random() % 5) - 2;
    EXPECT_EQ(solution(factor.value(), test::product(system.a, x)), x);
  }
}

}  // namespace
}  // namespace kauri
