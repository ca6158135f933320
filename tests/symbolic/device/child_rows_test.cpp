// Tests rows of children in their parents' fronts: any range of the flat arrays against the row
// lists.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/device/child_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "kauri/kauri.hpp"
#include "symbolic/plan/internals.hpp"

namespace kauri::symbolic {
namespace {

/// Returns for each row below the pivots of each front its place in the parent's row list, found by
/// its number.
std::vector<Index> naive_parent_rows(const Supernodes& nodes) {
  std::vector<Index> all;
  for (Index s = 0; s < nodes.count(); ++s) {
    const auto rows = nodes.rows(s);
    for (Index r = nodes.pivots(s); r < nodes.order(s); ++r) {
      const auto there = nodes.rows(nodes.parent[s]);
      all.push_back(static_cast<Index>(
          std::lower_bound(there.begin(), there.end(), rows[static_cast<std::size_t>(r)]) -
          there.begin()));
    }
  }
  return all;
}

class ChildRows : public ::testing::TestWithParam<const char*> {
 protected:
  ChildRows() : plan_(analyze(generate(GetParam()).pattern())) {}
  std::shared_ptr<const Plan> plan_;
};

TEST_P(ChildRows, AnyRangeOfParentRows) {
  const std::vector<Index> all = naive_parent_rows(plan_->supernodes);
  ASSERT_EQ(all.size(), plan_->supernodes.row.size() - static_cast<std::size_t>(plan_->n));
  std::mt19937_64 random(1);
  const auto count = static_cast<Offset>(all.size());
  for (int round = 0; round < 200; ++round) {
    Offset begin =
        round == 0 ? 0 : static_cast<Offset>(random() % static_cast<std::uint64_t>(count + 1));
    Offset end =
        round == 0 ? count : static_cast<Offset>(random() % static_cast<std::uint64_t>(count + 1));
    if (begin > end) std::swap(begin, end);
    std::vector<Index> out(static_cast<std::size_t>(end - begin), -7);
    list_parent_rows(plan_->supernodes, plan_->internals->assembly, begin, end, out.data());
    ASSERT_TRUE(std::equal(out.begin(), out.end(), all.begin() + begin)) << begin << " " << end;
  }
}

/// Returns the row of a child's block that meets each padded row of the parent, or -1, as kernels
/// read it from the row map.
std::vector<Index> rows_in(const std::vector<RowMapWord>& map) {
  std::vector<Index> rows;
  for (const RowMapWord word : map)
    for (Index r = 0, next = static_cast<Index>(word >> kCell); r < kCell; ++r)
      rows.push_back((word >> r & 1) != 0 ? next++ : -1);
  return rows;
}

TEST_P(ChildRows, AnyRangeOfARowMap) {
  const Supernodes& nodes = plan_->supernodes;
  const std::vector<Index> parent_row = naive_parent_rows(nodes);
  std::mt19937_64 random(2);
  for (Index c = 0; c < nodes.count(); ++c) {
    if (nodes.parent[c] == kNone) continue;
    const FrontCells parent{nodes.order(nodes.parent[c]), nodes.pivots(nodes.parent[c])};
    std::vector<RowMapWord> map(static_cast<std::size_t>(row_map_words(parent)), 7);
    write_row_map(plan_->internals->assembly, c, parent, 0, row_map_words(parent), map.data());
    std::vector<Index> expected(map.size() * kCell, -1);
    for (Index i = 0; i < nodes.contribution(c); ++i)
      expected[static_cast<std::size_t>(parent.padded_row(
          parent_row[static_cast<std::size_t>(nodes.row_ptr[c] - nodes.first[c] + i)]))] = i;
    ASSERT_EQ(rows_in(map), expected) << c;
    for (int round = 0; round < 2; ++round) {
      auto begin = static_cast<Offset>(random() % map.size()),
           end = static_cast<Offset>(random() % map.size());
      if (begin > end) std::swap(begin, end);
      std::vector<RowMapWord> out(static_cast<std::size_t>(end - begin), 7);
      write_row_map(plan_->internals->assembly, c, parent, begin, end, out.data());
      ASSERT_TRUE(std::equal(out.begin(), out.end(), map.begin() + begin))
          << c << ": " << begin << " " << end;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Systems, ChildRows,
                         ::testing::Values("poisson2d 20", "poisson3d 8", "elast3d 4", "tree 300 1",
                                           "blockdiag 60 20", "rgg3d 500 10 1"));

}  // namespace
}  // namespace kauri::symbolic
