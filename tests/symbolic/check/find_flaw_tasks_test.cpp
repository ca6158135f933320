// Tests that find_flaw() detects damage to the tasks of tiled fronts, to the sums over children in
// lists, and to the counts of a device schedule.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

#include "symbolic/check/find_flaw.hpp"
#include "symbolic/device/child_sums.hpp"
#include "tests/support/device/device_hooks.hpp"
#include "tests/support/device/device_plans.hpp"
#include "tests/support/oracles/team_model.hpp"
#include "tests/support/systems/block_tree.hpp"

namespace kauri::test {
namespace {

using Kind = symbolic::DeviceTask::Kind;
using symbolic::cells_of;

symbolic::DeviceSchedule::Sums& sums_of(Plan& plan) { return device_of(plan).sums; }
const symbolic::DeviceSchedule::Sums& sums_of(const Plan& plan) { return device_of(plan).sums; }

/// Returns the place in the list of the first task of a kind for which `is` holds.
Index find_task(
    const Plan& plan, Kind kind,
    const std::function<bool(const symbolic::DeviceTask&)>& is = [](const symbolic::DeviceTask&) {
      return true;
    }) {
  const auto& tasks = device_of(plan).task;
  const auto found = std::find_if(tasks.begin(), tasks.end(), [&](const symbolic::DeviceTask& t) {
    return t.kind == kind && is(t);
  });
  return found != tasks.end() ? static_cast<Index>(found - tasks.begin())
                              : throw std::logic_error("no such task");
}
symbolic::DeviceTask& task(
    Plan& plan, Kind kind,
    const std::function<bool(const symbolic::DeviceTask&)>& is = [](const symbolic::DeviceTask&) {
      return true;
    }) {
  return device_of(plan).task.at(static_cast<std::size_t>(find_task(plan, kind, is)));
}

/// Moves task `from` to place `to` of the list.
void move_task(Plan& plan, Index from, Index to) {
  auto& tasks = device_of(plan).task;
  if (from < to)
    std::rotate(tasks.begin() + from, tasks.begin() + from + 1, tasks.begin() + to + 1);
  else
    std::rotate(tasks.begin() + to, tasks.begin() + from, tasks.begin() + from + 1);
}

TEST(FindFlawOfTasks, TheSoundPlanHasAllThatIsDamaged) {
  const Plan& plan = sound_plan();
  const symbolic::DeviceSchedule& device = device_of(plan);
  ASSERT_EQ(find_flaw(plan), "");
  EXPECT_GT(device.narrow_fronts, 0);
  EXPECT_GT(device.small_fronts, device.narrow_fronts);
  EXPECT_GT(static_cast<Index>(device.level.size()), device.small_levels + 3);
  EXPECT_GT(device.entries, device.sums.scratch_begin);
  EXPECT_GT(device.row_maps, 0);
  EXPECT_GT(*std::max_element(device.panel_reuses.begin(), device.panel_reuses.end()), 0);
  EXPECT_GT(*std::max_element(device.block_reuses.begin(), device.block_reuses.end()), 0);
  for (const Kind kind :
       {Kind::fill, Kind::sum, Kind::chain, Kind::prepare, Kind::panel, Kind::contribution})
    EXPECT_NO_THROW(find_task(plan, kind));
}

/// Inserts a second copy of task k.
void repeat(Plan& plan, Index k) {
  const symbolic::DeviceTask again = device_of(plan).task[k];
  device_of(plan).task.insert(device_of(plan).task.begin() + k, again);
}
void erase(Plan& plan, Index k) { device_of(plan).task.erase(device_of(plan).task.begin() + k); }

TEST(FindFlawOfTasks, TheirKinds) {
  const auto two = [](const symbolic::DeviceTask& t) { return t.rows == 2; };
  expect_found({
      {"teams that are not pairs",
       [](Plan& p) { DeviceHooks::teams(p) = device_of(p).task_teams + 1; }},
      {"teams that are not pairs",
       [](Plan& p) { DeviceHooks::teams(p) = device_of(p).task_teams - 2; }},
      {"products in parts that are not whole", [](Plan& p) { DeviceHooks::least_part(p) = 0; }},
      {"products in parts that are not whole", [](Plan& p) { DeviceHooks::least_part(p) = 24; }},
      {"of no tiled front", [](Plan& p) { device_of(p).task[0].front = -1; }},
      {"of no tiled front",
       [](Plan& p) {
         device_of(p).task[0].front =
             static_cast<Index>(device_of(p).front.size()) - device_of(p).small_fronts;
       }},
      {"that its kind does not have",
       [](Plan& p) { device_of(p).task[0].kind = static_cast<Kind>(6); }},
      {"that its kind does not have", [](Plan& p) { task(p, Kind::fill).rows = 0; }},
      {"that its kind does not have", [](Plan& p) { task(p, Kind::fill).rows += 100; }},
      {"that its kind does not have", [](Plan& p) { task(p, Kind::fill).column = -1; }},
      {"that its kind does not have",
       [](Plan& p) { task(p, Kind::fill).column = task(p, Kind::fill).row + 1; }},
      {"that its kind does not have",
       [](Plan& p) { task(p, Kind::sum).row = -symbolic::kSumGroup; }},
      {"that its kind does not have", [](Plan& p) { task(p, Kind::sum).row += 1; }},
      {"that its kind does not have", [](Plan& p) { task(p, Kind::sum).rows -= 1; }},
      {"that its kind does not have",
       [](Plan& p) { task(p, Kind::sum).rows = static_cast<Index>(sums_of(p).place.size()) + 1; }},
      {"that its kind does not have", [](Plan& p) { task(p, Kind::prepare).row += 1; }},
      {"that its kind does not have",
       [](Plan& p) { task(p, Kind::prepare).column = task(p, Kind::prepare).row = 1; }},
      {"that its kind does not have", [&](Plan& p) { task(p, Kind::prepare, two).rows = 1; }},
      {"that its kind does not have",
       [](Plan& p) { task(p, Kind::panel).row = task(p, Kind::panel).column + 1; }},
      {"that its kind does not have", [](Plan& p) { task(p, Kind::panel).rows = 3; }},
      {"that its kind does not have", [](Plan& p) { task(p, Kind::contribution).column = 0; }},
      {"that its kind does not have", [](Plan& p) { task(p, Kind::contribution).row = 1000; }},
  });
}

TEST(FindFlawOfTasks, TheirTiles) {
  const auto two = [](const symbolic::DeviceTask& t) { return t.rows == 2; };
  const auto is_tile = [](const symbolic::DeviceTask& t) { return t.row > 0; };
  expect_found({
      {"a diagonal tile that is prepared already",
       [](Plan& p) { repeat(p, find_task(p, Kind::prepare)); }},
      {"a tile that another task writes too",
       [](Plan& p) { repeat(p, find_task(p, Kind::chain)); }},
      {"a tile that another task writes too",
       [](Plan& p) { repeat(p, find_task(p, Kind::panel)); }},
      {"a tile that another task writes too",
       [](Plan& p) { repeat(p, find_task(p, Kind::contribution)); }},
      {"a tile that no task writes", [](Plan& p) { erase(p, find_task(p, Kind::chain)); }},
      {"a tile that no task writes", [](Plan& p) { erase(p, find_task(p, Kind::panel)); }},
      {"a tile that no task writes", [&](Plan& p) { task(p, Kind::panel, two).rows = 1; }},
      {"a tile that no task writes", [](Plan& p) { erase(p, find_task(p, Kind::contribution)); }},
      {"a diagonal tile that no task prepares",
       [](Plan& p) { erase(p, find_task(p, Kind::prepare)); }},
      {"not as many tasks for its block as its parent waits for",
       [&](Plan& p) {
         const Index k = find_task(p, Kind::contribution, two);
         repeat(p, k);
         device_of(p).task[k].rows = device_of(p).task[k + 1].rows = 1;
         device_of(p).task[k + 1].row += 1;
       }},
      {"a tile that is filled twice", [](Plan& p) { repeat(p, find_task(p, Kind::fill)); }},
      {"tiles that are not filled", [](Plan& p) { erase(p, find_task(p, Kind::fill)); }},
      {"tiles that are not filled", [&](Plan& p) { erase(p, find_task(p, Kind::fill, is_tile)); }},
      {"tiles that are not filled",
       [](Plan& p) {  // a block's, without sums
         const symbolic::DeviceTask& of =
             task(p, Kind::contribution, [&](const symbolic::DeviceTask& t) {
               return std::none_of(device_of(p).task.begin(), device_of(p).task.end(),
                                   [&](const symbolic::DeviceTask& other) {
                                     return other.kind == Kind::sum && other.front == t.front;
                                   });
             });
         device_of(p).task.insert(device_of(p).task.begin(),
                                  {of.front, Kind::fill, of.row, of.column, 1});
       }},
      {"sums that do not wait for all tasks", [](Plan& p) { task(p, Kind::sum).column -= 1; }},
      {"sums that do not wait for all tasks", [](Plan& p) { task(p, Kind::sum).column += 1; }},
      {"sums that do not wait for all tasks", [](Plan& p) { task(p, Kind::sum).column = 0; }},
  });
}

TEST(FindFlawOfTasks, TheirOrder) {
  const auto end = [](const Plan& p) { return static_cast<Index>(device_of(p).task.size()) - 1; };
  const auto later = [](const symbolic::DeviceTask& t) {
    return sound_plan().internals->device.panel_reuses[t.front] > 0;
  };
  const auto beyond = [](Index column) {
    return [column](const symbolic::DeviceTask& t) { return t.column > column; };
  };
  const Index large =
      sound_plan().internals->device.task[find_task(sound_plan(), Kind::panel, beyond(1))].front;
  const auto of_large = [&](const symbolic::DeviceTask& t) { return t.front == large; };
  expect_found({
      {"it fills or sums before",
       [&](Plan& p) { move_task(p, find_task(p, Kind::fill, later), 0); }},
      {"it fills or sums before",
       [](Plan& p) { move_task(p, find_task(p, Kind::sum), find_task(p, Kind::fill)); }},
      {"a tile of L before", [](Plan& p) { move_task(p, find_task(p, Kind::panel), 0); }},
      {"a tile of L before",
       [&](Plan& p) { move_task(p, find_task(p, Kind::chain, of_large), end(p)); }},
      {"before what it waits for",
       [&](Plan& p) { move_task(p, find_task(p, Kind::contribution), end(p)); }},
      {"a tile of L before",
       [&](Plan& p) {
         move_task(p, find_task(p, Kind::panel, beyond(1)), find_task(p, Kind::panel));
       }},
      {"a tile of L before",
       [&](Plan& p) {  // what comes too late is what its chain waits for
         const auto awaiting = [&](const symbolic::DeviceTask& t) {
           return of_large(t) && t.column == 2;
         };
         move_task(p, find_task(p, Kind::prepare, awaiting), find_task(p, Kind::panel, awaiting));
       }},
      {"a tile of the block before",
       [&](Plan& p) {
         move_task(p, find_task(p, Kind::contribution, of_large),
                   find_task(p, Kind::chain, of_large) + 1);
       }},
  });
}

/// Tasks of lower levels come late, so the memory of their fronts is not free when the panel of
/// another front is filled.
TEST(FindFlawOfTasks, LevelsThatAreWaitedFor) {
  Plan sound = sound_plan();
  wait_longest(sound);
  const auto level = [&](const symbolic::DeviceTask& t) {
    return sound.internals->device.panel_reuses[t.front];
  };
  int found = 0, lists = 0;
  for (Index l = 1; l + sound.internals->device.small_levels <
                    static_cast<Index>(sound.internals->device.level.size());
       ++l) {
    const Index fill =
        find_task(sound, Kind::fill, [&](const symbolic::DeviceTask& t) { return level(t) == l; });
    for (Index k = fill - 1, tries = 0; k >= 0 && tries < 5; --k) {
      if (sound.internals->device.task[k].kind != Kind::contribution) continue;
      Plan plan = sound;
      move_task(plan, k, fill);
      const std::string flaw = find_flaw(plan);
      EXPECT_NE(flaw, "") << l;  // finds this, or an early task of the parent
      found += flaw.find("it fills or sums before") != std::string::npos;
      ++lists, ++tries;
    }
  }
  EXPECT_GT(found, lists / 2);
}

/// A launch must not end before a task that one of its tasks waits for, nor within a level.
TEST(FindFlawOfTasks, EndsOfLaunches) {
  const auto end = [](Plan& p, Index level) -> Index& { return device_of(p).level_end[level]; };
  const symbolic::DeviceSchedule& sound = sound_plan().internals->device;
  const Index chain = find_task(sound_plan(), Kind::chain, [&](const symbolic::DeviceTask& t) {
    return cells_of(sound_plan(), sound.front[sound.small_fronts + t.front]).pivot_tiles() > 2;
  });
  const auto of =
      static_cast<Index>(std::upper_bound(sound.level_end.begin(), sound.level_end.end(), chain) -
                         sound.level_end.begin());
  const char* const divide = "ends of levels that do not divide a device's tasks";
  expect_found({
      {divide, [](Plan& p) { device_of(p).level_end.clear(); }},
      {divide, [](Plan& p) { device_of(p).level_end.pop_back(); }},
      {divide, [](Plan& p) { --device_of(p).level_end.back(); }},
      {divide, [&](Plan& p) { end(p, 0) = 0; }},
      {divide, [&](Plan& p) { end(p, 1) = end(p, 0); }},
      {"ends of levels without tasks", [](Plan& p) { device_of(p).task.clear(); }},
      {"it waits for a task of a later launch", [&](Plan& p) { end(p, of) = chain + 1; }},
      {"its launch is that of another level", [&](Plan& p) { --end(p, 0); }},
      {"its launch is that of another level", [&](Plan& p) { ++end(p, 0); }},
  });
}

/// The ends do not depend on the number of teams, though the order of tasks does.
TEST(FindFlawOfTasks, EndsOfLaunchesForAnyNumberOfTeams) {
  BlockTree tree({330, 200, 130, 90}, 5);
  const auto made =
      plan_of(dense_exact_system(tree.rows()).a.pattern(), OrderingMethod::natural, false);
  const Plan few = for_teams(*made, symbolic::kFewestEver);
  EXPECT_EQ(find_flaw(few), "");
  EXPECT_FALSE(device_of(few).task == device_of(*made).task);
  EXPECT_EQ(device_of(few).level_end, device_of(*made).level_end);
}

/// The fronts are cliques of four tiles on one level, so a list runs as many chains at once as its
/// number of teams allows.
TEST(FindFlawOfTasks, TeamsThatListsAreMadeFor) {
  EdgeList edges;
  const Index cliques = 12, order = 200;
  for (Index k = 0; k < cliques; ++k)
    for (Index i = 0; i < order; ++i)
      for (Index j = 0; j < i; ++j) edges.emplace_back(k * order + i, k * order + j);
  const auto made =
      plan_of(pattern_of(cliques * order, std::move(edges)).view(), OrderingMethod::natural);
  for (const Index teams : {4, 6, 10, 40}) {
    Plan plan = for_teams(*made, teams);
    const Index chains =
        std::clamp<Index>(teams / 4, 1, cliques);  // one preparation each may be under way too
    DeviceHooks::teams(plan) = teams;
    EXPECT_EQ(find_flaw(plan), "") << teams;
    DeviceHooks::teams(plan) = 0;
    device_of(plan).task_teams = chains + 1;
    EXPECT_EQ(find_flaw(plan), "") << teams;
    for (device_of(plan).task_teams = chains; device_of(plan).task_teams >= 0;
         --device_of(plan).task_teams)
      EXPECT_NE(find_flaw(plan).find("as many chains as teams may wait"), std::string::npos)
          << teams;
  }
}

/// Returns the tiled fronts of a plan whose children are all outside lists.
Forest forest_of(const Plan& plan) {
  const symbolic::DeviceSchedule& device = device_of(plan);
  Forest forest{{}, {}, device.panel_reuses, device.block_reuses};
  for (Index l = device.small_levels; l < static_cast<Index>(device.level.size()); ++l)
    for (Index k = device.level[l].first; k < device.level[l].first + device.level[l].count; ++k) {
      const Index s = device.front[k], parent = plan.supernodes.parent[s];
      forest.front.push_back(
          {{plan.supernodes.order(s), plan.supernodes.pivots(s)}, l - device.small_levels});
      forest.parent.push_back(parent == kNone ? kNone : device.tiled[parent]);
    }
  return forest;
}

/// If find_flaw() accepts a list with moved tasks, few teams that take turns at random finish all
/// of it.
TEST(FindFlawOfTasks, SoundListsAreDoneInAnyOrder) {
  BlockTree tree({330, 200, 130, 90}, 5);
  const auto made =
      plan_of(dense_exact_system(tree.rows()).a.pattern(), OrderingMethod::natural, false);
  ASSERT_TRUE(made->internals->device.sums.place.empty());
  const Forest forest = forest_of(*made);
  std::mt19937 random(9);
  int sound = 0, stuck = 0;
  for (unsigned round = 0; round < 400; ++round) {
    const Index teams = 4 + 2 * static_cast<Index>(random() % 5);
    Plan plan = for_teams(*made, teams);
    const auto tasks = static_cast<Index>(device_of(plan).task.size());
    for (unsigned moves = random() % 3; moves > 0; --moves) {
      const Index from = static_cast<Index>(random() % static_cast<unsigned>(tasks)),
                  by = static_cast<Index>(random() % 5) - 2;
      move_task(plan, from, std::clamp(from + by, 0, tasks - 1));
    }
    device_of(plan).task_teams = teams / 2 + static_cast<Index>(random() % 3);
    const Model model(forest, device_of(plan).task);
    bool done = true;
    for (unsigned seed = 0; done && seed < 10; ++seed)
      done = finishes(model, static_cast<std::size_t>(device_of(plan).task_teams), seed);
    const std::string flaw = find_flaw(plan);
    if (!done) {
      EXPECT_NE(flaw, "") << round;
    }
    sound += flaw.empty();
    stuck += !done;
  }
  EXPECT_GT(sound, 100);
  EXPECT_GT(stuck, 50);
}

TEST(FindFlawOfTasks, BlocksOfMorePlacesThan32BitsCount) {
  const Index n =
      100000;  // 0 is joined to all but 1, and 1 to 2: the block of the first has nearly n rows
  EdgeList edges{{1, 2}};
  for (Index v = 2; v < n; ++v) edges.emplace_back(0, v);
  Plan plan = *plan_of(pattern_of(n, std::move(edges)).view(), OrderingMethod::natural, false);
  EXPECT_TRUE(device_of(plan).task.empty());
  EXPECT_EQ(find_flaw(plan), "");
  device_of(plan).task.push_back({0, Kind::chain, 0, 0, 0});
  EXPECT_NE(find_flaw(plan).find("a block with more places than 32 bits count"), std::string::npos);
}

/// Returns whether sum k is partial: partial sums lie in scratch memory.
bool is_partial(const Plan& plan, Index k) {
  return sums_of(plan).place[k] >= sums_of(plan).scratch_begin;
}
bool reads_partial(const Plan& plan, Index k) {
  return sums_of(plan).term[sums_of(plan).ptr[k]] >= sums_of(plan).scratch_begin;
}
bool is_empty(const Plan& plan, Index k) {
  return sums_of(plan).ptr[k] == sums_of(plan).ptr[k + 1];
}
Index find_sum(const Plan& plan, bool partial, bool reads) {
  Index k = 0;
  while (is_empty(plan, k) || is_partial(plan, k) != partial || reads_partial(plan, k) != reads)
    ++k;
  return k;
}
void erase_term(Plan& plan, Index sum) {
  symbolic::DeviceSchedule::Sums& sums = sums_of(plan);
  sums.term.erase(sums.term.begin() + sums.ptr[sum]);
  for (std::size_t k = static_cast<std::size_t>(sum) + 1; k < sums.ptr.size(); ++k) --sums.ptr[k];
}

TEST(FindFlawOfTasks, Sums) {
  const Index first = find_sum(sound_plan(), true, false),
              last = find_sum(sound_plan(), false, true);
  const auto term = [](Plan& p, Index k, Index e) -> Offset& {
    return sums_of(p).term[sums_of(p).ptr[k] + e];
  };
  expect_found({
      {"steps that are not those", [](Plan& p) { sums_of(p).step.back() += 1; }},
      {"steps that are not those", [](Plan& p) { sums_of(p).step.clear(); }},
      {"terms are not divided", [](Plan& p) { sums_of(p).ptr.back() += 1; }},
      {"terms are not divided", [](Plan& p) { sums_of(p).ptr[1] = -1; }},
      {"terms are not divided", [](Plan& p) { sums_of(p).ptr.pop_back(); }},
      {"of two tasks",
       [](Plan& p) {
         task(p, Kind::sum, [](const symbolic::DeviceTask& t) { return t.row > 0; }).row -=
             symbolic::kSumGroup;
       }},
      {"of no task", [](Plan& p) { task(p, Kind::sum).rows -= symbolic::kSumGroup; }},
      {"not as much scratch", [](Plan& p) { device_of(p).entries += 1; }},
      {"not as much scratch", [&](Plan& p) { sums_of(p).place[last] = sums_of(p).scratch_begin; }},
      {"outside the scratch", [&](Plan& p) { sums_of(p).place[first] = device_of(p).entries; }},
      {"outside the scratch", [&](Plan& p) { sums_of(p).place[first] += 1; }},
      {"a place for no terms", [&](Plan& p) { sums_of(p).ptr[first + 1] = sums_of(p).ptr[first]; }},
      {"more terms than fan in", [&](Plan& p) { sums_of(p).ptr[first + 1] += 1; }},
      {"a place for no terms", [&](Plan& p) { sums_of(p).place[last] = -1; }},
      {"sums that do not fill up their groups",
       [](Plan& p) {
         sums_of(p).place.push_back(-1), sums_of(p).ptr.push_back(sums_of(p).ptr.back());
       }},
      {"not where its terms meet the front", [&](Plan& p) { sums_of(p).place[last] += 1; }},
      {"not where its terms meet the front",
       [&](Plan& p) { std::swap(sums_of(p).place[last], sums_of(p).place[last + 1]); }},
      {"two sums to one entry at once",
       [](Plan& p) {  // a padding sum takes a term of the previous sum
         Index k = find_sum(p, false, true);
         while (!is_empty(p, k + 1)) ++k;
         sums_of(p).ptr[k + 1] -= 1;
         sums_of(p).place[k + 1] = sums_of(p).place[k];
       }},
      {"an entry of a listed child that no sum adds", [&](Plan& p) { erase_term(p, first); }},
      {"in scratch, and never read", [&](Plan& p) { erase_term(p, last); }},
      {"a part that is not there, or was read before",
       [&](Plan& p) { term(p, last, 1) = term(p, last, 0); }},
      {"a part that is not there, or was read before",
       [&](Plan& p) { term(p, last, 0) = device_of(p).entries; }},
      {"a part that may come later", [&](Plan& p) { term(p, first, 0) = sums_of(p).place[first]; }},
      {"a part that may come later",
       [&](Plan& p) { term(p, first, 0) = sums_of(p).place[first + 1]; }},
      {"a term that is no entry of a listed child", [&](Plan& p) { term(p, first, 0) = 0; }},
      {"an entry of a child that was added before",
       [&](Plan& p) { term(p, first, 1) = term(p, first, 0); }},
      {"terms that meet different entries",
       [&](Plan& p) { std::swap(term(p, last, 0), term(p, last + 1, 0)); }},
      {"sums without tasks",
       [](Plan& p) { device_of(p).task.clear(), device_of(p).level_end.clear(); }},
  });
}

TEST(FindFlawOfTasks, Figures) {
  expect_found({
      {"row_maps are not", [](Plan& p) { device_of(p).row_maps += 1; }},
      {"a device's bytes are not", [](Plan& p) { device_of(p).fast_bytes -= 8; }},
      {"a device's bytes are not", [](Plan& p) { device_of(p).shared_bytes += 8; }},
      {"a device's bytes are not", [](Plan& p) { device_of(p).plan_bytes += 8; }},
      {"a device's bytes are not",
       [](Plan& p) { device_of(p).tile_ptr.resize(device_of(p).tile_ptr.size() + 64); }},
      {"work counts other fronts or levels", [](Plan& p) { device_of(p).work.narrow.fronts += 1; }},
      {"work counts other fronts or levels", [](Plan& p) { device_of(p).work.narrow.levels += 1; }},
      {"work counts other fronts or levels", [](Plan& p) { device_of(p).work.small.fronts += 1; }},
      {"work counts other fronts or levels", [](Plan& p) { device_of(p).work.small.levels += 1; }},
      {"work counts other fronts or levels", [](Plan& p) { device_of(p).work.tiled.pop_back(); }},
      {"work counts other fronts", [](Plan& p) { device_of(p).work.tiled[0].fronts += 1; }},
      {"useful teams or blocks", [](Plan& p) { device_of(p).useful_teams = 12; }},
      {"useful teams or blocks", [](Plan& p) { device_of(p).useful_blocks = 2; }},
  });
}

}  // namespace
}  // namespace kauri::test
