// Simulates teams that work on the tasks of tiled fronts, as on a device, one move at a time in any
// order.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "symbolic/device/front_tasks.hpp"

namespace kauri::test {

using symbolic::FrontCells;
using symbolic::FrontTask;
using symbolic::LevelFront;
using symbolic::TaskKind;

/// Fronts by ascending levels, the parent of each (a front of a higher level, or none), and the
/// number of levels that must be done before its panel, or its block, may be written.
struct Forest {
  std::vector<LevelFront> front;
  std::vector<Index> parent, panel_reuses, block_reuses;
};

/// Progress of one front: finished tiles of L per tile row, preparations, columns of the chain,
/// contribution tasks of its children, fills.
struct Progress {
  std::vector<Index> row;
  std::vector<bool> prepared;
  Index chain = 0;
  Index awaited = 0;
  Index fills = 0;  // expected, including sums
  Index filled = 0;
};

/// A model of the teams. Each team draws tickets in order; it may draw the next one while it still
/// works on one, unless that task may wait for later tickets. It finishes its task, or a column of
/// a chain, once its inputs are available.
class Model {
 public:
  struct State {
    std::vector<Progress> front;
    std::vector<std::array<Index, 2>> team;  // current task and next one; -1: none
    std::vector<Index> left;                 // unfinished tasks of each level
    Index next = 0;
    Index finished = 0;
  };

  Model(const Forest& forest, std::vector<FrontTask> tasks)
      : forest_(forest), tasks_(std::move(tasks)) {}

  [[nodiscard]] State begin(std::size_t teams) const {
    State state;
    state.team.assign(teams, {-1, -1});
    for (const LevelFront& front : forest_.front) {
      const FrontCells& cells = front.cells;
      state.front.push_back(
          {std::vector<Index>(static_cast<std::size_t>(cells.row_tiles()), 0),
           std::vector<bool>(static_cast<std::size_t>(cells.pivot_tiles()), false), 0, 0, 0, 0});
    }
    for (const FrontTask& task : tasks_)
      if (task.kind == TaskKind::fill || task.kind == TaskKind::sum)
        ++state.front[task.front].fills;
    for (std::size_t f = 0; f < forest_.parent.size(); ++f)
      if (forest_.parent[f] >= 0)
        state.front[forest_.parent[f]].awaited +=
            symbolic::contribution_tasks(forest_.front[f].cells);
    state.left.assign(static_cast<std::size_t>(forest_.front.back().level) + 1, 0);
    for (const FrontTask& task : tasks_) ++state.left[level_of(task)];
    return state;
  }
  [[nodiscard]] bool is_done(const State& state) const {
    return state.finished == static_cast<Index>(tasks_.size());
  }

  [[nodiscard]] bool may_draw(const State& state, std::size_t team) const {
    if (state.next == static_cast<Index>(tasks_.size())) return false;
    const auto [now, next] = state.team[team];
    return now < 0 || (next < 0 && tasks_[now].kind != TaskKind::chain &&
                       tasks_[now].kind != TaskKind::prepare);
  }
  static void draw(State& state, std::size_t team) {
    state.team[team][state.team[team][0] < 0 ? 0 : 1] = state.next++;
  }

  [[nodiscard]] bool may_work(const State& state, std::size_t team) const {
    if (state.team[team][0] < 0) return false;
    const FrontTask& task = tasks_[state.team[team][0]];
    const Progress& p = state.front[task.front];
    const FrontCells& cells = forest_.front[task.front].cells;
    if (task.kind == TaskKind::fill) return levels_done(state, reuses(task));
    if (p.awaited > 0) return false;
    if (task.kind == TaskKind::sum) return p.filled >= task.column;
    if (p.fills > 0) return false;
    if (task.kind == TaskKind::chain)
      return (p.chain < 2 || p.prepared[p.chain]) &&
             (p.chain + 1 == cells.row_tiles() || p.row[p.chain + 1] >= p.chain);
    return is_ready(task, cells, p) &&
           (task.kind != TaskKind::contribution || levels_done(state, reuses(task)));
  }
  void work(State& state, std::size_t team) const {
    const FrontTask& task = tasks_[state.team[team][0]];
    Progress& p = state.front[task.front];
    if (task.kind == TaskKind::chain) {
      if (p.chain + 1 < forest_.front[task.front].cells.row_tiles())
        p.row[p.chain + 1] = p.chain + 1;
      if (++p.chain < forest_.front[task.front].cells.pivot_tiles()) return;
    }
    for (Index r = task.row; task.kind == TaskKind::panel && r < task.row + task.rows; ++r)
      p.row[r] = task.column + 1;
    if (task.kind == TaskKind::prepare) p.prepared[task.column] = true;
    if (task.kind == TaskKind::fill || task.kind == TaskKind::sum) --p.fills, ++p.filled;
    if (const Index parent = forest_.parent[task.front];
        task.kind == TaskKind::contribution && parent >= 0)
      --state.front[parent].awaited;
    --state.left[level_of(task)];
    ++state.finished;
    state.team[team] = {state.team[team][1], -1};
  }

 private:
  [[nodiscard]] Index level_of(const FrontTask& task) const {
    return forest_.front[task.front].level;
  }
  [[nodiscard]] Index reuses(const FrontTask& task) const {
    const bool panel =
        task.kind == TaskKind::fill && task.column < forest_.front[task.front].cells.pivot_tiles();
    return (panel ? forest_.panel_reuses : forest_.block_reuses)[task.front];
  }
  static bool levels_done(const State& state, Index levels) {
    return std::all_of(state.left.begin(), state.left.begin() + levels,
                       [](Index left) { return left == 0; });
  }
  static bool is_ready(const FrontTask& task, const FrontCells& cells, const Progress& p) {
    const Index products = task.kind == TaskKind::contribution ? cells.pivot_tiles()
                           : task.kind == TaskKind::panel      ? task.column
                                                               : task.column - 1;
    for (Index r = task.row; r < task.row + task.rows; ++r)
      if (p.row[r] < products) return false;
    return p.row[task.column] >= products &&
           (task.kind != TaskKind::panel || p.chain > task.column);
  }

  const Forest& forest_;
  std::vector<FrontTask> tasks_;
};

/// Returns true if all tasks finish in a random order of moves.
inline bool finishes(const Model& model, std::size_t teams, unsigned seed) {
  std::mt19937 random(seed);
  Model::State state = model.begin(teams);
  std::vector<std::size_t> order(2 * teams);
  std::iota(order.begin(), order.end(), std::size_t{0});
  while (!model.is_done(state)) {
    std::shuffle(order.begin(), order.end(), random);
    bool moved = false;
    for (const std::size_t move : order) {
      const std::size_t team = move / 2;
      if (move % 2 == 0 ? !model.may_draw(state, team) : !model.may_work(state, team)) continue;
      move % 2 == 0 ? Model::draw(state, team) : model.work(state, team);
      moved = true;
    }
    if (!moved) return false;
  }
  return true;
}

/// Returns the state as numbers; teams are sorted, so that states which differ only by their
/// numbers coincide.
inline std::vector<Index> key_of(Model::State state) {
  std::sort(state.team.begin(), state.team.end());
  std::vector<Index> key{state.next};
  for (const auto& held : state.team) key.insert(key.end(), held.begin(), held.end());
  for (const Progress& p : state.front) key.push_back(p.chain);
  return key;  // all other progress follows: drawn tasks that no team holds are done
}

/// Returns the number of reachable states if every state but the last has a successor; 0 otherwise.
inline std::size_t states_without_a_dead_end(const Model& model, std::size_t teams) {
  std::set<std::vector<Index>> seen;
  std::vector<Model::State> open{model.begin(teams)};
  seen.insert(key_of(open.back()));
  while (!open.empty()) {
    const Model::State state = std::move(open.back());
    open.pop_back();
    bool moved = model.is_done(state);
    for (std::size_t move = 0; move < 2 * teams; ++move) {
      const std::size_t team = move / 2;
      if (move % 2 == 0 ? !model.may_draw(state, team) : !model.may_work(state, team)) continue;
      Model::State after = state;
      move % 2 == 0 ? Model::draw(after, team) : model.work(after, team);
      moved = true;
      if (seen.insert(key_of(after)).second) open.push_back(std::move(after));
    }
    if (!moved) return 0;
  }
  return seen.size();
}

}  // namespace kauri::test
