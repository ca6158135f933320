// Task lists of fronts in a forest: every tile once, every dependency met in every order of work tried, no state in which all teams wait.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/front_tasks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace kauri::symbolic {
namespace {

// Fronts by ascending levels, and the parent of each: a front of a higher level, or none.
struct Forest {
  std::vector<LevelFront> front;
  std::vector<Index> parent;
};

// Progress of one front: tiles of L done per tile row, preparations, columns of the chain, contribution tasks of its children, fills.
struct Progress {
  std::vector<Index> row;
  std::vector<bool> prepared;
  Index chain = 0;
  Index awaited = 0;
  Index fills = 0;  // and sums, to come
  Index filled = 0;
};

// Teams that draw tickets in order and finish a task once what it reads is there, in random order.
class Simulation {
 public:
  Simulation(const Forest& forest, std::vector<FrontTask> tasks, std::size_t teams, unsigned seed)
      : forest_(forest), tasks_(std::move(tasks)), held_(teams, -1), random_(seed) {
    for (const LevelFront& front : forest_.front) {
      const FrontCells& cells = front.cells;
      progress_.push_back({std::vector<Index>(static_cast<std::size_t>(cells.row_tiles()), 0),
                           std::vector<bool>(static_cast<std::size_t>(cells.pivot_tiles()), false), 0, 0, fill_tasks(front), 0});
    }
    for (std::size_t f = 0; f < forest_.parent.size(); ++f)
      if (forest_.parent[f] >= 0) progress_[forest_.parent[f]].awaited += contribution_tasks(forest_.front[f].cells);
  }

  // True if all tasks finish.
  bool run() {
    std::vector<std::size_t> order(held_.size());
    for (std::size_t t = 0; t < order.size(); ++t) order[t] = t;
    while (finished_ < tasks_.size()) {
      std::shuffle(order.begin(), order.end(), random_);
      bool moved = false;
      for (const std::size_t team : order) moved = step(team) || moved;
      if (!moved) return false;
    }
    return true;
  }

 private:
  bool step(std::size_t team) {
    if (held_[team] < 0) {
      if (next_ == tasks_.size()) return false;
      held_[team] = static_cast<Index>(next_++);
      return true;
    }
    const FrontTask& task = tasks_[held_[team]];
    Progress& p = progress_[task.front];
    const FrontCells& cells = forest_.front[task.front].cells;
    if (task.kind == TaskKind::sum && (p.awaited > 0 || p.filled < task.column)) return false;
    if (task.kind == TaskKind::fill || task.kind == TaskKind::sum) {
      --p.fills;
      ++p.filled;
      return finish(team);
    }
    if (p.awaited > 0 || p.fills > 0) return false;
    if (task.kind == TaskKind::chain) return step_chain(team, cells, p);
    if (!ready(task, cells, p)) return false;
    for (Index r = task.row; r < task.row + task.rows; ++r)
      if (task.kind == TaskKind::panel) p.row[r] = task.column + 1;
    if (task.kind == TaskKind::prepare) p.prepared[task.column] = true;
    if (const Index parent = forest_.parent[task.front]; task.kind == TaskKind::contribution && parent >= 0) --progress_[parent].awaited;
    return finish(team);
  }

  bool ready(const FrontTask& task, const FrontCells& cells, const Progress& p) const {
    const Index products = task.kind == TaskKind::contribution ? cells.pivot_tiles()
                           : task.kind == TaskKind::panel      ? task.column
                                                               : task.column - 1;
    for (Index r = task.row; r < task.row + task.rows; ++r)
      if (p.row[r] < products) return false;
    return p.row[task.column] >= products && (task.kind != TaskKind::panel || p.chain > task.column);
  }

  bool step_chain(std::size_t team, const FrontCells& cells, Progress& p) {
    const Index j = p.chain;
    if (j >= 2 && !p.prepared[j]) return false;
    if (j + 1 < cells.row_tiles()) {
      if (p.row[j + 1] < j) return false;
      p.row[j + 1] = j + 1;
    }
    ++p.chain;
    return p.chain < cells.pivot_tiles() || finish(team);
  }

  bool finish(std::size_t team) {
    held_[team] = -1;
    ++finished_;
    return true;
  }

  const Forest& forest_;
  std::vector<FrontTask> tasks_;
  std::vector<Progress> progress_;
  std::vector<Index> held_;
  std::size_t next_ = 0;
  std::size_t finished_ = 0;
  std::mt19937 random_;
};

// Up to three stages of up to 1000 sums.
std::vector<Index> random_stages(std::mt19937& random) {
  std::vector<Index> stages{static_cast<Index>(random() % 100)};
  for (unsigned left = 1 + random() % 3; left > 0; --left) stages.push_back(stages.back() + static_cast<Index>(random() % 1000));
  return stages;
}

Forest random_forest(std::mt19937& random, unsigned most) {
  Forest forest;
  const unsigned count = 1 + random() % most, levels = 1 + random() % 4;
  const bool narrow = random() % 3 == 0;  // many fronts of a tile of pivots
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
    const auto above = static_cast<unsigned>(std::upper_bound(level.begin(), level.end(), level[f]) - level.begin());
    const bool root = above == count || forest.front[f].cells.m == forest.front[f].cells.p;
    forest.parent.push_back(root ? -1 : static_cast<Index>(above + random() % (count - above)));
  }
  return forest;
}

TEST(FrontTasks, EveryTileIsWrittenOnce) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    const Forest forest = random_forest(random, 6);
    std::map<std::pair<Index, std::pair<Index, Index>>, int> written;
    std::vector<Index> contributions(forest.front.size(), 0), fills(forest.front.size(), 0);
    std::map<std::pair<Index, std::pair<Index, Index>>, int> filled;
    std::map<std::pair<Index, Index>, int> summed;
    for (const FrontTask& t : factor_tasks(forest.front, true, static_cast<Index>(seed % 4), 64)) {
      if (t.kind == TaskKind::contribution) ++contributions[t.front];
      if (t.kind == TaskKind::prepare) continue;
      if (t.kind == TaskKind::sum) {
        ++fills[t.front];
        for (Index k = t.row; k < t.row + t.rows; ++k) ++summed[{t.front, k}];
        continue;
      }
      if (t.kind == TaskKind::fill) {
        ++fills[t.front];
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
      tiles += static_cast<std::size_t>(cells.row_tiles()) * static_cast<std::size_t>(cells.row_tiles() + 1) / 2;
      EXPECT_EQ(contributions[f], contribution_tasks(cells));
      EXPECT_EQ(fills[f], fill_tasks(forest.front[f]));
      const std::vector<Index>& stages = forest.front[f].stages;
      for (Index k = 0; k < (stages.empty() ? cells.pivot_tiles() : cells.row_tiles()); ++k)
        for (Index i = k; i < cells.row_tiles(); ++i) EXPECT_EQ((filled[{static_cast<Index>(f), {i, k}}]), 1);
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
    const auto ahead = static_cast<Index>(seed % 4), teams = 2 * (ahead + 2) + static_cast<Index>(random() % 20);
    Simulation simulation(forest, factor_tasks(forest.front, true, ahead, teams), static_cast<std::size_t>(teams), seed);
    EXPECT_TRUE(simulation.run()) << "seed " << seed;
  }
}

TEST(FrontTasks, TooFewTeamsForTheListAreFoundOut) {
  // A list made for many teams starts many chains at once: with fewer teams than chains, all wait.
  const Forest forest{std::vector<LevelFront>(8, {{1000, 1000}, 0}), std::vector<Index>(8, -1)};
  Simulation simulation(forest, factor_tasks(forest.front, true, 0, 264), 8, 1);
  EXPECT_FALSE(simulation.run());
}

}  // namespace
}  // namespace kauri::symbolic
