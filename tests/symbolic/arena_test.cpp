// The arena and the two stacks of a task by themselves.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/arena.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "kauri/error.hpp"
#include "symbolic/checked.hpp"
#include "symbolic/task_memory.hpp"

namespace kauri::test {
namespace {

using namespace kauri::symbolic;

TEST(Arena, ReusesTheFirstPieceThatFitsAndNamesItsReaders) {
  Arena arena(1);
  std::vector<Index> waits;
  arena.begin(0, 0);
  EXPECT_EQ(arena.take(10, 0, waits), 0);
  EXPECT_EQ(arena.take(5, 3, waits), 10);
  arena.begin(1, 1);
  EXPECT_EQ(arena.take(4, 1, waits), 0);
  EXPECT_EQ(waits, (std::vector<Index>{0}));
  waits.clear();
  arena.begin(2, 2);
  EXPECT_EQ(arena.take(8, 2, waits), 0);  // [0,4) read by 1 and [4,10) by 0
  std::sort(waits.begin(), waits.end());
  EXPECT_EQ(waits, (std::vector<Index>{0, 1}));
  arena.begin(3, 3);
  waits.clear();
  EXPECT_EQ(arena.take(12, 3, waits), 15);  // [10,15) is still read by 3
  EXPECT_TRUE(waits.empty());
  EXPECT_EQ(arena.size(), 27);
}

TEST(Arena, GrowsFromAFreeTail) {
  Arena arena(1);
  std::vector<Index> waits;
  arena.begin(0, 0);
  arena.take(10, 0, waits);
  arena.begin(1, 1);
  EXPECT_EQ(arena.take(30, 1, waits), 0);
  EXPECT_EQ(arena.size(), 30);
  EXPECT_EQ(waits, (std::vector<Index>{0}));
}

TEST(Arena, WithholdsMemoryFromTasksThatMayRunAtOnce) {
  Arena arena(3);
  std::vector<Index> waits;
  for (Index t = 0; t < 6; ++t) {
    arena.begin(t, t);
    EXPECT_EQ(arena.take(10, t, waits), t % 3 * 10) << t;
  }
  EXPECT_EQ(waits, (std::vector<Index>{0, 1, 2}));
}

TEST(Arena, GivesMemoryOfTasksThatAreWaitedForAnyway) {
  Arena arena(8);
  std::vector<Index> waits;
  for (Index t = 0; t < 3; ++t) {
    arena.begin(t, t);
    arena.take(10, t, waits);
  }
  arena.begin(3, 1);  // waits for 1 and 2, not for 0
  EXPECT_EQ(arena.take(15, 3, waits), 10);
  std::sort(waits.begin(), waits.end());
  EXPECT_EQ(waits, (std::vector<Index>{1, 2}));
  arena.begin(4, 4);
  EXPECT_EQ(arena.take(4, 4, waits), 30);
}

TEST(TaskMemory, RegionIsTheGreatestTotalOfLiveBlocks) {
  // A chain of four fronts and a last one that leaves its block behind; sizes in units.
  const FrontTree fronts{{1, 2, 3, 4, 5, kNone}, {1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}};
  const TaskTree tree = task_tree(fronts, {{0, 5}, {5, 6}});
  EXPECT_EQ(tree.parent, (std::vector<Index>{1, kNone}));
  EXPECT_EQ(tree.least, (std::vector<Index>{0, 0}));
  const std::vector<Offset> size{3, 5, 2, 4, 7, 0};
  std::vector<Offset> place(6), scratch(6, 0);
  const TaskExtent extent = place_blocks(tree, 0, size, place, scratch);
  EXPECT_EQ(extent.region, 8);  // 3 + 5
  EXPECT_EQ(extent.left, 7);
  EXPECT_EQ(scratch, std::vector<Offset>(6, 0));
  EXPECT_EQ(place[4], 0);
  for (int s = 0; s < 3; ++s) EXPECT_TRUE(place[s] + size[s] <= place[s + 1] || place[s + 1] + size[s + 1] <= place[s]) << s;
}

TEST(Checked, OverflowIsAnErrorOfItsKind) {
  const Offset big = Offset{1} << 62;
  EXPECT_EQ(checked_add(big, big - 1, "things"), 2 * (big - 1) + 1);
  EXPECT_EQ(checked_mul(big / 2, 3, "things"), big / 2 * 3);
  for (const bool sum : {true, false}) try {
      sum ? checked_add(big, big, "things") : checked_mul(big, 2, "things");
      FAIL();
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::overflow);
      EXPECT_NE(std::string(e.what()).find("things"), std::string::npos);
    }
}

}  // namespace
}  // namespace kauri::test
