// Task lists of tiled fronts: every tile once, every dependency met in every order of work tried, no state in which all teams wait.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/kernels/front_tasks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace kauri::cuda {
namespace {

// Progress of one front: tiles of L done per block row, preparations, columns of the chain.
struct Progress {
  std::vector<int> row;
  std::vector<bool> prepared;
  int chain = 0;
};

// Teams that draw tickets in order and finish a task once what it reads is there, in random order.
class Simulation {
 public:
  Simulation(const std::vector<FrontShape>& shapes, std::vector<Task> tasks, int teams, unsigned seed)
      : shapes_(shapes), tasks_(std::move(tasks)), held_(static_cast<std::size_t>(teams), -1), random_(seed) {
    for (const FrontShape& s : shapes_) {
      progress_.push_back({std::vector<int>(static_cast<std::size_t>(s.row_tiles()), 0),
                           std::vector<bool>(static_cast<std::size_t>(s.pivot_tiles()), false), 0});
    }
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
      held_[team] = static_cast<int>(next_++);
      return true;
    }
    const Task& task = tasks_[static_cast<std::size_t>(held_[team])];
    Progress& p = progress_[static_cast<std::size_t>(task.front)];
    const FrontShape& shape = shapes_[static_cast<std::size_t>(task.front)];
    if (task.kind == TaskKind::kChain) return step_chain(team, shape, p);
    if (!ready(task, shape, p)) return false;
    for (int r = task.row; r < task.row + task.rows; ++r) {
      if (task.kind == TaskKind::kPanel) p.row[static_cast<std::size_t>(r)] = task.column + 1;
    }
    if (task.kind == TaskKind::kPrepare) p.prepared[static_cast<std::size_t>(task.column)] = true;
    return finish(team);
  }

  bool ready(const Task& task, const FrontShape& shape, const Progress& p) const {
    const int products = task.kind == TaskKind::kContribution ? shape.pivot_tiles()
                         : task.kind == TaskKind::kPanel      ? task.column
                                                              : task.column - 1;
    for (int r = task.row; r < task.row + task.rows; ++r) {
      if (p.row[static_cast<std::size_t>(r)] < products) return false;
    }
    return p.row[static_cast<std::size_t>(task.column)] >= products && (task.kind != TaskKind::kPanel || p.chain > task.column);
  }

  bool step_chain(std::size_t team, const FrontShape& shape, Progress& p) {
    const int j = p.chain;
    if (j >= 2 && !p.prepared[static_cast<std::size_t>(j)]) return false;
    if (j + 1 < shape.row_tiles()) {
      if (p.row[static_cast<std::size_t>(j) + 1] < j) return false;
      p.row[static_cast<std::size_t>(j) + 1] = j + 1;
    }
    ++p.chain;
    return p.chain < shape.pivot_tiles() || finish(team);
  }

  bool finish(std::size_t team) {
    held_[team] = -1;
    ++finished_;
    return true;
  }

  std::vector<FrontShape> shapes_;
  std::vector<Task> tasks_;
  std::vector<Progress> progress_;
  std::vector<int> held_;
  std::size_t next_ = 0;
  std::size_t finished_ = 0;
  std::mt19937 random_;
};

std::vector<FrontShape> random_fronts(std::mt19937& random, int most) {
  std::vector<FrontShape> shapes(1 + random() % static_cast<unsigned>(most));
  for (FrontShape& s : shapes) {
    s.rows = 1 + static_cast<int>(random() % 1500);
    s.pivots = static_cast<int>(random() % static_cast<unsigned>(s.rows + 1));
  }
  return shapes;
}

TEST(FrontTasks, EveryTileIsWrittenOnce) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    const std::vector<FrontShape> shapes = random_fronts(random, 6);
    std::map<std::pair<int, std::pair<int, int>>, int> written;
    for (const Task& t : factor_tasks(shapes, static_cast<int>(seed % 4), 64)) {
      if (t.kind == TaskKind::kPrepare) continue;
      for (int r = t.row; r < t.row + t.rows; ++r) ++written[{t.front, {r, t.column}}];
      if (t.kind != TaskKind::kChain) continue;
      const FrontShape& shape = shapes[static_cast<std::size_t>(t.front)];
      for (int j = 0; j < shape.pivot_tiles(); ++j) {
        for (int r = j; r < std::min(j + 2, shape.row_tiles()); ++r) ++written[{t.front, {r, j}}];
      }
    }
    std::size_t tiles = 0;
    for (const FrontShape& s : shapes) tiles += static_cast<std::size_t>(s.tiles());
    EXPECT_EQ(written.size(), tiles);
    for (const auto& [tile, times] : written) EXPECT_EQ(times, 1);
  }
}

TEST(FrontTasks, FewTeamsFinishInAnyOrder) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    const std::vector<FrontShape> shapes = random_fronts(random, 12);
    const int ahead = static_cast<int>(seed % 4);
    const int teams = 2 * (ahead + 2) + static_cast<int>(random() % 20);
    Simulation simulation(shapes, factor_tasks(shapes, ahead, teams), teams, seed);
    EXPECT_TRUE(simulation.run()) << "seed " << seed;
  }
}

TEST(FrontTasks, TooFewTeamsForTheListAreFoundOut) {
  // A list made for many teams starts many chains at once: with fewer teams than chains, all wait.
  const std::vector<FrontShape> shapes(8, FrontShape{1000, 1000});
  Simulation simulation(shapes, factor_tasks(shapes, 0, 264), 8, 1);
  EXPECT_FALSE(simulation.run());
}

}  // namespace
}  // namespace kauri::cuda
