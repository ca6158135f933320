// What is told of graphs before they are ordered.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/shape.hpp"

#include <gtest/gtest.h>

#include "support/graph_families.hpp"

namespace kauri::ordering {
namespace {

using namespace kauri::test;

TEST(HangingShare, CountsVerticesOfAtMostTwoNeighbours) {
  EXPECT_EQ(hanging_share(view_of(Graph())), 0);
  EXPECT_EQ(hanging_share(view_of(path(1))), 1);
  EXPECT_EQ(hanging_share(view_of(path(100))), 1);
  EXPECT_EQ(hanging_share(view_of(star(10))), 0.9);
  EXPECT_EQ(hanging_share(view_of(clique(4))), 0);
  EXPECT_EQ(hanging_share(view_of(grid(10, 10, 1))), 0.04);
}

TEST(LevelWidth, IsMeasuredFromAnEnd) {
  EXPECT_EQ(level_width(view_of(path(1))), 1);
  EXPECT_EQ(level_width(view_of(path(57))), 1);
  EXPECT_EQ(level_width(view_of(grid(10, 20, 1))), 200.0 / 29);
  EXPECT_EQ(level_width(view_of(grid(5, 6, 7))), 210.0 / 16);
  EXPECT_EQ(level_width(view_of(clique(8))), 4);
  EXPECT_EQ(level_width(view_of(star(9))), 3);  // from one ray to the others
}

}  // namespace
}  // namespace kauri::ordering
