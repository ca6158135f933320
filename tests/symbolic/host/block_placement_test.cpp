// Tests places of blocks among panels, and the two stacks of a task, alone.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/host/block_placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "base/common/checked.hpp"
#include "kauri/core/error.hpp"
#include "symbolic/host/task_memory.hpp"

namespace kauri::test {
namespace {

using namespace kauri::symbolic;

/// A random forest of tasks with panels and blocks: the input of a schedule, without its fronts.
struct RandomTasks {
  std::vector<Index> parent, least;
  std::vector<Offset> panel{0};
  std::vector<TaskBlock> blocks;

  RandomTasks(Index count, std::mt19937_64& random)
      : parent(static_cast<std::size_t>(count), kNone), least(parent.size()) {
    const auto below = [&](std::uint64_t bound) { return static_cast<Offset>(random() % bound); };
    std::vector<Index>
        roots;  // of the forest so far; a task takes some of the last as children, in postorder
    for (Index t = 0; t < count; ++t) {
      least[t] = t;
      for (Offset children = t + 1 < count ? below(3) : below(roots.size() + 1);
           children > 0 && !roots.empty(); --children) {
        parent[roots.back()] = t;
        least[t] = least[roots.back()];
        roots.pop_back();
      }
      roots.push_back(t);
      panel.push_back(panel.back() + below(60));
    }
    for (Index t = 0; t < count; ++t) {
      const Offset born = Offset{t} * 2 + below(2);
      if (parent[t] != kNone)
        for (Offset k = below(3); k > 0; --k)
          blocks.push_back({1 + below(40), born, Offset{parent[t]} * 2 + below(2)});
      for (Offset k = below(3); k > 0; --k)
        blocks.push_back({1 + below(40), born, Offset{t} * 2 + 1});
    }
  }
  [[nodiscard]] TaskPanels panels(Index lag) const { return {panel, least, lag}; }
};

/// Returns which tasks wait for which, by tree edges and `waits` together: after[a][b] if b waits
/// for a.
std::vector<std::vector<bool>> closure(const RandomTasks& tasks, const std::vector<Edge>& waits) {
  const std::size_t count = tasks.parent.size();
  std::vector<std::vector<bool>> after(count, std::vector<bool>(count, false));
  for (const auto& [a, b] : waits) after[a][b] = true;
  for (std::size_t a = count; a-- > 0;) {
    if (tasks.parent[a] != kNone) after[a][tasks.parent[a]] = true;
    for (std::size_t b = a + 1; b < count; ++b)
      for (std::size_t c = b + 1; after[a][b] && c < count; ++c)
        if (after[b][c]) after[a][c] = true;
  }
  return after;
}

/// Counts pairs of blocks or panels that share memory although nothing orders their tasks.
int clashes(const RandomTasks& tasks, const std::vector<Offset>& place,
            const std::vector<Edge>& waits) {
  struct User {
    Offset begin, end, born, dies;
  };
  std::vector<User> users;
  for (std::size_t k = 0; k < place.size(); ++k)
    users.push_back(
        {place[k], place[k] + tasks.blocks[k].size, tasks.blocks[k].born, tasks.blocks[k].dies});
  for (std::size_t t = 0; t < tasks.parent.size(); ++t)
    if (tasks.panel[t] < tasks.panel[t + 1])
      users.push_back({tasks.panel[t], tasks.panel[t + 1], static_cast<Offset>(2 * t),
                       std::numeric_limits<Offset>::max()});
  const auto after = closure(tasks, waits);
  const auto done = [&](const User& a, const User& b) {
    if (a.dies == std::numeric_limits<Offset>::max()) return false;
    return a.dies / 2 == b.born / 2
               ? a.dies < b.born
               : after[static_cast<std::size_t>(a.dies / 2)][static_cast<std::size_t>(b.born / 2)];
  };
  int found = 0;
  for (std::size_t a = 0; a < users.size(); ++a)
    for (std::size_t b = a + 1; b < users.size(); ++b)
      found += users[a].begin < users[b].end && users[b].begin < users[a].end &&
               !done(users[a], users[b]) && !done(users[b], users[a]);
  return found;
}

TEST(Placement, NothingAliveIsOverwrittenWhateverTheForest) {
  std::mt19937_64 random(1);
  int reused = 0, withheld = 0;
  for (int round = 0; round < 200; ++round) {
    const RandomTasks tasks(1 + static_cast<Index>(random() % 40), random);
    for (const Index lag : {1, 2, 3, 8, 16, 1000}) {
      const Placement placed = place_blocks(tasks.panels(lag), tasks.blocks);
      ASSERT_EQ(placed.place.size(), tasks.blocks.size());
      Offset end = tasks.panel.back();
      for (std::size_t k = 0; k < placed.place.size(); ++k) {
        ASSERT_GE(placed.place[k], 0);
        end = std::max(end, placed.place[k] + tasks.blocks[k].size);
      }
      ASSERT_EQ(placed.end, end);
      for (const auto& [from, to] : placed.waits) {
        ASSERT_LE(from + lag, to) << "a wait among tasks that should run at once";
        ASSERT_LT(from, tasks.least[to]) << "an edge that the tree implies";
      }
      ASSERT_EQ(clashes(tasks, placed.place, placed.waits), 0) << round << " " << lag;
      reused += clashes(tasks, placed.place, {}) > 0;
      for (std::size_t k = 0; k < placed.waits.size() && withheld < 100;
           ++k) {  // the oracle notices each missing wait
        std::vector<Edge> fewer = placed.waits;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
        withheld += clashes(tasks, placed.place, fewer) > 0;
      }
    }
  }
  EXPECT_GT(reused, 500);
  EXPECT_EQ(withheld, 100);
}

TEST(Placement, ABlockLiesInThePanelOfATaskFarAheadOrWaitingForItsReader) {
  // Leaves 0, 1, 2 lie below 3, and 4 beside them; each panel has 10 entries.
  const std::vector<Offset> panel{0, 10, 20, 30, 40, 50};
  const std::vector<Index> least{0, 1, 2, 0, 4};
  const std::vector<TaskBlock> one{{7, 0, 1}};
  EXPECT_EQ(place_blocks({panel, least, 1}, one).place, std::vector<Offset>{10});
  EXPECT_EQ(place_blocks({panel, least, 2}, one).place, std::vector<Offset>{20});
  EXPECT_EQ(place_blocks({panel, least, 8}, one).place,
            std::vector<Offset>{30});  // 3 waits for 0 anyway
  EXPECT_EQ(place_blocks({panel, least, 4}, std::vector<TaskBlock>{{12, 0, 1}}).place,
            std::vector<Offset>{30});
  EXPECT_EQ(place_blocks({panel, least, 5}, std::vector<TaskBlock>{{12, 0, 1}}).place,
            std::vector<Offset>{50});  // 4 is near
  EXPECT_EQ(place_blocks({panel, least, 2}, one).waits, (std::vector<Edge>{{0, 2}}));
  const std::vector<TaskBlock> late{
      {7, 1, 6}, {5, 7, 7}};  // read while 3 assembles its panel; then 3's scratch lies there
  const Placement both = place_blocks({panel, least, 1}, late);
  EXPECT_EQ(both.place, (std::vector<Offset>{40, 40}));
  EXPECT_EQ(std::set<Edge>(both.waits.begin(), both.waits.end()), (std::set<Edge>{{3, 4}}));
  EXPECT_EQ(both.end, 50);
}

TEST(Placement, StraddlesTheLastPanelAndTheRest) {
  const std::vector<Offset> panel{0, 10, 20};
  const std::vector<Index> least{0, 0};
  const std::vector<TaskBlock> wide{{14, 0, 1}};
  const Placement placed = place_blocks({panel, least, 8}, wide);
  EXPECT_EQ(placed.place, std::vector<Offset>{10});
  EXPECT_EQ(placed.end, 24);
  EXPECT_TRUE(placed.waits.empty());
}

TEST(TaskMemory, RegionIsTheGreatestTotalOfLiveBlocks) {
  // A chain of four fronts and a last one that leaves its block behind; sizes are in units.
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
  for (int s = 0; s < 3; ++s)
    EXPECT_TRUE(place[s] + size[s] <= place[s + 1] || place[s + 1] + size[s + 1] <= place[s]) << s;
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
