// Runs schedules in random legal interleavings: no block may be overwritten while a front may still
// read it.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/host/schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

#include "support/oracles/interleaving.hpp"
#include "support/systems/patterns.hpp"
#include "symbolic/check/find_flaw.hpp"
#include "symbolic/host/task_cut.hpp"
#include "symbolic/plan/internals.hpp"
#include "symbolic/plan/make_plan.hpp"

namespace kauri::test {
namespace {

using symbolic::make_plan;

AnalyzeOptions plan_options(int workers) {
  AnalyzeOptions options;
  options.workers = workers;
  options.target = "cpu-avx512";
  return options;
}

/// Simulates factorisations on threads, each front in two turns: the assembly of its panel, and the
/// rest. Every entry of the array holds the name of its last writer.
class Interleaving {
 public:
  Interleaving(const Plan& plan, int threads, std::uint64_t seed)
      : plan_(plan),
        threads_(threads),
        seed_(seed),
        owner_(static_cast<std::size_t>(plan.internals->panel_ptr.back() +
                                        plan.internals->schedule.stack_entries),
               kNone) {}

  /// Returns the first front that finds a child's block overwritten, or the first whose panel is
  /// overwritten at the end, or kNone.
  Index first_damage() {
    const auto turn = [&](Index task, Index s, bool first) {
      return first ? assemble(s) : finish(task, s);
    };
    const Index damaged =
        test::first_damage(plan_.internals->schedule, plan_.internals->schedule.factor_edges, false,
                           threads_, seed_, turn);
    for (Index s = 0; damaged == kNone && s < plan_.supernodes.count(); ++s)
      if (!holds(plan_.internals->panel_ptr[s],
                 plan_.internals->panel_ptr[s + 1] - plan_.internals->panel_ptr[s], panel_name(s)))
        return s;
    return damaged;
  }

 private:
  static Index panel_name(Index s) { return -2 - 2 * s; }
  static Index scratch_name(Index s) { return -3 - 2 * s; }

  /// Returns the number of columns of c that meet pivots of its parent, by its rows.
  [[nodiscard]] Index meeting(Index c) const {
    const auto rows =
        plan_.supernodes.rows(c).subspan(static_cast<std::size_t>(plan_.supernodes.pivots(c)));
    const Index end = plan_.supernodes.first[plan_.supernodes.parent[c] + 1];
    return static_cast<Index>(std::lower_bound(rows.begin(), rows.end(), end) - rows.begin());
  }
  /// Returns whether columns [begin, end) of c's block are as c wrote them.
  bool whole(Index c, Index begin, Index end) {
    const Index q = plan_.supernodes.contribution(c);
    for (Index j = begin; j < end; ++j)
      if (!holds(plan_.internals->schedule.block_column(c, q, j),
                 symbolic::ContributionLayout::ld(q, j), c))
        return false;
    return true;
  }
  bool assemble(Index s) {
    mark(plan_.internals->panel_ptr[s],
         plan_.internals->panel_ptr[s + 1] - plan_.internals->panel_ptr[s], panel_name(s));
    for (const Index c : children(s))
      if (!whole(c, 0, meeting(c))) return false;
    return true;
  }
  /// Writes the scratch, then the front's block. Returns whether the children's other columns and
  /// the scratch are intact.
  bool finish(Index task, Index s) {
    const Offset scratch =
        symbolic::FrontScratch::entries(plan_.supernodes.order(s), plan_.supernodes.pivots(s));
    const Index q = plan_.supernodes.contribution(s);
    mark(plan_.internals->schedule.scratch[task], scratch, scratch_name(s));
    for (Index j = 0; j < q; ++j)
      mark(plan_.internals->schedule.block_column(s, q, j), symbolic::ContributionLayout::ld(q, j),
           s);
    for (const Index c : children(s))
      if (!whole(c, meeting(c), plan_.supernodes.contribution(c))) return false;
    return holds(plan_.internals->schedule.scratch[task], scratch, scratch_name(s));
  }
  [[nodiscard]] std::span<const Index> children(Index s) const {
    const symbolic::Assembly& a = plan_.internals->assembly;
    return {a.child.data() + a.child_ptr[s],
            static_cast<std::size_t>(a.child_ptr[s + 1] - a.child_ptr[s])};
  }
  void mark(Offset begin, Offset size, Index name) {
    if (size > 0) std::fill_n(owner_.begin() + begin, size, name);
  }
  bool holds(Offset begin, Offset size, Index name) {
    return size == 0 || std::all_of(owner_.begin() + begin, owner_.begin() + begin + size,
                                    [&](Index owner) { return owner == name; });
  }

  const Plan& plan_;
  int threads_;
  std::uint64_t seed_;
  std::vector<Index> owner_;
};

TEST(Schedule, NoLiveBlockIsOverwrittenInAnyLegalOrder) {
  const std::pair<OwnedPattern, Permutation> cases[] = {
      {grid_pattern(90, 80, 1), grid_dissection(90, 80, 1)},
      {grid_pattern(13, 13, 13, true), grid_dissection(13, 13, 13)},
      {grid_pattern(24, 24, 24, true), grid_dissection(24, 24, 24)},
      {grid_pattern(6, 2000, 1), Permutation::identity(12000)},
      {random_pattern(6000, 2.2, 3), Permutation::identity(6000)},
  };
  Index cut = 0;
  for (const auto& [a, perm] : cases)
    for (const int planned : {1, 2, 3, 8, 16}) {
      const auto plan = make_plan(a.view(), perm, plan_options(planned));
      ASSERT_GT(plan->internals->schedule.task.size(), 3U);
      ASSERT_EQ(find_flaw(*plan), "");
      for (Index s = 0; s < plan->supernodes.count(); ++s)
        cut += plan->internals->schedule.fully_summed[s] != kNone &&
               plan->internals->schedule.partially_summed[s] != kNone;
      for (const int threads : {1, 2, 8, 40})
        EXPECT_EQ(Interleaving(*plan, threads, static_cast<std::uint64_t>(threads)).first_damage(),
                  kNone)
            << planned << " " << threads;
    }
  EXPECT_GT(cut, 0);  // fully and partially summed columns apart
}

TEST(Schedule, TheSimulationNoticesAMissingEdge) {
  const auto plan = make_plan(grid_pattern(13, 13, 13, true).view(), grid_dissection(13, 13, 13),
                              plan_options(1));
  Plan loose = *plan;  // data edges only: memory is reused too early in some order
  loose.internals->schedule.factor_edges = tree_edges(loose.internals->schedule);
  int damaged = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    damaged += Interleaving(loose, 8, seed).first_damage() != kNone;
  EXPECT_GT(damaged, 0);
  EXPECT_NE(find_flaw(loose), "");
}

TEST(Schedule, OnlyMemoryEdgesAndPredictionsDependOnWorkers) {
  const OwnedPattern a = grid_pattern(15, 16, 14, true);
  const Permutation perm = grid_dissection(15, 16, 14);
  const auto one = make_plan(a.view(), perm, plan_options(1));
  for (const int workers : {2, 8}) {
    const auto many = make_plan(a.view(), perm, plan_options(workers));
    EXPECT_EQ(many->internals->schedule.workers, workers);
    EXPECT_EQ(one->perm, many->perm);
    EXPECT_EQ(one->supernodes.first, many->supernodes.first);
    EXPECT_EQ(one->supernodes.row, many->supernodes.row);
    EXPECT_EQ(one->internals->assembly.entry_source, many->internals->assembly.entry_source);
    EXPECT_EQ(one->internals->assembly.child, many->internals->assembly.child);
    EXPECT_EQ(one->internals->panel_ptr, many->internals->panel_ptr);
    ASSERT_EQ(one->internals->schedule.task.size(), many->internals->schedule.task.size());
    for (std::size_t t = 0; t < one->internals->schedule.task.size(); ++t) {
      EXPECT_EQ(one->internals->schedule.task[t].last_front,
                many->internals->schedule.task[t].last_front);
      EXPECT_EQ(one->internals->schedule.task[t].parent, many->internals->schedule.task[t].parent);
    }
    EXPECT_GT(one->cost.predicted_factor_s, many->cost.predicted_factor_s);
  }
}

TEST(Schedule, FewWorkersNeedLittleMoreThanPanelsAndBlocksAliveTogether) {
  for (const bool flat : {true, false}) {
    const OwnedPattern a = flat ? grid_pattern(200, 200, 1) : grid_pattern(18, 18, 18);
    for (const int workers : {1, 2}) {
      const auto plan =
          make_plan(a.view(), flat ? grid_dissection(200, 200, 1) : grid_dissection(18, 18, 18),
                    plan_options(workers));
      Offset live = 0, peak = 0;  // sequential, with whole blocks
      const auto block = [&](Index s) {
        return symbolic::ContributionLayout::entries(plan->supernodes.contribution(s));
      };
      for (Index s = 0; s < plan->supernodes.count(); ++s) {
        live += block(s);
        peak = std::max(peak, live +
                                  symbolic::FrontScratch::entries(plan->supernodes.order(s),
                                                                  plan->supernodes.pivots(s)) +
                                  plan->internals->panel_ptr[s + 1]);
        for (Index k = plan->internals->assembly.child_ptr[s];
             k < plan->internals->assembly.child_ptr[s + 1]; ++k)
          live -= block(plan->internals->assembly.child[k]);
      }
      EXPECT_EQ(live, 0);
      const Offset beyond = std::max(peak - plan->internals->panel_ptr.back(), Offset{0});
      EXPECT_LE(static_cast<double>(plan->internals->schedule.stack_entries),
                1.25 * static_cast<double>(beyond))
          << flat << " " << workers;
    }
  }
}

TEST(Schedule, NoEdgeIsImpliedByAnotherAndTheTree) {
  const auto plan =
      make_plan(grid_pattern(90, 80, 1).view(), grid_dissection(90, 80, 1), plan_options(2));
  const symbolic::Schedule& schedule = plan->internals->schedule;
  const auto above = [&](Index t, Index u) {
    while (t != kNone && t < u) t = schedule.task[t].parent;
    return t == u;
  };
  for (const symbolic::TaskEdges* edges : {&schedule.factor_edges, &schedule.forward_edges})
    for (Index t = 0; t < static_cast<Index>(schedule.task.size()); ++t)
      for (Offset k = edges->successor_ptr[t]; k < edges->successor_ptr[t + 1]; ++k)
        for (Offset l = edges->successor_ptr[t]; l < edges->successor_ptr[t + 1]; ++l) {
          const Index to = edges->successor[k], other = edges->successor[l];
          EXPECT_FALSE(k != l && to != schedule.task[t].parent && above(other, to))
              << t << ": " << other << " " << to;
        }
}

TEST(TaskCut, ChainsBecomeFewTasks) {
  const Index n = 100000;
  std::vector<Index> parent(static_cast<std::size_t>(n));
  for (Index s = 0; s < n; ++s) parent[s] = s + 1 < n ? s + 1 : kNone;
  const std::vector<double> work(parent.size(), 1.0);
  const symbolic::Cut cut = symbolic::find_cut(parent, work, 50.0);
  const auto ranges = symbolic::task_ranges(parent, work, cut);
  EXPECT_LT(ranges.size(), 600U);
  EXPECT_GT(ranges.size(), 60U);
}

TEST(TaskCut, AFrontThatJoinsTwoChainsWaitsForBothAlone) {
  std::vector<Index>
      parent;  // 0..94 and 95..189 are chains below 190, whose last tasks have room for one more
  for (Index s = 0; s < 190; ++s) parent.push_back(s == 94 ? 190 : s + 1);
  parent.push_back(kNone);
  const std::vector<double> work(parent.size(), 1.0);
  const auto ranges = symbolic::task_ranges(parent, work, symbolic::find_cut(parent, work, 10.0));
  EXPECT_EQ(ranges.back().first, 190);
  EXPECT_LT(ranges.size(), 50U);
}

TEST(TaskCut, ALargeFrontIsATaskOfItsOwn) {
  const std::vector<Index> parent{3, 3, 3, kNone};  // so that all threads can share it
  const std::vector<double> work{1, 1, 1, 1000};
  const auto ranges = symbolic::task_ranges(parent, work, symbolic::find_cut(parent, work, 0.5));
  ASSERT_EQ(ranges.size(), 2U);
  EXPECT_EQ(ranges[0].last, 3);
}

TEST(TaskCut, SmallWorkIsOneTaskAndLargeSubtreesAreSplit) {
  const std::vector<Index> parent{6, 6, 5, 5, 5, 6, kNone};
  const std::vector<double> work{1, 1, 1, 1, 1, 1, 1};
  EXPECT_EQ(symbolic::task_ranges(parent, work, symbolic::find_cut(parent, work, 7)).size(), 1U);
  EXPECT_EQ(symbolic::task_ranges(parent, work, symbolic::find_cut(parent, work, 0.5)).size(), 7U);
}

}  // namespace
}  // namespace kauri::test
