// Shapes that break recursion, quadratic loops and 32-bit counts.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "support/patterns.hpp"
#include "symbolic/make_plan.hpp"

namespace kauri::test {
namespace {

using symbolic::make_plan;

std::shared_ptr<const Plan> plan_of(const OwnedPattern& a, bool amalgamate = true) {
  AnalyzeOptions options;
  options.workers = 4;
  options.amalgamate = amalgamate;
  options.target = "cpu-avx2";
  return make_plan(a.view(), Permutation::identity(a.n()), options);
}

TEST(HardCases, LongChainCaterpillarStarAndDiagonal) {
  const Index n = 200001;
  for (const bool amalgamate : {true, false})
    for (const OwnedPattern& a : {chain_pattern(n), caterpillar_pattern(n), star_pattern(n, n - 1), diagonal_pattern(n)}) {
      const auto plan = plan_of(a, amalgamate);
      EXPECT_EQ(plan->cost.nnz_l, a.view().nnz());
      EXPECT_LT(plan->schedule.task.size(), 3000U);
      EXPECT_EQ(find_flaw(*plan), "");
    }
}

TEST(HardCases, TreeHeights) {
  EXPECT_EQ(plan_of(chain_pattern(50000))->cost.tree_height, 50000);
  EXPECT_EQ(plan_of(diagonal_pattern(50000))->cost.tree_height, 1);
  EXPECT_EQ(plan_of(star_pattern(50000, 49999))->cost.tree_height, 2);
}

TEST(HardCases, MoreThanTwoToThe31EntriesOfL) {
  const Index n = 70000;  // the hub first: L is full, A is not
  const auto plan = plan_of(star_pattern(n, 0));
  EXPECT_EQ(plan->cost.nnz_l, Offset{n} * (n + 1) / 2);
  EXPECT_EQ(plan->cost.stored_entries, Offset{n} * n);
  EXPECT_EQ(plan->panel_ptr.back(), Offset{4900000000});
  EXPECT_EQ(plan->supernodes.count(), 1);
  EXPECT_EQ(plan->factor_bytes(8), Offset{39200000000});
  EXPECT_EQ(find_flaw(*plan), "");
}

TEST(HardCases, ContributionBlocksBeyondTwoToThe31Entries) {
  const Index hub = 10, n = 90000;  // ten columns joined to all later ones, which a chain of two fronts takes over
  EdgeList edges;
  for (Index v = 1; v < n; ++v) edges.emplace_back(v < hub ? v - 1 : 0, v);
  for (Index v = hub; v < n; ++v) edges.emplace_back(hub - 1, v);
  const auto plan = plan_of(pattern_of(n, std::move(edges)), false);
  EXPECT_EQ(plan->cost.largest_front, n);
  EXPECT_EQ(plan->cost.nnz_l, Offset{n} * (n + 1) / 2 - 0);
  EXPECT_EQ(find_flaw(*plan), "");
}

}  // namespace
}  // namespace kauri::test
