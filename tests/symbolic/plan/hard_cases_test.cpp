// Tests shapes that break recursion, quadratic loops and 32-bit counts.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "support/systems/patterns.hpp"
#include "symbolic/check/find_flaw.hpp"
#include "symbolic/plan/internals.hpp"
#include "symbolic/plan/make_plan.hpp"

namespace kauri::test {
namespace {

using symbolic::make_plan;

std::shared_ptr<const Plan> natural_plan(const OwnedPattern& a, bool amalgamate = true) {
  AnalyzeOptions options;
  options.workers = 4;
  options.amalgamate = amalgamate;
  options.target = "cpu-avx2";
  return make_plan(a.view(), Permutation::identity(a.n()), options);
}

TEST(HardCases, LongChainCaterpillarStarAndDiagonal) {
  const Index n = 200001;
  for (const bool amalgamate : {true, false})
    for (const OwnedPattern& a :
         {chain_pattern(n), caterpillar_pattern(n), star_pattern(n, n - 1), diagonal_pattern(n)}) {
      const auto plan = natural_plan(a, amalgamate);
      EXPECT_EQ(plan->cost.nnz_l, a.view().nnz());
      EXPECT_LT(plan->internals->schedule.task.size(), 3000U);
      EXPECT_EQ(find_flaw(*plan), "");
    }
}

TEST(HardCases, TreeHeights) {
  EXPECT_EQ(natural_plan(chain_pattern(50000))->cost.tree_height, 50000);
  EXPECT_EQ(natural_plan(diagonal_pattern(50000))->cost.tree_height, 1);
  EXPECT_EQ(natural_plan(star_pattern(50000, 49999))->cost.tree_height, 2);
}

TEST(HardCases, MoreThanTwoToThe31EntriesOfL) {
  const Index n = 70000;  // the hub first: L is full, A is not
  const auto plan = natural_plan(star_pattern(n, 0));
  EXPECT_EQ(plan->cost.nnz_l, Offset{n} * (n + 1) / 2);
  EXPECT_EQ(plan->cost.stored_entries, Offset{n} * n);
  EXPECT_EQ(plan->internals->panel_ptr.back(), Offset{4900000000});
  EXPECT_EQ(plan->supernodes.count(), 1);
  EXPECT_EQ(plan->factor_bytes(8), Offset{39200000000});
  EXPECT_EQ(find_flaw(*plan), "");
}

TEST(HardCases, ContributionBlocksBeyondTwoToThe31Entries) {
  const Index n = 70000;  // 0 is joined to all but 1, and 1 to 2, so 2 has two children and
                          // starts a supernode
  EdgeList edges{{1, 2}};
  for (Index v = 2; v < n; ++v) edges.emplace_back(0, v);
  const auto plan = natural_plan(pattern_of(n, std::move(edges)), false);
  EXPECT_EQ(plan->supernodes.count(), 3);
  EXPECT_EQ(plan->cost.nnz_l, Offset{n - 1} * n / 2 + 2);
  EXPECT_GT(plan->internals->schedule.stack_entries, Offset{1} << 31);
  // Both blocks are dead once the panel of 2 is assembled, and its scratch lies there.
  EXPECT_EQ(plan->internals->schedule.stack_entries, symbolic::ContributionLayout::entries(n - 2) +
                                                         symbolic::ContributionLayout::entries(1));
  EXPECT_EQ(plan->internals->schedule.update_rows, n - 1);
  EXPECT_EQ(find_flaw(*plan), "");
}

}  // namespace
}  // namespace kauri::test
