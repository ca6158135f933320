// Tests that find_flaw() detects each kind of damage to a sound plan.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <functional>

#include "support/oracles/interleaving.hpp"
#include "support/systems/patterns.hpp"
#include "symbolic/check/find_flaw.hpp"
#include "symbolic/plan/internals.hpp"
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
  for (const auto& task : plan.internals->schedule.task)
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
      [](Plan& p) { p.internals->panel_ptr[1] += 1; },
      [](Plan& p) { p.internals->panel_ptr.pop_back(); },
  };
  for (std::size_t k = 0; k < damages.size(); ++k)
    EXPECT_NE(flaw_after(damages[k]), "") << "damage " << k;
}

TEST(FindFlaw, Assembly) {
  const std::vector<std::function<void(Plan&)>> damages{
      [](Plan& p) {
        p.internals->assembly.entry_ptr[1] = 0;
        p.internals->assembly.entry_ptr[0] = 1;
      },
      [](Plan& p) {
        p.internals->assembly.entry_source[0] = p.internals->assembly.entry_source[1];
      },
      [](Plan& p) { p.internals->assembly.entry_source[0] = static_cast<std::uint32_t>(p.nnz); },
      [](Plan& p) { p.internals->assembly.entry_row[0] = p.supernodes.order(0); },
      [](Plan& p) { p.internals->assembly.entry_row[p.internals->assembly.entry_ptr[1]] = 0; },
      [](Plan& p) { p.internals->assembly.child.pop_back(); },
      [](Plan& p) { std::swap(p.internals->assembly.child[0], p.internals->assembly.child[1]); },
      [](Plan& p) { p.internals->assembly.child_ptr[1] = 1; },
      [](Plan& p) { p.internals->assembly.run[0].length += 1; },
      [](Plan& p) { p.internals->assembly.run[0].parent += 1; },
      [](Plan& p) { p.internals->assembly.run[0].child += 1; },
      [](Plan& p) { p.internals->assembly.run_ptr[1] -= 1; },
  };
  for (std::size_t k = 0; k < damages.size(); ++k)
    EXPECT_NE(flaw_after(damages[k]), "") << "damage " << k;
}

TEST(FindFlaw, TasksAndEdges) {
  const std::vector<std::function<void(Plan&)>> damages{
      [](Plan& p) { p.internals->schedule.workers = 0; },
      [](Plan& p) { p.internals->schedule.task.pop_back(); },
      [](Plan& p) { p.internals->schedule.task[0].last_front -= 1; },
      [](Plan& p) { p.internals->schedule.task[0].parent = kNone; },
      [](Plan& p) { p.internals->schedule.factor_edges.dependencies.back() += 1; },
      [](Plan& p) { p.internals->schedule.factor_edges.successor[0] = 0; },
      [](Plan& p) {
        p.internals->schedule.factor_edges.successor[0] =
            static_cast<Index>(p.internals->schedule.task.size());
      },
      [](Plan& p) { p.internals->schedule.factor_edges.successor_ptr.back() -= 1; },
      [](Plan& p) {  // one task over two subtrees with different parents
        symbolic::Schedule& s = p.internals->schedule;
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
  for (const auto& task : plan.internals->schedule.task)
    if (task.last_front - task.first_front == 1 &&
        plan.supernodes.parent[task.first_front] != kNone)
      for (Index k = plan.internals->assembly.child_ptr[task.first_front];
           k < plan.internals->assembly.child_ptr[task.first_front + 1]; ++k)
        if (const Index c = plan.internals->assembly.child[k];
            plan.internals->schedule.fully_summed[c] != kNone &&
            plan.internals->schedule.partially_summed[c] != kNone)
          return c;
  return kNone;
}

Index task_of(const Plan& plan, Index s) {
  Index t = 0;
  while (plan.internals->schedule.task[t].last_front <= s) ++t;
  return t;
}

TEST(FindFlaw, Memory) {
  const Index inner = inner_front(sound_plan()), cut = cut_front(sound_plan());
  ASSERT_NE(cut, kNone);
  const auto end = [](const Plan& p) {
    return p.internals->panel_ptr.back() + p.internals->schedule.stack_entries;
  };
  const std::vector<std::function<void(Plan&)>> damages{
      [&](Plan& p) { p.internals->schedule.fully_summed[inner] = kNone; },
      [&](Plan& p) { p.internals->schedule.fully_summed[inner] = end(p); },
      [&](Plan& p) {
        p.internals->schedule.fully_summed[inner] = -1 - p.internals->schedule.fully_summed[inner];
      },
      [&](Plan& p) { p.internals->schedule.update[inner] = p.internals->schedule.update_rows; },
      [&](Plan& p) {
        p.internals->schedule.fully_summed[inner] =
            p.internals->schedule.fully_summed[p.supernodes.parent[inner]];
      },
      [&](Plan& p) {
        p.internals->schedule.update[inner] =
            p.internals->schedule.update[p.supernodes.parent[inner]];
      },
      [&](Plan& p) { p.internals->schedule.partially_summed[cut] = kNone; },
      [&](Plan& p) { p.internals->schedule.partially_summed[cut] = end(p); },
      [&](Plan& p) {
        p.internals->schedule.partially_summed[cut] = p.internals->schedule.fully_summed[cut];
      },
      [&](Plan& p) { p.internals->schedule.fully_summed_columns[cut] -= 1; },
      [&](Plan& p) { p.internals->schedule.fully_summed_columns[cut] = 0; },
      [&](Plan& p) { p.internals->schedule.fully_summed_columns.pop_back(); },
      [](Plan& p) { p.internals->schedule.fully_summed.back() = 0; },
      [](Plan& p) { p.internals->schedule.stack_entries /= 2; },
      [](Plan& p) { p.internals->schedule.stack_entries = -1; },
      [](Plan& p) { p.internals->schedule.update_rows -= 1; },
      [](Plan& p) {
        p.internals->schedule.scratch[0] = p.internals->schedule.scratch[0] == kNone ? 0 : kNone;
      },
      [](Plan& p) {  // blocks of two tasks that may run at once
        const auto& task = p.internals->schedule.task;
        const Index a = task[0].last_front - 1, b = task[1].last_front - 1;
        (p.internals->schedule.fully_summed[b] == kNone ? p.internals->schedule.partially_summed
                                                        : p.internals->schedule.fully_summed)[b] =
            (p.internals->schedule.fully_summed[a] == kNone
                 ? p.internals->schedule.partially_summed
                 : p.internals->schedule.fully_summed)[a];
        p.internals->schedule.update[b] = p.internals->schedule.update[a];
      },
      [](Plan& p) {  // the edges for reuse of memory taken away
        p.internals->schedule.factor_edges = tree_edges(p.internals->schedule);
      },
  };
  for (std::size_t k = 0; k < damages.size(); ++k)
    EXPECT_NE(flaw_after(damages[k]), "") << "damage " << k;
}

TEST(FindFlaw, BlocksInPanels) {
  const Index inner = inner_front(sound_plan()), cut = cut_front(sound_plan()),
              reader = sound_plan().supernodes.parent[cut];
  const std::vector<std::function<void(Plan&)>> damages{
      [&](Plan& p) {
        p.internals->schedule.fully_summed[inner] = p.internals->panel_ptr[0];
      },  // done before
      [&](Plan& p) {
        p.internals->schedule.fully_summed[inner] = p.internals->panel_ptr[inner];
      },  // its own
      [&](Plan& p) {
        p.internals->schedule.fully_summed[inner] =
            p.internals->panel_ptr[p.supernodes.parent[inner]];
      },  // its reader's
      [&](Plan& p) {
        p.internals->schedule.fully_summed[cut] = p.internals->panel_ptr[reader];
      },  // the same, of another task
      [&](Plan& p) {
        p.internals->schedule.partially_summed[cut] = p.internals->panel_ptr[reader + 1] - 1;
      },
      [&](Plan& p) {
        p.internals->schedule.partially_summed[cut] =
            p.internals->panel_ptr[p.internals->schedule.task[task_of(p, cut)].first_front + 1];
      },  // a task that may run beside
      [&](Plan& p) {
        p.internals->schedule.scratch[task_of(p, reader)] = p.internals->panel_ptr[reader];
      },
      [&](Plan& p) {
        p.internals->schedule.fully_summed[reader] = p.internals->schedule.partially_summed[cut];
      },  // read while it is written
      [&](Plan& p) {
        p.internals->schedule.scratch[task_of(p, reader)] =
            p.internals->schedule.partially_summed[cut];
      },
      [&](Plan& p) {  // what is dead early no longer counts as such, if it reaches beyond the
                      // columns that meet pivots
        const Index q = p.supernodes.contribution(cut);
        p.internals->schedule.fully_summed_columns[cut] = q;
        p.internals->schedule.partially_summed[cut] = kNone;
      },
  };
  for (std::size_t k = 0; k < damages.size(); ++k)
    EXPECT_NE(flaw_after(damages[k]), "") << "damage " << k;
}

TEST(FindFlaw, EveryEdgeCountsUnlessOthersImplyIt) {
  const Plan& sound = sound_plan();
  const auto tasks = static_cast<Index>(sound.internals->schedule.task.size());
  int reuse = 0, missed = 0;
  for (Index t = 0; t < tasks; ++t)
    for (Offset k = sound.internals->schedule.factor_edges.successor_ptr[t];
         k < sound.internals->schedule.factor_edges.successor_ptr[t + 1]; ++k) {
      const Index to = sound.internals->schedule.factor_edges.successor[k];
      if (to == sound.internals->schedule.task[t].parent) continue;
      ++reuse;
      missed += flaw_after([&](Plan& p) {
                  erase_edge(p.internals->schedule.factor_edges, t, k);
                }).find("unordered") != std::string::npos;
    }
  EXPECT_GT(reuse, 10);
  EXPECT_GT(missed, reuse / 2);  // other edges imply the rest
}

TEST(FindFlaw, FullySummedColumnsMayBeReusedByTheirReaderAlone) {
  Plan plan = sound_plan();  // all blocks and scratch far apart, beyond the panels
  symbolic::Schedule& s = plan.internals->schedule;
  Offset next = plan.internals->panel_ptr.back();
  for (auto* places : {&s.fully_summed, &s.partially_summed, &s.scratch})
    for (Offset& place : *places)
      if (place != kNone) place = next += Offset{1} << 22;
  s.stack_entries = next + (Offset{1} << 22) - plan.internals->panel_ptr.back();
  ASSERT_EQ(find_flaw(plan), "");
  const Index cut = cut_front(plan), reader = plan.supernodes.parent[cut];
  ASSERT_NE(s.scratch[task_of(plan, reader)], kNone);
  for (Offset* own :
       {&(s.fully_summed[reader] == kNone ? s.partially_summed : s.fully_summed)[reader],
        &s.scratch[task_of(plan, reader)]}) {
    const Offset before = *own;
    *own = s.fully_summed[cut];  // the fully summed columns are dead by then
    EXPECT_EQ(find_flaw(plan), "");
    *own = s.partially_summed[cut];  // the partially summed columns have still to be read
    EXPECT_NE(find_flaw(plan), "");
    *own = before;
  }
  (s.fully_summed[cut - 1] == kNone ? s.partially_summed : s.fully_summed)[cut - 1] =
      s.fully_summed[cut];  // a front that runs before the reader
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
