// Tests damage to the task lists of a device solve: the reported flaw, and a model of workers that
// run the lists.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "symbolic/check/find_flaw.hpp"
#include "symbolic/device/sweep_lists.hpp"
#include "tests/support/device/device_plans.hpp"
#include "tests/support/oracles/sweep_model.hpp"
#include "tests/support/systems/front_forest.hpp"
#include "tests/support/systems/patterns.hpp"

namespace kauri::test {
namespace {

using symbolic::FrontCells;
using symbolic::SweepTask;
using symbolic::SweepTasks;
using SweepKind = SweepTask::Kind;
using Lists = SweepModel::Lists;

/// A change to one of the lists of all_kinds(), and the flaw that must be reported.
struct ListDamage {
  const char* flaw;
  bool forward;
  std::function<void(SweepTasks&)> done;
};

using IsTask = std::function<bool(const SweepTask&)>;

std::size_t find_task(const SweepTasks& list, const IsTask& is) {
  const auto at = std::find_if(list.task.begin(), list.task.end(), is);
  return at != list.task.end() ? static_cast<std::size_t>(at - list.task.begin())
                               : throw std::logic_error("no such task");
}
/// Returns a change of the first task for which `is` holds.
std::function<void(SweepTasks&)> change(const IsTask& is,
                                        const std::function<void(SweepTask&)>& how) {
  return [=](SweepTasks& list) { how(list.task[find_task(list, is)]); };
}
std::function<void(SweepTasks&)> drop(const IsTask& is) {
  return [=](SweepTasks& list) {
    list.task.erase(list.task.begin() + static_cast<std::ptrdiff_t>(find_task(list, is)));
  };
}
std::function<void(SweepTasks&)> repeat(const IsTask& is) {
  return [=](SweepTasks& list) {
    const std::size_t at = find_task(list, is);
    list.task.insert(list.task.begin() + static_cast<std::ptrdiff_t>(at), SweepTask(list.task[at]));
  };
}
std::function<void(SweepTasks&)> swap(const IsTask& a, const IsTask& b) {
  return [=](SweepTasks& list) {
    std::swap(list.task[find_task(list, a)], list.task[find_task(list, b)]);
  };
}

IsTask of_kind(SweepKind kind) {
  return [=](const SweepTask& task) { return task.kind == kind; };
}
bool sums_up(const SweepTask& task) { return task.kind == SweepKind::whole && task.parts > 1; }
bool of_several(const SweepTask& task) { return task.rows > 1; }

void expect_words(const FrontForest& forest, const std::vector<ListDamage>& damages) {
  const Lists sound = lists_of(forest);
  for (std::size_t k = 0; k < damages.size(); ++k) {
    Lists lists = sound;
    damages[k].done(damages[k].forward ? lists.forward : lists.backward);
    const std::string flaw = flaw_in(forest, lists),
                      words = damages[k].forward ? "forward" : "backward";
    EXPECT_NE(flaw.find(damages[k].flaw), std::string::npos) << "damage " << k << ": " << flaw;
    EXPECT_NE(flaw.find(words), std::string::npos) << "damage " << k << ": " << flaw;
  }
}

TEST(FindFlawSweeps, SeesFieldsOutOfRange) {
  const FrontForest forest = all_kinds();
  std::vector<ListDamage> damages;
  for (const bool forward : {true, false}) {
    const auto all = [](const SweepTask&) { return true; };
    damages.push_back(
        {"of no tiled front", forward, change(all, [](SweepTask& t) { t.front = -1; })});
    damages.push_back({"of no tiled front", forward,
                       change(all, [&](SweepTask& t) { t.front = forest.nodes.count(); })});
    damages.push_back({"of no tiled front", forward,
                       change(all, [&](SweepTask& t) { t.front = forest.device.front[0]; })});
    const char* const out = "tiles or parts that its kind does not have";
    const Index huge = std::numeric_limits<Index>::max();
    for (const Index value : {-1, huge}) {
      damages.push_back({out, forward, change(all, [=](SweepTask& t) { t.row = value; })});
      damages.push_back({out, forward, change(all, [=](SweepTask& t) { t.rows = value; })});
      damages.push_back({out, forward, change(all, [=](SweepTask& t) { t.column = value; })});
      damages.push_back({out, forward, change(all, [=](SweepTask& t) { t.columns = value; })});
      damages.push_back({out, forward, change(all, [=](SweepTask& t) { t.part = value; })});
      damages.push_back({out, forward, change(all, [=](SweepTask& t) { t.parts = value; })});
      damages.push_back(
          {out, forward, change(of_kind(SweepKind::part), [=](SweepTask& t) { t.part = value; })});
      damages.push_back({out, forward, change(sums_up, [=](SweepTask& t) { t.part = value; })});
    }
    damages.push_back(
        {out, forward, change(all, [](SweepTask& t) { t.kind = static_cast<SweepKind>(4); })});
    damages.push_back(
        {out, forward, change(of_kind(SweepKind::part), [](SweepTask& t) { t.parts = 1; })});
  }
  for (const SweepKind kind : {SweepKind::gather, SweepKind::gathered})
    damages.push_back({"tiles or parts that its kind does not have", false,
                       change(sums_up, [=](SweepTask& t) { t.kind = kind; })});
  const char* const out = "tiles or parts that its kind does not have";
  damages.push_back({out, true, change(of_kind(SweepKind::gather), [](SweepTask& t) {
                       t.column = symbolic::kTile / symbolic::kGatherRows;
                     })});
  damages.push_back(
      {out, true, change(of_kind(SweepKind::gather), [](SweepTask& t) { t.rows = 2; })});
  damages.push_back(
      {out, false, change(of_kind(SweepKind::whole), [](SweepTask& t) { t.row = t.column; })});
  expect_words(forest, damages);
}

TEST(FindFlawSweeps, SeesWrongTiles) {
  const FrontForest forest = all_kinds();
  const auto not_to_the_end = [&](const SweepTask& t) {
    return t.rows > 1 &&
           t.row + t.rows <
               FrontCells{forest.nodes.order(t.front), forest.nodes.pivots(t.front)}.row_tiles();
  };
  const char* const twice = "a tile that another task takes too";
  const char* const few = "numbers before all tiles of their sum";
  const auto below = [](const SweepTask& t) {
    return t.kind == SweepKind::whole && t.parts == 0 && t.row > 0 && t.columns > 1;
  };
  expect_words(
      forest,
      {
          {few, true, change(below, [](SweepTask& t) { ++t.column, --t.columns; })},
          {few, true, change(below, [](SweepTask& t) { --t.columns; })},
          {few, true, change(sums_up, [](SweepTask& t) { ++t.column, --t.columns; })},
          {twice, true, change(sums_up, [](SweepTask& t) { --t.column, ++t.columns; })},
          {few, true, change(of_kind(SweepKind::part), [](SweepTask& t) { --t.columns; })},
          {twice, true, repeat(of_kind(SweepKind::part))},
          {twice, true, repeat(sums_up)},
          {"numbers that another task makes too", true,
           repeat([](const SweepTask& t) { return t.columns == 0; })},
          {twice, true, change(not_to_the_end, [](SweepTask& t) { ++t.rows; })},
          {"a tile row that no forward task makes", true,
           change(of_several, [](SweepTask& t) { --t.rows; })},
          {"a tile row that no forward task makes", true, drop(of_several)},
          {few, false, change(of_several, [](SweepTask& t) { --t.rows; })},
          {few, false, change(of_kind(SweepKind::part), [](SweepTask& t) { ++t.row, --t.rows; })},
          {twice, false, change(sums_up, [](SweepTask& t) { ++t.rows; })},
          {twice, false, repeat(of_kind(SweepKind::part))},
          {"pivots that no backward task makes", false, drop([&](const SweepTask& t) {
             const std::vector<Index>& parent = forest.nodes.parent;
             const bool awaited = std::find(parent.begin(), parent.end(), t.front) != parent.end();
             return t.kind == SweepKind::whole && t.parts == 0 && t.column == 0 && !awaited;
           })},
      });
}

/// Makes another sum of the same front read the parts of the first one.
void read_others_parts(SweepTasks& list) {
  for (std::size_t k = find_task(list, sums_up); k < list.task.size(); ++k) {
    const SweepTask first = list.task[k];
    const auto other = [&](const SweepTask& t) {
      return sums_up(t) && t.front == first.front && t.part != first.part && t.parts == first.parts;
    };
    if (!sums_up(first) || std::none_of(list.task.begin(), list.task.end(), other)) continue;
    list.task[find_task(list, other)].part = first.part;
    return;
  }
  throw std::logic_error("no such tasks");
}
/// Inserts a task without tiles after the first sum, which makes the same numbers again.
void sum_up_twice(SweepTasks& list, bool forward) {
  const std::size_t first = find_task(list, sums_up);
  SweepTask again = list.task[first];
  (forward ? again.columns : again.rows) = 0;
  list.task.insert(list.task.begin() + static_cast<std::ptrdiff_t>(first) + 1, again);
}
/// Moves the first part of a sum behind the sum.
void sum_up_too_early(SweepTasks& list) {
  const std::size_t sum = find_task(list, sums_up);
  const auto its = [&](const SweepTask& t) {
    return t.kind == SweepKind::part && t.part == list.task[sum].part;
  };
  const auto at = list.task.begin();
  std::rotate(at + static_cast<std::ptrdiff_t>(find_task(list, its)),
              at + static_cast<std::ptrdiff_t>(find_task(list, its)) + 1,
              at + static_cast<std::ptrdiff_t>(sum) + 1);
}
void leave_a_part(SweepTasks& list) {
  SweepTask& sum = list.task[find_task(list, sums_up)];
  ++sum.part, --sum.parts;
}

TEST(FindFlawSweeps, SeesWrongParts) {
  std::vector<ListDamage> damages;
  for (const bool forward : {true, false}) {
    damages.push_back({"never made", forward, [](SweepTasks& list) { ++list.parts; }});
    damages.push_back({"fewer than none", forward, [](SweepTasks& list) { list.parts = -1; }});
    damages.push_back({"a part that another task makes too", forward,
                       change(of_kind(SweepKind::part), [](SweepTask& t) { ++t.part; })});
    damages.push_back(
        {"a part that no task before it makes", forward, drop(of_kind(SweepKind::part))});
    damages.push_back({"a part that no task before it makes", forward, sum_up_too_early});
    damages.push_back({"never read", forward, leave_a_part});
    damages.push_back({"a part of another sum", forward, read_others_parts});
    damages.push_back({"a part that was read before", forward,
                       [=](SweepTasks& list) { sum_up_twice(list, forward); }});
  }
  expect_words(all_kinds(), damages);
}

TEST(FindFlawSweeps, SeesWrongGathering) {
  const auto second = [](const SweepTask& t) {
    return t.kind == SweepKind::gather && t.column == 1;
  };
  const char* const made = "a part that another task makes too";
  const auto insert_again = [=](SweepTasks& list) {
    const auto at = list.task.begin() + static_cast<std::ptrdiff_t>(find_task(list, second));
    list.task.insert(at, SweepTask(*at));
  };
  const auto gather_late = [=](SweepTasks& list,
                               bool elsewhere) {  // inserts it after all tasks of the front
    SweepTask again = list.task[find_task(list, second)];
    if (elsewhere) again.part = list.parts++;
    const auto after = std::find_if(list.task.rbegin(), list.task.rend(),
                                    [&](const SweepTask& t) { return t.front == again.front; });
    list.task.insert(after.base(), again);
  };
  const auto with_part = [](const SweepTask& t) {
    return t.kind == SweepKind::gathered && t.parts == 1;
  };
  expect_words(
      all_kinds(),
      {
          {"rows that are not all gathered", true, drop(second)},
          {"rows that another task gathers too", true, insert_again},
          {"rows that another task gathers too", true,
           change(second, [](SweepTask& t) { --t.column; })},
          {made, true, [&](SweepTasks& list) { gather_late(list, false); }},
          {made, true, change(second, [](SweepTask& t) { ++t.row; })},
          {"it gathers for a row that is made already", true,
           [&](SweepTasks& list) { gather_late(list, true); }},
          {"never read", true,
           change(of_kind(SweepKind::gathered), [](SweepTask& t) { t.kind = SweepKind::whole; })},
          {made, true, change(second, [](SweepTask& t) { t.kind = SweepKind::part; })},
          {"a part of another sum", true, change(with_part, [](SweepTask& t) { --t.parts; })},
      });
}

TEST(FindFlawSweeps, SeesWrongOrder) {
  const FrontForest forest = all_kinds();
  const char* const wait = "a tile before the numbers that it is multiplied by";
  const auto pivots = [&](const SweepTask& t) {
    return FrontCells{forest.nodes.order(t.front), forest.nodes.pivots(t.front)}.pivot_tiles();
  };
  const auto row = [&](Index i) {
    return IsTask([=](const SweepTask& t) {
      return pivots(t) == 23 && t.kind == SweepKind::whole && t.row == i;
    });
  };
  const auto column = [&](Index k) {
    return IsTask([=](const SweepTask& t) {
      return pivots(t) == 23 && t.kind == SweepKind::whole && t.column == 22 - k;
    });
  };
  const auto ends = [](SweepTasks& list) { std::swap(list.task.front(), list.task.back()); };
  const auto last_first = [](SweepTasks& list) {
    std::rotate(list.task.begin(), list.task.end() - 1, list.task.end());
  };
  const auto several = [=](const SweepTask& t) {
    return pivots(t) > 1 && t.kind == SweepKind::whole && t.row > 0;
  };
  const char* const rows = "several rows, but parts or gathered ones or more than one pivot tile";
  expect_words(forest,
               {
                   {wait, true, swap(row(0), row(1))},
                   {wait, true, swap(row(4), row(5))},
                   {wait, false, swap(column(0), column(1))},
                   {wait, false, swap(column(4), column(5))},
                   {"before the last task of a child of its front", true, ends},
                   {"before the last task of a child of its front", true, last_first},
                   {"before the last task of its front's parent", false, ends},
                   {"before the last task of its front's parent", false, last_first},
                   {rows, true, change(several, [](SweepTask& t) { ++t.rows; })},
                   {rows, true, change(of_several, [](SweepTask& t) { t.kind = SweepKind::part; })},
                   {rows, true, change(of_several, [](SweepTask& t) { ++t.parts; })},
               });
}

TEST(FindFlawSweeps, PredictionsOfAPlanAreItsLists) {
  for (const auto& damage : std::vector<std::function<void(symbolic::DeviceSchedule::Sweeps&)>>{
           [](auto& sweeps) { ++sweeps.forward_tasks; },
           [](auto& sweeps) { --sweeps.backward_tasks; },
           [](auto& sweeps) { ++sweeps.forward_parts; },
           [](auto& sweeps) { ++sweeps.backward_parts; }, [](auto& sweeps) { sweeps.bytes = 0; },
           [](auto& sweeps) { sweeps = {}; }})
    EXPECT_EQ(flaw_after([&](Plan& plan) { damage(plan.internals->device.sweeps); }),
              "a device's sweeps are not those of its fronts");
  for (const char* target : {"sm_80", "sm_90"}) {
    AnalyzeOptions options;
    options.target = target;
    Plan plan = *analyze(grid_pattern(9, 9, 9).view(), options);
    EXPECT_EQ(find_flaw(plan), "");
    EXPECT_GT(plan.internals->device.sweeps.bytes, 0);
    plan.internals->device.sweeps = {};
    EXPECT_EQ(find_flaw(plan), "a device's sweeps are not those of its fronts");
  }
}

/// Changes a field by one, or moves, repeats or removes a task.
void damage_randomly(SweepTasks& list, std::mt19937_64& random) {
  const std::size_t k = random() % list.task.size(), other = random() % list.task.size();
  const auto at = list.task.begin() + static_cast<std::ptrdiff_t>(k);
  SweepTask& task = *at;
  Index* const fields[] = {&task.front,   &task.row,  &task.rows, &task.column,
                           &task.columns, &task.part, &task.parts};
  switch (random() % 5) {
    case 0:
      return void(list.task.erase(at));
    case 1:
      return void(list.task.insert(at, SweepTask(list.task[other])));
    case 2:
      return std::swap(task, list.task[other]);
    case 3:
      return std::swap(task, list.task[std::min(k + 1, list.task.size() - 1)]);
    default:
      *fields[random() % std::size(fields)] += random() % 2 == 0 ? 1 : -1;
  }
}

/// A damaged list in which find_flaw() finds no flaw still solves the system.
TEST(FindFlawSweeps, WhatItPassesIsSolved) {
  const FrontForest forest = forest_of({{140,
                                         1,
                                         {{640, 0.5, {leaf(70, 0.1), leaf(3, 0.1)}},
                                          host(60, 0.3, 90, leaf(2, 0.9)),
                                          leaf(66, 1)}}});
  const Lists sound = lists_of(forest);
  const SweepSystem system(forest, 1);
  int passed = 0, found = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    std::mt19937_64 random(seed);
    Lists lists = sound;
    damage_randomly(seed % 2 == 0 ? lists.forward : lists.backward, random);
    const bool sound_still = flaw_in(forest, lists).empty();
    ++(sound_still ? passed : found);
    if (sound_still) {
      for (const std::size_t workers : {1, 3})
        ASSERT_EQ(system.flaw_in_run(lists, workers, seed), "") << seed;
    }
  }
  EXPECT_GT(passed, 30);
  EXPECT_GT(found, 100);
}

TEST(SweepModel, SeesListsThatWaitForEver) {
  const FrontForest forest = all_kinds();
  const Lists sound = lists_of(forest);
  const SweepSystem system(forest, 1);
  const auto after = [&](const std::function<void(SweepTasks&)>& damage, bool forward,
                         std::size_t workers) {
    Lists lists = sound;
    damage(forward ? lists.forward : lists.backward);
    return system.flaw_in_run(lists, workers, 1).substr(0, 8);
  };
  for (const bool forward : {true, false}) {
    EXPECT_EQ(after(swap(of_kind(SweepKind::part), sums_up), forward, 1), "all wait");
    EXPECT_EQ(after(drop(of_kind(SweepKind::part)), forward, 7), "all wait");
    EXPECT_EQ(after(repeat(of_kind(SweepKind::part)), forward, 2),
              "a number");  // a number is made twice
    EXPECT_EQ(after(change(of_kind(SweepKind::part),
                           [=](SweepTask& t) { --(forward ? t.columns : t.rows); }),
                    forward, 2),
              "x is ano");
  }
}

}  // namespace
}  // namespace kauri::test
