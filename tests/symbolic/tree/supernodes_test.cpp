// Tests fundamental supernodes by definition, and amalgamation: sizes, profit, bounded storage.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/tree/supernodes.hpp"

#include <gtest/gtest.h>

#include "kauri/core/error.hpp"
#include "support/oracles/fill_oracle.hpp"
#include "support/systems/patterns.hpp"
#include "symbolic/common/cost_table.hpp"
#include "symbolic/tree/amalgamate.hpp"
#include "symbolic/tree/column_counts.hpp"
#include "symbolic/tree/elimination_tree.hpp"

namespace kauri::test {
namespace {

using namespace kauri::symbolic;

struct PostorderedTree {
  std::vector<Index> parent, count;
};

PostorderedTree tree_of(const OwnedPattern& a, const Permutation& perm) {
  const Graph graph(a.view());
  const ordering::CompressedGraph plain(graph, false);
  const PermutedAdjacency pairs(plain, {perm.old_of().begin(), perm.old_of().end()});
  const std::vector<Index> parent = elimination_tree(pairs), position = postorder(parent);
  PostorderedTree tree{std::vector<Index>(parent.size()), {}};
  for (std::size_t j = 0; j < parent.size(); ++j)
    tree.parent[position[j]] = parent[j] == kNone ? kNone : position[parent[j]];
  tree.count = column_counts(pairs, position, tree.parent);
  return tree;
}

double total_seconds(const FrontTree& fronts, const CostTable& table) {
  double sum = 0;
  for (Index s = 0; s < fronts.count(); ++s)
    sum += front_seconds(table, fronts.order[s], fronts.pivots[s]);
  return sum;
}

double stored(const FrontTree& fronts) {
  double sum = 0;
  for (Index s = 0; s < fronts.count(); ++s)
    sum += static_cast<double>(fronts.order[s]) * fronts.pivots[s];
  return sum;
}

TEST(Supernodes, FundamentalByDefinition) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Index n = 1 + static_cast<Index>(seed % 50);
    const PostorderedTree tree = tree_of(random_pattern(n, 3, seed), random_order(n, seed));
    const Partition partition = fundamental_supernodes(tree.parent, tree.count);
    std::vector<Index> children(tree.parent.size(), 0);
    for (const Index up : tree.parent)
      if (up != kNone) ++children[up];
    std::vector<Index> first;
    for (Index j = 0; j < n; ++j)
      if (j == 0 || tree.parent[j - 1] != j || children[j] != 1 ||
          tree.count[j - 1] != tree.count[j] + 1)
        first.push_back(j);
    first.push_back(n);
    ASSERT_EQ(partition.first, first) << "seed " << seed;
    for (Index s = 0; s < partition.fronts.count(); ++s) {
      const Index last = first[s + 1] - 1, up = partition.fronts.parent[s];
      EXPECT_EQ(partition.fronts.pivots[s], first[s + 1] - first[s]);
      EXPECT_EQ(partition.fronts.order[s], tree.count[first[s]]);
      ASSERT_EQ(up == kNone, tree.parent[last] == kNone);
      if (up != kNone) {
        EXPECT_TRUE(first[up] <= tree.parent[last] && tree.parent[last] < first[up + 1]);
      }
    }
  }
}

TEST(Amalgamation, GroupsAreSubtreesWithTheSizesOfTheMergeRule) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Index n = 5 + static_cast<Index>(seed);
    const PostorderedTree tree = tree_of(random_pattern(n, 3, seed), random_order(n, seed));
    const FrontTree fronts = fundamental_supernodes(tree.parent, tree.count).fronts;
    const Groups groups = amalgamate(fronts, cost_table("cpu-avx512"));
    std::vector<Index> pivots(groups.fronts.parent.size(), 0), order(pivots), tops(pivots);
    for (Index s = 0; s < fronts.count(); ++s) {
      const Index g = groups.group[s], up = fronts.parent[s];
      pivots[g] += fronts.pivots[s];
      order[g] += fronts.pivots[s];
      if (up != kNone && groups.group[up] == g) continue;
      ++tops[g];  // the member whose parent is outside: one per group, so the group is connected
      order[g] += fronts.order[s] - fronts.pivots[s];
      EXPECT_EQ(groups.fronts.parent[g], up == kNone ? kNone : groups.group[up]);
    }
    EXPECT_EQ(tops, std::vector<Index>(tops.size(), 1));
    EXPECT_EQ(pivots, groups.fronts.pivots);
    EXPECT_EQ(order, groups.fronts.order);
  }
}

TEST(Amalgamation, SavesTimeAndBoundsStorage) {
  const std::pair<OwnedPattern, Permutation> cases[] = {
      {grid_pattern(60, 60, 1), grid_dissection(60, 60, 1)},
      {grid_pattern(14, 14, 14), grid_dissection(14, 14, 14)},
      {grid_pattern(12, 12, 12, true), grid_dissection(12, 12, 12)}};
  for (const CostTable& table : cost_tables())
    for (const auto& [a, perm] : cases) {
      const PostorderedTree tree = tree_of(a, perm);
      const FrontTree fronts = fundamental_supernodes(tree.parent, tree.count).fronts;
      const Groups groups = amalgamate(fronts, table);
      EXPECT_LT(groups.fronts.count(), fronts.count() * 2 / 3);
      EXPECT_LT(total_seconds(groups.fronts, table), 0.9 * total_seconds(fronts, table));
      EXPECT_LE(stored(groups.fronts), storage_limit(fronts));
    }
}

TEST(Amalgamation, LimitOfStorage) {
  EXPECT_DOUBLE_EQ(storage_limit({{kNone}, {100}, {100}}), 13000);
  EXPECT_DOUBLE_EQ(storage_limit({{1, kNone}, {2, 1}, {1, 1}}), 3 + 8);
}

TEST(Amalgamation, TakesInAChildThatIsNotTheLast) {
  // Three leaves of one pivot lie below a root of 40: all are merged, whichever comes last.
  const FrontTree fronts{{3, 3, 3, kNone}, {41, 41, 41, 40}, {1, 1, 1, 40}};
  const Groups groups = amalgamate(fronts, cost_table("cpu-avx512"));
  EXPECT_EQ(groups.fronts.count(), 1);
  EXPECT_EQ(groups.fronts.order, (std::vector<Index>{43}));
  EXPECT_EQ(groups.fronts.pivots, (std::vector<Index>{43}));
}

/// Points lie below a chain of cameras. The chain becomes one front, whose path is as long as its
/// columns imply, and the points stay leaves. If the path costs nothing and zeros little, cameras
/// merge with points.
TEST(Amalgamation, OnADeviceTheLongestPathCounts) {
  FrontTree fronts;
  const Index cameras = 20, points = 100;
  for (Index k = 0; k < cameras; ++k) {
    const Index host = (k + 1) * (points + 1) - 1;
    for (Index i = 0; i < points; ++i) {
      fronts.parent.push_back(host);
      fronts.order.push_back(std::min<Index>(39, 9 * (cameras - k) + 3));
      fronts.pivots.push_back(3);
    }
    fronts.parent.push_back(k + 1 < cameras ? host + points + 1 : kNone);
    fronts.order.push_back(9 * (cameras - k));
    fronts.pivots.push_back(9);
  }
  const Groups device = amalgamate(fronts, cost_table("sm_90"));
  EXPECT_EQ(device.fronts.count(), cameras * points + 1);
  EXPECT_EQ(device.fronts.pivots.back(), 9 * cameras);
  CostTable flat = cost_table("sm_90");
  flat.path_weight = 0, flat.padding_s = 1e-9;
  const Groups without = amalgamate(fronts, flat);
  EXPECT_LT(without.fronts.count(), device.fronts.count() - 100);
  EXPECT_LT(without.fronts.pivots.back(), 9 * cameras);
}

TEST(CostTable, FlopsAreTheSumOverColumns) {
  for (Index m = 1; m < 40; ++m)
    for (Index p = 1; p <= m; ++p) {
      double sum = 0;
      for (Index k = 0; k < p; ++k) sum += static_cast<double>(m - k) * (m - k);
      EXPECT_EQ(front_flops(m, p), sum);
    }
}

TEST(CostTable, RatesRiseWithSize) {
  for (const CostTable& table : cost_tables()) {
    const auto rate = [&](Index m, Index p) {
      return front_flops(m, p) / front_seconds(table, m, p);
    };
    EXPECT_LT(rate(10, 5), rate(40, 20));
    EXPECT_LT(rate(40, 20), rate(300, 150));
    EXPECT_LT(rate(300, 150), rate(3000, 1500));
    EXPECT_LT(rate(3000, 1500), table.peak);
    EXPECT_GT(rate(3000, 1500), 0.9 * table.peak);
  }
  EXPECT_EQ(cost_table("cpu-avx2").target, "cpu-avx2");
  try {
    cost_table("abacus");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
  }
}

}  // namespace
}  // namespace kauri::test
