// Tests the elimination tree, postorder and column counts against their definitions.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "support/oracles/fill_oracle.hpp"
#include "support/systems/patterns.hpp"
#include "symbolic/tree/column_counts.hpp"
#include "symbolic/tree/elimination_tree.hpp"

namespace kauri::test {
namespace {

using namespace kauri::symbolic;

/// Runs all checks for one pattern and order.
void check_tree(const OwnedPattern& a, const Permutation& perm) {
  const auto columns = naive_columns(a.view(), perm);
  const Graph graph(a.view());
  const ordering::CompressedGraph plain(graph, false);
  const PermutedAdjacency adjacency(plain, {perm.old_of().begin(), perm.old_of().end()});
  const std::vector<Index> parent = elimination_tree(adjacency);
  ASSERT_EQ(parent, naive_tree(columns));
  for (const Index part : {1, 2, 5, 11})
    ASSERT_EQ(elimination_tree(adjacency, part), parent) << "in ranges of " << part;

  const std::vector<Index> position = postorder(parent);
  std::vector<Index> size(parent.size(), 1), low(position), renamed(parent.size(), kNone);
  for (std::size_t j = 0; j < parent.size(); ++j) {
    ASSERT_EQ(low[j], position[j] - size[j] + 1) << "the subtree of " << j << " is not contiguous";
    if (parent[j] == kNone) continue;
    ASSERT_LT(position[j], position[parent[j]]);
    size[parent[j]] += size[j];
    low[parent[j]] = std::min(low[parent[j]], low[j]);
    renamed[position[j]] = position[parent[j]];
  }
  Permutation::from_old_of(std::vector<Index>(position));  // throws unless it is a bijection

  const std::vector<Index> count = column_counts(adjacency, position, renamed);
  for (std::size_t j = 0; j < parent.size(); ++j)
    ASSERT_EQ(count[position[j]], static_cast<Index>(columns[j].size())) << "column " << j;
  for (const Index part : {1, 2, 5, 11})
    ASSERT_EQ(column_counts(adjacency, position, renamed, part), count)
        << "in subtrees of " << part;
}

TEST(Tree, RandomGraphs) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Index n = 1 + static_cast<Index>(seed * 7 % 60);
    const double degree = 0.5 + static_cast<double>(seed % 9) * 0.6;
    const OwnedPattern a = random_pattern(n, degree, seed);
    SCOPED_TRACE("seed " + std::to_string(seed));
    check_tree(a, Permutation::identity(n));
    check_tree(a, random_order(n, seed));
    if (HasFatalFailure()) return;
  }
}

TEST(Tree, Families) {
  for (const Index n : {0, 1, 2, 3, 17, 40}) {
    for (const OwnedPattern& a :
         {diagonal_pattern(n), chain_pattern(n), dense_pattern(n), caterpillar_pattern(n)}) {
      check_tree(a, Permutation::identity(n));
      check_tree(a, random_order(n, 3));
    }
    if (n == 0) continue;
    check_tree(star_pattern(n, 0), Permutation::identity(n));
    check_tree(star_pattern(n, n - 1), Permutation::identity(n));
    check_tree(star_pattern(n, n / 2), random_order(n, 5));
  }
  check_tree(grid_pattern(9, 8, 1), grid_dissection(9, 8, 1));
  check_tree(grid_pattern(5, 4, 5, true), grid_dissection(5, 4, 5));
}

TEST(Tree, PostorderKeepsChildrenInTheirOrder) {
  // The forest has two roots (4 and 6); 4 has the children 1 and 3, 3 has 0 and 2.
  const std::vector<Index> parent{3, 4, 3, 4, kNone, 6, kNone};
  EXPECT_EQ(postorder(parent), (std::vector<Index>{1, 0, 2, 3, 4, 5, 6}));
}

}  // namespace
}  // namespace kauri::test
