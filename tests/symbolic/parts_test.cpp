// What is worked on side by side has nothing in common, and its size changes no row.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/parts.hpp"

#include <gtest/gtest.h>

#include "support/fill_oracle.hpp"
#include "support/patterns.hpp"
#include "symbolic/elimination_tree.hpp"
#include "symbolic/front_rows.hpp"
#include "symbolic/structure.hpp"

namespace kauri::test {
namespace {

using namespace kauri::symbolic;

struct System {
  OwnedPattern a;
  Permutation perm;
};

std::vector<System> systems() {
  std::vector<System> all;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const Index n = 1 + static_cast<Index>(seed * 11 % 90);
    all.push_back({random_pattern(n, 0.5 + static_cast<double>(seed % 7) * 0.6, seed), random_order(n, seed)});
  }
  for (const Index n : {0, 1, 2, 40})
    for (const OwnedPattern& a : {diagonal_pattern(n), chain_pattern(n), dense_pattern(n), caterpillar_pattern(n)})
      all.push_back({a, Permutation::identity(n)});
  all.push_back({star_pattern(50, 49), Permutation::identity(50)});
  all.push_back({star_pattern(50, 0), random_order(50, 3)});
  all.push_back({grid_pattern(13, 11, 1), grid_dissection(13, 11, 1)});
  all.push_back({grid_pattern(5, 4, 5, true), grid_dissection(5, 4, 5)});
  return all;
}

TEST(Parts, StretchesAreClosedAndNoLongerThanAsked) {
  for (const System& s : systems())
    for (const Index most : {1, 2, 6, 25, 1000}) {
      const Graph graph(s.a.view());
      const ordering::CompressedGraph plain(graph, false);
      const Pairs pairs(plain, {s.perm.old_of().begin(), s.perm.old_of().end()});
      Index last = 0;
      for (const Stretch& stretch : closed_stretches(pairs, most)) {
        ASSERT_LE(last, stretch.begin);
        ASSERT_LE(stretch.end - stretch.begin, most);
        for (Index k = stretch.begin; k < stretch.end; ++k)
          for (const Index j : pairs.lower(k)) ASSERT_GE(j, stretch.begin);
        last = stretch.end;
      }
      ASSERT_LE(last, pairs.size());
    }
}

/// Of a dissected grid nearly all places lie in stretches: those between are separators of more than the stretches' size.
TEST(Parts, StretchesOfADissectionHoldAllButTheLargeSeparators) {
  const OwnedPattern a = grid_pattern(63, 63, 1);
  const Permutation perm = grid_dissection(63, 63, 1);
  const Graph graph(a.view());
  const ordering::CompressedGraph plain(graph, false);
  const Pairs pairs(plain, {perm.old_of().begin(), perm.old_of().end()});
  Index inside = 0;
  for (const Stretch& stretch : closed_stretches(pairs, 1000)) inside += stretch.end - stretch.begin;
  EXPECT_GE(inside, 63 * 63 - (63 + 2 * 31));
}

TEST(Parts, SubtreesAreWholeAndTileTheForest) {
  for (const System& s : systems()) {
    const Graph graph(s.a.view());
    const ordering::CompressedGraph plain(graph, false);
    const Pairs pairs(plain, {s.perm.old_of().begin(), s.perm.old_of().end()});
    const std::vector<Index> tree = elimination_tree(pairs), position = postorder(tree);
    std::vector<Index> parent(tree.size(), kNone), size(tree.size(), 1);
    for (std::size_t j = 0; j < tree.size(); ++j)
      if (tree[j] != kNone) parent[position[j]] = position[tree[j]];
    for (std::size_t j = 0; j < tree.size(); ++j)
      if (parent[j] != kNone) size[parent[j]] += size[j];
    for (const Index most : {1, 3, 10, 1000}) {
      Index end = 0;
      for (const TreePart& part : cut_into_subtrees(parent, most)) {
        ASSERT_EQ(part.begin, end);
        ASSERT_LT(part.begin, part.end);
        end = part.end;
        for (Index j = part.begin; j < part.end; ++j) {
          ASSERT_EQ(part.whole, size[j] <= most) << "node " << j;
          ASSERT_TRUE(!part.whole || j - size[j] + 1 >= part.begin) << "node " << j;
        }
        ASSERT_TRUE(part.whole || part.end == part.begin + 1);
      }
      ASSERT_EQ(end, static_cast<Index>(parent.size()));
    }
  }
}

/// The rows of each front are those of its columns in L, whatever the parts; runs cover them.
TEST(Parts, RowsOfFronts) {
  const CostTable& table = cost_table("cpu-generic");
  for (const System& s : systems())
    for (const bool merged : {false, true}) {
      const Graph graph(s.a.view());
      const ordering::CompressedGraph compressed(graph, merged);
      for (const Index part : {0, 1, 2, 4, 9}) {
        Outline outline = make_outline(s.a.view(), compressed, s.perm, table, {.workers = 2});
        const auto columns = naive_columns(s.a.view(), outline.perm);
        std::vector<Index> place(static_cast<std::size_t>(s.a.n()));
        for (Index k = 0; k < outline.pairs.size(); ++k) place[outline.row_of[k]] = k;
        Assembly assembly;
        fill_front_rows(place, outline, assembly, part);
        const Supernodes& nodes = outline.supernodes;
        for (Index f = 0; f < nodes.count(); ++f) {
          std::set<Index> rows;
          for (Index j = nodes.first[f]; j < nodes.first[f + 1]; ++j) rows.insert(columns[j].begin(), columns[j].end());
          ASSERT_EQ(std::vector<Index>(rows.begin(), rows.end()), std::vector<Index>(nodes.rows(f).begin(), nodes.rows(f).end()));
        }
        const Assembly all = fill_structure(s.a.view(), outline);
        ASSERT_EQ(all.run_ptr, assembly.run_ptr) << "parts of " << part;
      }
    }
}

}  // namespace
}  // namespace kauri::test
