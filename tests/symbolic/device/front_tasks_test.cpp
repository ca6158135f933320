// Tests task lists of fronts in a forest: every tile once, every dependency met in every tried
// order, no state in which all teams wait.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/device/front_tasks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "tests/support/oracles/team_model.hpp"

namespace kauri::symbolic {
namespace {

using test::finishes;
using test::Forest;
using test::Model;
using test::states_without_a_dead_end;

// Returns up to three stages of up to 1000 sums.
std::vector<Index> random_stages(std::mt19937& random) {
  std::vector<Index> stages{static_cast<Index>(random() % 100)};
  for (unsigned left = 1 + random() % 3; left > 0; --left)
    stages.push_back(stages.back() + static_cast<Index>(random() % 1000));
  return stages;
}

Forest random_forest(std::mt19937& random, unsigned most) {
  Forest forest;
  const unsigned count = 1 + random() % most, levels = 1 + random() % 4;
  const bool narrow = random() % 3 == 0;  // many fronts with one tile of pivots
  std::vector<Index> level(count);
  for (Index& l : level) l = static_cast<Index>(random() % levels);
  std::sort(level.begin(), level.end());
  for (unsigned f = 0; f < count; ++f) {
    const auto m = 1 + static_cast<Index>(random() % (narrow ? 300 : 1500)),
               p = 1 + static_cast<Index>(random() % static_cast<unsigned>(m));
    forest.front.push_back({{m, narrow ? std::min<Index>(p, 64) : p}, level[f]});
    if (random() % 4 == 0) forest.front.back().stages = random_stages(random);
  }
  for (unsigned f = 0; f < count; ++f) {
    const auto above = static_cast<unsigned>(
        std::upper_bound(level.begin(), level.end(), level[f]) - level.begin());
    const bool root = above == count || forest.front[f].cells.m == forest.front[f].cells.p;
    forest.parent.push_back(root ? -1 : static_cast<Index>(above + random() % (count - above)));
    forest.panel_reuses.push_back(
        static_cast<Index>(random() % static_cast<unsigned>(level[f] + 1)));
    forest.block_reuses.push_back(
        static_cast<Index>(random() % static_cast<unsigned>(level[f] + 1)));
  }
  return forest;
}

TEST(FrontTasks, EveryTileIsWrittenOnce) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    const Forest forest = random_forest(random, 6);
    std::map<std::pair<Index, std::pair<Index, Index>>, int> written;
    std::vector<Index> contributions(forest.front.size(), 0);
    std::map<std::pair<Index, std::pair<Index, Index>>, int> filled;
    std::map<std::pair<Index, Index>, int> summed;
    for (const FrontTask& t : factor_tasks(forest.front, true, static_cast<Index>(seed % 4), 64)) {
      if (t.kind == TaskKind::contribution) ++contributions[t.front];
      if (t.kind == TaskKind::prepare) continue;
      if (t.kind == TaskKind::sum) {
        for (Index k = t.row; k < t.row + t.rows; ++k) ++summed[{t.front, k}];
        continue;
      }
      if (t.kind == TaskKind::fill) {
        for (Index r = t.row; r < t.row + t.rows; ++r) ++filled[{t.front, {r, t.column}}];
        continue;
      }
      for (Index r = t.row; r < t.row + t.rows; ++r) ++written[{t.front, {r, t.column}}];
      if (t.kind != TaskKind::chain) continue;
      const FrontCells& cells = forest.front[t.front].cells;
      for (Index j = 0; j < cells.pivot_tiles(); ++j)
        for (Index r = j; r < std::min(j + 2, cells.row_tiles()); ++r) ++written[{t.front, {r, j}}];
    }
    std::size_t tiles = 0;
    for (std::size_t f = 0; f < forest.front.size(); ++f) {
      const FrontCells& cells = forest.front[f].cells;
      tiles += static_cast<std::size_t>(cells.row_tiles()) *
               static_cast<std::size_t>(cells.row_tiles() + 1) / 2;
      EXPECT_EQ(contributions[f], contribution_tasks(cells));
      const std::vector<Index>& stages = forest.front[f].stages;
      for (Index k = 0; k < (stages.empty() ? cells.pivot_tiles() : cells.row_tiles()); ++k)
        for (Index i = k; i < cells.row_tiles(); ++i)
          EXPECT_EQ((filled[{static_cast<Index>(f), {i, k}}]), 1);
      for (Index k = stages.empty() ? 0 : stages.front(); !stages.empty() && k < stages.back(); ++k)
        EXPECT_EQ((summed[{static_cast<Index>(f), k}]), 1);
    }
    EXPECT_EQ(written.size(), tiles);
    for (const auto& [tile, times] : written) EXPECT_EQ(times, 1);
  }
}

TEST(FrontTasks, FewTeamsFinishInAnyOrder) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::mt19937 random(seed);
    const Forest forest = random_forest(random, 20);
    const auto ahead = static_cast<Index>(seed % 4),
               teams = 2 * (ahead + 2) + static_cast<Index>(random() % 20);
    const Model model(forest, factor_tasks(forest.front, true, ahead, teams));
    EXPECT_TRUE(finishes(model, static_cast<std::size_t>(teams), seed)) << "seed " << seed;
  }
}

// The test visits every state that the least number of teams can reach on small trees: two or three
// fronts of up to four tiles of pivots.
TEST(FrontTasks, NoStateIsADeadEnd) {
  std::size_t states = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    Forest forest;
    const unsigned count = 2 + random() % 2;
    for (unsigned f = 0; f < count; ++f) {
      const auto p = static_cast<Index>(1 + random() % 220),
                 q = f + 1 == count ? 0 : static_cast<Index>(1 + random() % 130);
      const Index level = f + 1 == count ? 1 : 0;
      forest.front.push_back({{p + q, p}, level});
      if (level == 1 && random() % 2 == 0) forest.front.back().stages = {0, 300, 310};
      forest.parent.push_back(level == 1 ? -1 : static_cast<Index>(count) - 1);
      forest.panel_reuses.push_back(level == 1 ? static_cast<Index>(random() % 2) : 0);
      forest.block_reuses.push_back(0);
    }
    const Index ahead = seed % 16 == 15 ? 1 : 0, teams = 2 * (ahead + 2);
    const Model model(forest, factor_tasks(forest.front, true, ahead, teams));
    const std::size_t found = states_without_a_dead_end(model, static_cast<std::size_t>(teams));
    EXPECT_GT(found, 0U) << "seed " << seed;
    states += found;
  }
  EXPECT_GT(states, 10000U);
}

TEST(FrontTasks, TooFewTeamsForTheListAreFoundOut) {
  // A list made for many teams starts many chains at once; with fewer teams than chains, all teams
  // wait.
  const std::vector<Index> none(8, 0);
  const Forest forest{std::vector<LevelFront>(8, {{1000, 1000}, 0}), std::vector<Index>(8, -1),
                      none, none};
  EXPECT_FALSE(finishes(Model(forest, factor_tasks(forest.front, true, 0, 264)), 8, 1));
  const Forest small{std::vector<LevelFront>(3, {{190, 190}, 0}), std::vector<Index>(3, -1), none,
                     none};
  EXPECT_EQ(states_without_a_dead_end(Model(small, factor_tasks(small.front, true, 0, 264)), 3),
            0U);
}

}  // namespace
}  // namespace kauri::symbolic
