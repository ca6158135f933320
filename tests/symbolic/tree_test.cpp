// Elimination tree, postorder and column counts against their definitions.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "support/fill_oracle.hpp"
#include "support/patterns.hpp"
#include "symbolic/column_counts.hpp"
#include "symbolic/elimination_tree.hpp"

namespace kauri::test {
namespace {

using namespace kauri::symbolic;

/// All of tree_test's checks for one pattern and order.
void check_tree(const OwnedPattern& a, const Permutation& perm) {
  const auto columns = naive_columns(a.view(), perm);
  const RowLists rows = row_lists(a.view(), perm);
  const std::vector<Index> parent = elimination_tree(rows);
  ASSERT_EQ(parent, naive_tree(columns));

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
  Permutation::from_old_of(std::vector<Index>(position));  // throws unless a bijection

  const std::vector<Index> count = column_counts(rows, position, renamed);
  for (std::size_t j = 0; j < parent.size(); ++j) ASSERT_EQ(count[position[j]], static_cast<Index>(columns[j].size())) << "column " << j;
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
    for (const OwnedPattern& a : {diagonal_pattern(n), chain_pattern(n), dense_pattern(n), caterpillar_pattern(n)}) {
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
  // Two roots (4 and 6); 4 has the children 1 and 3, 3 has 0 and 2.
  const std::vector<Index> parent{3, 4, 3, 4, kNone, 6, kNone};
  EXPECT_EQ(postorder(parent), (std::vector<Index>{1, 0, 2, 3, 4, 5, 6}));
}

TEST(Tree, RowListsHoldEachEntryOnce) {
  const OwnedPattern a = random_pattern(50, 4, 9);
  const Permutation perm = random_order(50, 2);
  const RowLists rows = row_lists(a.view(), perm);
  std::vector<bool> seen(a.row.size(), false);
  std::vector<Index> column_entries(50, 0);
  for (Index i = 0; i < 50; ++i)
    for (Offset k = rows.ptr[i]; k < rows.ptr[i + 1]; ++k) {
      const Offset source = rows.source[k];
      const auto column = static_cast<Index>(std::upper_bound(a.col_ptr.begin(), a.col_ptr.end(), source) - a.col_ptr.begin() - 1);
      EXPECT_EQ(std::max(perm.new_of(column), perm.new_of(a.row[source])), i);
      EXPECT_EQ(std::min(perm.new_of(column), perm.new_of(a.row[source])), rows.column[k]);
      EXPECT_FALSE(seen[source]);
      seen[source] = true;
      ++column_entries[rows.column[k]];
    }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), static_cast<std::ptrdiff_t>(a.row.size()) - 50);
  EXPECT_EQ(column_entries, rows.column_entries);
}

}  // namespace
}  // namespace kauri::test
