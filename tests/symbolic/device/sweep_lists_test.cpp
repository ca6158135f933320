// Tests task lists of a device solve: places of update rows against an oracle, tasks without a
// flaw, and solves by the lists in a model with any number of workers.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/device/sweep_lists.hpp"

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/threads/allowed_threads.hpp"
#include "kauri/extras/generate.hpp"
#include "symbolic/check/find_flaw.hpp"
#include "symbolic/check/find_flaw_sweeps.hpp"
#include "symbolic/device/schedule.hpp"
#include "tests/support/device/device_plans.hpp"
#include "tests/support/oracles/sweep_model.hpp"
#include "tests/support/systems/front_forest.hpp"
#include "tests/support/systems/patterns.hpp"

namespace kauri::test {
namespace {

using symbolic::SweepTask;
using Lists = SweepModel::Lists;

/// Counts tasks by kind, forward and then backward; the last count is of forward tasks with several
/// rows.
std::array<std::size_t, 7> count_kinds(const Lists& lists) {
  std::array<std::size_t, 7> count{};
  for (const SweepTask& task : lists.forward.task) {
    ++count[static_cast<std::size_t>(task.kind)];
    if (task.rows > 1) ++count[6];
  }
  for (const SweepTask& task : lists.backward.task)
    ++count[4 + static_cast<std::size_t>(task.kind)];
  return count;
}

/// Checks the update rows that each front row starts from, in the order of children, by the
/// definition.
void check_places(const Supernodes& nodes, const symbolic::Assembly& assembly,
                  const symbolic::UpdateRows& rows) {
  const Offset below = static_cast<Offset>(nodes.row.size()) - nodes.first.back();
  ASSERT_EQ(rows.ptr.size(), nodes.row.size() + nodes.parent.size());
  ASSERT_EQ(static_cast<Offset>(rows.slot.size()), below);
  std::vector<bool> used(rows.slot.size(), false);
  for (const std::uint32_t slot : rows.slot) {
    ASSERT_LT(slot, rows.slot.size());
    ASSERT_FALSE(used[slot]);
    used[slot] = true;
  }
  std::vector<std::vector<std::pair<Index, Index>>> met(nodes.row.size());  // (child, its row)
  for (Index s = 0; s < nodes.count(); ++s)
    for (Index k = assembly.child_ptr[s]; k < assembly.child_ptr[s + 1]; ++k)
      for (Index child = assembly.child[k], r = nodes.pivots(child); r < nodes.order(child); ++r) {
        const auto own = nodes.rows(s);
        const auto at = std::lower_bound(own.begin(), own.end(),
                                         nodes.rows(child)[static_cast<std::size_t>(r)]) -
                        own.begin();
        met[static_cast<std::size_t>(nodes.row_ptr[s] + at)].emplace_back(child, r);
      }
  std::uint32_t next = 0;
  for (Index s = 0; s < nodes.count(); ++s) {
    for (Index r = 0; r < nodes.order(s); ++r) {
      const auto row = static_cast<std::size_t>(nodes.row_ptr[s] + r);
      ASSERT_EQ(rows.ptr[row + static_cast<std::size_t>(s)], next) << s << " " << r;
      for (const auto& [child, below_row] : met[row])
        ASSERT_EQ(rows.slot[static_cast<std::size_t>(nodes.row_ptr[child] - nodes.first[child] +
                                                     below_row - nodes.pivots(child))],
                  next++);
    }
    ASSERT_EQ(rows.ptr[static_cast<std::size_t>(nodes.row_ptr[s + 1] + s)], next) << s;
  }
  EXPECT_EQ(next, rows.slot.size());
}

void check_counts(const Lists& lists, Index n, const symbolic::DeviceSchedule::Sweeps& sweeps) {
  EXPECT_EQ(static_cast<std::size_t>(sweeps.forward_tasks), lists.forward.task.size());
  EXPECT_EQ(static_cast<std::size_t>(sweeps.backward_tasks), lists.backward.task.size());
  EXPECT_EQ(sweeps.forward_parts, lists.forward.parts);
  EXPECT_EQ(sweeps.backward_parts, lists.backward.parts);
  Offset bytes = 0;  // as Uploader::copy aligns them
  for (const std::size_t size : {static_cast<std::size_t>(n) * sizeof(Index),
                                 lists.rows.ptr.size() * sizeof(lists.rows.ptr[0]),
                                 lists.rows.slot.size() * sizeof(lists.rows.slot[0]),
                                 lists.forward.task.size() * sizeof(SweepTask),
                                 lists.backward.task.size() * sizeof(SweepTask)})
    bytes += static_cast<Offset>((size + 255) / 256 * 256);
  EXPECT_EQ(sweeps.bytes, bytes);
}

void check_lists(const Plan& plan) {
  ASSERT_EQ(find_flaw(plan), "");
  const Lists lists =
      symbolic::list_sweeps(plan.supernodes, plan.internals->assembly, plan.internals->device);
  EXPECT_EQ(symbolic::find_flaw_sweeps(plan.supernodes, plan.internals->device, lists.forward,
                                       lists.backward),
            "");
  check_counts(lists, plan.n, plan.internals->device.sweeps);
  check_places(plan.supernodes, plan.internals->assembly, lists.rows);
}

TEST(SweepLists, NoFlawInListsOfSystems) {
  for (const char* spec :
       {"poisson2d 60", "poisson3d 13", "elast3d 6", "tree 3000 1", "blockdiag 300 70",
        "blockdiag 500 7", "arrow 400 3", "arrow 900 200", "poisson2d 1"})
    for (const OrderingMethod method :
         {OrderingMethod::natural, OrderingMethod::amd, OrderingMethod::nested_dissection}) {
      SCOPED_TRACE(spec);
      check_lists(*plan_of(generate(spec).pattern(), method));
    }
}

TEST(SweepLists, NoFlawInListsOfShapes) {
  const OwnedPattern shapes[] = {
      diagonal_pattern(0),       diagonal_pattern(1),       diagonal_pattern(500),
      chain_pattern(2000),       star_pattern(3000, 2999),  star_pattern(3000, 0),
      caterpillar_pattern(999),  dense_pattern(65),         dense_pattern(1300),
      hubs_and_cube(6000, 4, 9), random_pattern(2000, 3, 1)};
  for (const OwnedPattern& shape : shapes)
    for (const bool amalgamate : {false, true}) {
      SCOPED_TRACE(shape.n());
      check_lists(*plan_of(shape.view(), OrderingMethod::natural, amalgamate));
      check_lists(*plan_of(shape.view(), OrderingMethod::amd, amalgamate));
    }
}

TEST(SweepLists, NoFlawInListsOfAnyFronts) {
  std::array<std::size_t, 7> kinds{};
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const FrontForest forest = random_forest(seed);
    const Lists lists = lists_of(forest);
    EXPECT_EQ(flaw_in(forest, lists), "");
    check_counts(lists, forest.n(), forest.device.sweeps);
    check_places(forest.nodes, forest.assembly, lists.rows);
    const auto count = count_kinds(lists);
    for (std::size_t k = 0; k < kinds.size(); ++k) kinds[k] += count[k];
  }
  for (const std::size_t k : {0, 1, 4, 5, 6}) EXPECT_GT(kinds[k], 100U) << k;
}

TEST(SweepLists, AllKindsOfTasksAreMet) {
  const FrontForest forest = all_kinds();
  const Lists lists = lists_of(forest);
  EXPECT_EQ(flaw_in(forest, lists), "");
  check_counts(lists, forest.n(), forest.device.sweeps);
  check_places(forest.nodes, forest.assembly, lists.rows);
  const auto count = count_kinds(lists);
  for (std::size_t k = 0; k < count.size(); ++k) EXPECT_GT(count[k], 4U) << k;
  Index most = 0;
  for (const SweepTask& task : lists.forward.task) most = std::max(most, task.parts);
  EXPECT_GE(most, 2);  // of three chunks
}

TEST(SweepLists, PlacesAreTheSameByAnyNumberOfThreads) {
  const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism, 16);
  const FrontForest forest = all_kinds();
  ASSERT_GT(forest.nodes.count(), 1024);
  symbolic::UpdateRows one;
  with_threads(1, [&] { one = symbolic::place_update_rows(forest.nodes, forest.assembly); });
  for (int round = 0; round < 20; ++round) {
    symbolic::UpdateRows many;
    with_threads(16, [&] { many = symbolic::place_update_rows(forest.nodes, forest.assembly); });
    ASSERT_EQ(many.ptr, one.ptr);
    ASSERT_EQ(many.slot, one.slot);
  }
}

TEST(SweepLists, NumbersOfASolveHaveRoom) {
  const FrontForest forest = all_kinds();
  const Lists lists = lists_of(forest);
  EXPECT_EQ(forest.device.sweeps.numbers,
            2 * Offset{forest.n()} + static_cast<Offset>(lists.rows.slot.size()) +
                64 * Offset{lists.forward.parts} + 64 * Offset{lists.backward.parts} + 1);
}

TEST(SweepModel, AnyNumberOfWorkersSolves) {
  const auto check = [](const FrontForest& forest, std::uint64_t seed) {
    const SweepSystem system(forest, seed);
    const Lists lists = lists_of(forest);
    for (const std::size_t workers : {1, 2, 7})
      EXPECT_EQ(system.flaw_in_run(lists, workers, seed), "") << seed << " " << workers;
  };
  for (std::uint64_t seed = 0; seed < 8; ++seed) check(random_forest(seed), seed);
  check(all_kinds(), 1);
}

}  // namespace
}  // namespace kauri::test
