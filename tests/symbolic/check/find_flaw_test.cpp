// Tests that find_flaw() detects each kind of damage to a sound plan.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <functional>

#include "support/oracles/interleaving.hpp"
#include "support/systems/patterns.hpp"
#include "symbolic/check/find_flaw.hpp"
#include "symbolic/plan/make_plan.hpp"

namespace kauri::test {
namespace {

/// Returns the plan of a cube with enough tasks and reuse of memory for every kind of damage.
const Plan& sound_plan() {
  static const auto plan = [] {
    AnalyzeOptions options;
    options.workers = 1;
    options.target = "cpu-avx512";
    return symbolic::make_plan(grid_pattern(24, 24, 24, true).view(),
                               grid_dissection(24, 24, 24, 64), options);
  }();
  return *plan;
}

/// Returns the flaw that find_flaw() reports after `damage`.
std::string flaw_after(const std::function<void(Plan&)>& damage) {
  Plan plan = sound_plan();
  damage(plan);
  return find_flaw(plan);
}

/// Returns a front inside the tree that has a parent in its own task and a block of some size.
Index inner_front(const Plan& plan) {
  for (const auto& task : plan.schedule.task)
    if (task.last_front - task.first_front > 3)
      for (Index s = task.first_front; s < task.last_front; ++s) {
        const Index up = plan.supernodes.parent[s];
        if (up != kNone && up < task.last_front && plan.supernodes.contribution(s) > 4) return s;
      }
  return kNone;
}

TEST(FindFlaw, SoundPlanHasNone) {
  ASSERT_NE(inner_front(sound_plan()), kNone);
  EXPECT_EQ(find_flaw(sound_plan()), "");
}

TEST(FindFlaw, TreeAndSupernodes) {
  const std::vector<std::function<void(Plan&)>> damages{
      [](Plan& p) { p.n += 1; },
      [](Plan& p) { p.perm = Permutation::identity(p.n - 1); },
      [](Plan& p) { p.tree.parent[7] = 7; },
      [](Plan& p) { p.tree.parent[7] = p.n; },
      [](Plan& p) { p.tree.parent[0] = kNone; },
      [](Plan& p) { p.tree.column_count[5] = 0; },
      [](Plan& p) { p.tree.column_count[p.n - 1] = 2; },
      [](Plan& p) {
        p.tree.column_count[3] += 1;
        p.tree.column_count[4] -= 1;
      },
      [](Plan& p) { p.supernodes.first[1] += 1; },
      [](Plan& p) { p.supernodes.first.back() -= 1; },
      [](Plan& p) { p.supernodes.parent[2] = 1; },
      [](Plan& p) { p.supernodes.parent[0] = p.supernodes.count() - 1; },
      [](Plan& p) { p.supernodes.row_ptr[1] += 1; },
      [](Plan& p) { p.supernodes.row[0] = 1; },
      [](Plan& p) { p.supernodes.row[p.supernodes.row_ptr[1] - 1] = p.n; },
      [](Plan& p) {
        std::swap(p.supernodes.row[p.supernodes.row_ptr[1] - 1],
                  p.supernodes.row[p.supernodes.row_ptr[1] - 2]);
      },
      [](Plan& p) { p.panel_ptr[1] += 1; },
      [](Plan& p) { p.panel_ptr.pop_back(); },
  };
  for (std::size_t k = 0; k < damages.size(); ++k)
    EXPECT_NE(flaw_after(damages[k]), "") << "damage " << k;
}

TEST(FindFlaw, Assembly) {
  const std::vector<std::function<void(Plan&)>> damages{
      [](Plan& p) {
        p.assembly.entry_ptr[1] = 0;
        p.assembly.entry_ptr[0] = 1;
      },
      [](Plan& p) { p.assembly.entry_source[0] = p.assembly.entry_source[1]; },
      [](Plan& p) { p.assembly.entry_source[0] = static_cast<std::uint32_t>(p.nnz); },
      [](Plan& p) { p.assembly.entry_row[0] = p.supernodes.order(0); },
      [](Plan& p) { p.assembly.entry_row[p.assembly.entry_ptr[1]] = 0; },
      [](Plan& p) { p.assembly.child.pop_back(); },
      [](Plan& p) { std::swap(p.assembly.child[0], p.assembly.child[1]); },
      [](Plan& p) { p.assembly.child_ptr[1] = 1; },
      [](Plan& p) { p.assembly.run[0].length += 1; },
      [](Plan& p) { p.assembly.run[0].parent += 1; },
      [](Plan& p) { p.assembly.run[0].child += 1; },
      [](Plan& p) { p.assembly.run_ptr[1] -= 1; },
  };
  for (std::size_t k = 0; k < damages.size(); ++k)
    EXPECT_NE(flaw_after(damages[k]), "") << "damage " << k;
}

TEST(FindFlaw, TasksAndEdges) {
  const std::vector<std::function<void(Plan&)>> damages{
      [](Plan& p) { p.schedule.workers = 0; },
      [](Plan& p) { p.schedule.task.pop_back(); },
      [](Plan& p) { p.schedule.task[0].last_front -= 1; },
      [](Plan& p) { p.schedule.task[0].parent = kNone; },
      [](Plan& p) { p.schedule.factor_edges.dependencies.back() += 1; },
      [](Plan& p) { p.schedule.factor_edges.successor[0] = 0; },
      [](Plan& p) {
        p.schedule.factor_edges.successor[0] = static_cast<Index>(p.schedule.task.size());
      },
      [](Plan& p) { p.schedule.factor_edges.successor_ptr.back() -= 1; },
      [](Plan& p) {  // one task over two subtrees with different parents
        Schedule& s = p.schedule;
        for (std::size_t t = 0; t + 1 < s.task.size(); ++t)
          if (s.task[t].parent != s.task[t + 1].parent &&
              s.task[t].parent != static_cast<Index>(t) + 1) {
            s.task[t + 1].first_front -= 1;
            s.task[t].last_front -= 1;
            return;
          }
      },
  };
  for (std::size_t k = 0; k < damages.size(); ++k)
    EXPECT_NE(flaw_after(damages[k]), "") << "damage " << k;
}

/// Returns a front whose block is cut in two and whose parent is the only front of its task and has
/// a block, too.
Index cut_front(const Plan& plan) {
  for (const auto& task : plan.schedule.task)
    if (task.last_front - task.first_front == 1 &&
        plan.supernodes.parent[task.first_front] != kNone)
      for (Index k = plan.assembly.child_ptr[task.first_front];
           k < plan.assembly.child_ptr[task.first_front + 1]; ++k)
        if (const Index c = plan.assembly.child[k];
            plan.schedule.head[c] != kNone && plan.schedule.tail[c] != kNone)
          return c;
  return kNone;
}

Index task_of(const Plan& plan, Index s) {
  Index t = 0;
  while (plan.schedule.task[t].last_front <= s) ++t;
  return t;
}

TEST(FindFlaw, Memory) {
  const Index inner = inner_front(sound_plan()), cut = cut_front(sound_plan());
  ASSERT_NE(cut, kNone);
  const auto end = [](const Plan& p) { return p.panel_ptr.back() + p.schedule.stack_entries; };
  const std::vector<std::function<void(Plan&)>> damages{
      [&](Plan& p) { p.schedule.head[inner] = kNone; },
      [&](Plan& p) { p.schedule.head[inner] = end(p); },
      [&](Plan& p) { p.schedule.head[inner] = -1 - p.schedule.head[inner]; },
      [&](Plan& p) { p.schedule.update[inner] = p.schedule.update_rows; },
      [&](Plan& p) { p.schedule.head[inner] = p.schedule.head[p.supernodes.parent[inner]]; },
      [&](Plan& p) { p.schedule.update[inner] = p.schedule.update[p.supernodes.parent[inner]]; },
      [&](Plan& p) { p.schedule.tail[cut] = kNone; },
      [&](Plan& p) { p.schedule.tail[cut] = end(p); },
      [&](Plan& p) { p.schedule.tail[cut] = p.schedule.head[cut]; },
      [&](Plan& p) { p.schedule.fully_summed_columns[cut] -= 1; },
      [&](Plan& p) { p.schedule.fully_summed_columns[cut] = 0; },
      [&](Plan& p) { p.schedule.fully_summed_columns.pop_back(); },
      [](Plan& p) { p.schedule.head.back() = 0; },
      [](Plan& p) { p.schedule.stack_entries /= 2; },
      [](Plan& p) { p.schedule.stack_entries = -1; },
      [](Plan& p) { p.schedule.update_rows -= 1; },
      [](Plan& p) { p.schedule.scratch[0] = p.schedule.scratch[0] == kNone ? 0 : kNone; },
      [](Plan& p) {  // puts blocks of two concurrent tasks at one place
        const auto& task = p.schedule.task;
        const Index a = task[0].last_front - 1, b = task[1].last_front - 1;
        (p.schedule.head[b] == kNone ? p.schedule.tail : p.schedule.head)[b] =
            (p.schedule.head[a] == kNone ? p.schedule.tail : p.schedule.head)[a];
        p.schedule.update[b] = p.schedule.update[a];
      },
      [](Plan& p) {  // removes the edges for reuse of memory
        p.schedule.factor_edges = tree_edges(p.schedule);
      },
  };
  for (std::size_t k = 0; k < damages.size(); ++k)
    EXPECT_NE(flaw_after(damages[k]), "") << "damage " << k;
}

TEST(FindFlaw, BlocksInPanels) {
  const Index inner = inner_front(sound_plan()), cut = cut_front(sound_plan()),
              reader = sound_plan().supernodes.parent[cut];
  const std::vector<std::function<void(Plan&)>> damages{
      [&](Plan& p) { p.schedule.head[inner] = p.panel_ptr[0]; },  // in a panel that is already done
      [&](Plan& p) { p.schedule.head[inner] = p.panel_ptr[inner]; },  // in its own panel
      [&](Plan& p) {
        p.schedule.head[inner] = p.panel_ptr[p.supernodes.parent[inner]];
      },  // in the panel of its reader
      [&](Plan& p) {
        p.schedule.head[cut] = p.panel_ptr[reader];
      },  // in the panel of its reader in another task
      [&](Plan& p) { p.schedule.tail[cut] = p.panel_ptr[reader + 1] - 1; },
      [&](Plan& p) {
        p.schedule.tail[cut] = p.panel_ptr[p.schedule.task[task_of(p, cut)].first_front + 1];
      },  // in a panel of a concurrent task
      [&](Plan& p) { p.schedule.scratch[task_of(p, reader)] = p.panel_ptr[reader]; },
      [&](Plan& p) {
        p.schedule.head[reader] = p.schedule.tail[cut];
      },  // overwritten while it is read
      [&](Plan& p) { p.schedule.scratch[task_of(p, reader)] = p.schedule.tail[cut]; },
      [&](Plan& p) {  // claims that columns beyond those that meet pivots are dead early
        const Index q = p.supernodes.contribution(cut);
        p.schedule.fully_summed_columns[cut] = q;
        p.schedule.tail[cut] = kNone;
      },
  };
  for (std::size_t k = 0; k < damages.size(); ++k)
    EXPECT_NE(flaw_after(damages[k]), "") << "damage " << k;
}

TEST(FindFlaw, EveryEdgeCountsUnlessOthersImplyIt) {
  const Plan& sound = sound_plan();
  const auto tasks = static_cast<Index>(sound.schedule.task.size());
  int reuse = 0, missed = 0;
  for (Index t = 0; t < tasks; ++t)
    for (Offset k = sound.schedule.factor_edges.successor_ptr[t];
         k < sound.schedule.factor_edges.successor_ptr[t + 1]; ++k) {
      const Index to = sound.schedule.factor_edges.successor[k];
      if (to == sound.schedule.task[t].parent) continue;
      ++reuse;
      missed += flaw_after([&](Plan& p) {
                  erase_edge(p.schedule.factor_edges, t, k);
                }).find("unordered") != std::string::npos;
    }
  EXPECT_GT(reuse, 10);
  EXPECT_GT(missed, reuse / 2);  // other edges imply the rest
}

TEST(FindFlaw, AHeadMayBeReusedByItsReaderAlone) {
  Plan plan = sound_plan();  // places all blocks and scratch far apart, beyond the panels
  Schedule& s = plan.schedule;
  Offset next = plan.panel_ptr.back();
  for (auto* places : {&s.head, &s.tail, &s.scratch})
    for (Offset& place : *places)
      if (place != kNone) place = next += Offset{1} << 22;
  s.stack_entries = next + (Offset{1} << 22) - plan.panel_ptr.back();
  ASSERT_EQ(find_flaw(plan), "");
  const Index cut = cut_front(plan), reader = plan.supernodes.parent[cut];
  ASSERT_NE(s.scratch[task_of(plan, reader)], kNone);
  for (Offset* own :
       {&(s.head[reader] == kNone ? s.tail : s.head)[reader], &s.scratch[task_of(plan, reader)]}) {
    const Offset before = *own;
    *own = s.head[cut];  // the head is dead by then
    EXPECT_EQ(find_flaw(plan), "");
    *own = s.tail[cut];  // the tail has still to be read
    EXPECT_NE(find_flaw(plan), "");
    *own = before;
  }
  (s.head[cut - 1] == kNone ? s.tail : s.head)[cut - 1] =
      s.head[cut];  // a front that runs before the reader
  EXPECT_NE(find_flaw(plan), "");
}

TEST(FindFlaw, Cost) {
  const std::vector<std::function<void(Plan&)>> damages{
      [](Plan& p) { p.cost.nnz_l += 1; },          [](Plan& p) { p.cost.flops *= 1.001; },
      [](Plan& p) { p.cost.stored_entries -= 1; }, [](Plan& p) { p.cost.executed_flops *= 1.001; },
      [](Plan& p) { p.cost.largest_front += 1; },  [](Plan& p) { p.cost.largest_supernode += 1; },
      [](Plan& p) { p.cost.fronts.pop_back(); },
  };
  for (std::size_t k = 0; k < damages.size(); ++k)
    EXPECT_NE(flaw_after(damages[k]), "") << "damage " << k;
}

}  // namespace
}  // namespace kauri::test
