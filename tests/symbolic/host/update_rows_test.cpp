// Tests update rows of solves in random legal interleavings of both sweeps, their number, and
// damage that find_flaw() must detect.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "support/oracles/interleaving.hpp"
#include "support/systems/patterns.hpp"
#include "symbolic/check/find_flaw.hpp"
#include "symbolic/plan/internals.hpp"
#include "symbolic/plan/make_plan.hpp"

namespace kauri::test {
namespace {

std::shared_ptr<const Plan> plan_for(const OwnedPattern& a, const Permutation& perm, int workers) {
  AnalyzeOptions options;
  options.workers = workers;
  options.target = "cpu-avx512";
  return symbolic::make_plan(a.view(), perm, options);
}

/// Simulates both sweeps of a solve, one after the other; every row of the memory holds the name of
/// its last writer.
class SweepSimulation {
 public:
  explicit SweepSimulation(const Plan& plan)
      : plan_(plan),
        owner_(static_cast<std::size_t>(plan.internals->schedule.update_rows), kNone),
        solved_(plan.supernodes.parent.size(), false) {}

  /// Runs the forward sweep: a front zeroes its rows and adds its children's; later it writes its
  /// own again.
  Index forward_damage(int threads, std::uint64_t seed) {
    return first_damage(plan_.internals->schedule, plan_.internals->schedule.forward_edges, false,
                        threads, seed, [&](Index, Index s, bool first) {
                          if (first) mark(s, s);
                          bool whole = holds(s, s);
                          for (Index k = plan_.internals->assembly.child_ptr[s];
                               k < plan_.internals->assembly.child_ptr[s + 1]; ++k)
                            whole = whole && holds(plan_.internals->assembly.child[k],
                                                   plan_.internals->assembly.child[k]);
                          return whole;
                        });
  }
  /// Runs the backward sweep: a front gathers the solution of its ancestors into its rows and reads
  /// them afterwards.
  Index backward_damage(int threads, std::uint64_t seed) {
    return first_damage(plan_.internals->schedule, plan_.internals->schedule.backward_edges, true,
                        threads, seed, [&](Index, Index s, bool first) {
                          if (first) mark(s, -2 - s);
                          const Index up = plan_.supernodes.parent[s];
                          solved_[s] = !first;
                          return holds(s, -2 - s) && (up == kNone || solved_[up]);
                        });
  }

 private:
  void mark(Index s, Index name) {
    const Index q = plan_.supernodes.contribution(s);
    if (q > 0) std::fill_n(owner_.begin() + plan_.internals->schedule.update[s], q, name);
  }
  [[nodiscard]] bool holds(Index s, Index name) const {
    const Index q = plan_.supernodes.contribution(s);
    const auto begin = owner_.begin() + std::max(plan_.internals->schedule.update[s], Offset{0});
    return std::all_of(begin, begin + q, [&](Index owner) { return owner == name; });
  }

  const Plan& plan_;
  std::vector<Index> owner_;
  std::vector<bool> solved_;
};

/// Returns the rows alive at once in a sequential sweep, and the rows of all fronts.
std::pair<Offset, Offset> least_and_all(const Plan& plan) {
  Offset live = 0, peak = 0, all = 0;
  for (Index s = 0; s < plan.supernodes.count(); ++s) {
    live += plan.supernodes.contribution(s);
    all += plan.supernodes.contribution(s);
    peak = std::max(peak, live);
    for (Index k = plan.internals->assembly.child_ptr[s];
         k < plan.internals->assembly.child_ptr[s + 1]; ++k)
      live -= plan.supernodes.contribution(plan.internals->assembly.child[k]);
  }
  return {peak, all};
}

void expect_sound(const Plan& plan) {
  ASSERT_EQ(find_flaw(plan), "");
  const auto [least, all] = least_and_all(plan);
  EXPECT_GE(plan.internals->schedule.update_rows, least);
  EXPECT_LE(plan.internals->schedule.update_rows, all);
  for (const int threads : {1, 2, 8, 40}) {
    SweepSimulation sweeps(plan);
    EXPECT_EQ(sweeps.forward_damage(threads, static_cast<std::uint64_t>(threads)), kNone)
        << plan.internals->schedule.workers << " " << threads;
    EXPECT_EQ(sweeps.backward_damage(threads, static_cast<std::uint64_t>(threads)), kNone)
        << plan.internals->schedule.workers << " " << threads;
  }
}

TEST(UpdateRows, NoLiveRowIsOverwrittenInAnyLegalOrder) {
  const std::pair<OwnedPattern, Permutation> cases[] = {
      {grid_pattern(90, 80, 1), grid_dissection(90, 80, 1)},
      {grid_pattern(13, 13, 13, true), grid_dissection(13, 13, 13)},
      {grid_pattern(24, 24, 24, true), grid_dissection(24, 24, 24)},
      {grid_pattern(6, 2000, 1), Permutation::identity(12000)},
      {random_pattern(6000, 2.2, 3), Permutation::identity(6000)},
  };
  for (const auto& [a, perm] : cases)
    for (const int workers : {1, 2, 3, 8, 16}) expect_sound(*plan_for(a, perm, workers));
}

TEST(UpdateRows, NoLiveRowIsOverwrittenWhateverThePattern) {
  std::size_t tasks = 0, reuse = 0;
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    const Index n = 200 + 150 * static_cast<Index>(seed);
    const OwnedPattern a = random_pattern(n, 1.8 + 0.06 * static_cast<double>(seed), seed);
    for (const int workers : {1, 2, 3, 8, 16}) {
      const auto plan = plan_for(a, random_order(n, seed), workers);
      expect_sound(*plan);
      tasks += plan->internals->schedule.task.size();
      reuse += plan->internals->schedule.forward_edges.successor.size() -
               tree_edges(plan->internals->schedule).successor.size();
    }
  }
  EXPECT_GT(tasks, 1000U);
  EXPECT_GT(reuse, 200U);
}

TEST(UpdateRows, TheSimulationNoticesMissingEdges) {
  Plan loose = *plan_for(grid_pattern(90, 80, 1), grid_dissection(90, 80, 1), 1);
  loose.internals->schedule.forward_edges = tree_edges(loose.internals->schedule);
  loose.internals->schedule.backward_edges = reversed(loose.internals->schedule.forward_edges);
  int forward = 0, backward = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SweepSimulation sweeps(loose);
    forward += sweeps.forward_damage(8, seed) != kNone;
    backward += sweeps.backward_damage(8, seed) != kNone;
  }
  EXPECT_GT(forward, 0);
  EXPECT_GT(backward, 0);
  EXPECT_NE(find_flaw(loose).find("unordered"), std::string::npos);
}

TEST(UpdateRows, FewWorkersNeedLittleMoreThanRowsAliveTogether) {
  for (const bool flat : {true, false}) {
    const OwnedPattern a = flat ? grid_pattern(200, 200, 1) : grid_pattern(18, 18, 18);
    const Permutation perm = flat ? grid_dissection(200, 200, 1) : grid_dissection(18, 18, 18);
    Offset before = 0;
    for (const int workers : {1, 2, 1000}) {
      const auto plan = plan_for(a, perm, workers);
      const auto [least, all] = least_and_all(*plan);
      if (workers <= 2) {
        EXPECT_LE(static_cast<double>(plan->internals->schedule.update_rows),
                  (workers == 1 ? 1.25 : 2.0) * static_cast<double>(least))
            << flat;
      }
      EXPECT_LT(plan->internals->schedule.update_rows, all) << flat << " " << workers;
      EXPECT_GE(plan->internals->schedule.update_rows, before);
      before = plan->internals->schedule.update_rows;
    }
  }
}

/// Returns a plan in which tasks reuse rows of other tasks.
const Plan& reusing_plan() {
  static const auto plan =
      plan_for(grid_pattern(24, 24, 24, true), grid_dissection(24, 24, 24, 64), 1);
  return *plan;
}

TEST(UpdateRows, FindFlawSeesPlacesAndReversalsGoneWrong) {
  const symbolic::Schedule& sound = reusing_plan().internals->schedule;
  const auto last = [](const Plan& p, std::size_t t) {
    return p.internals->schedule.task[t].last_front - 1;
  };
  const Index head = sound.task.back().first_front,
              child = head - 1;  // a front outside the last task, which reads it
  ASSERT_EQ(find_flaw(reusing_plan()), "");
  ASSERT_EQ(reusing_plan().supernodes.parent[child], head);
  const std::vector<std::function<void(Plan&)>> damages{
      [&](Plan& p) {
        p.internals->schedule.update[last(p, 1)] = p.internals->schedule.update[last(p, 0)];
      },  // may run at once
      [&](Plan& p) {
        p.internals->schedule.update[child] = -1 - p.internals->schedule.update[child];
      },
      [&](Plan& p) {
        p.internals->schedule.update[child] =
            p.internals->schedule.update_rows - p.supernodes.contribution(child) + 1;
      },
      [&](Plan& p) {  // read by one front: side by side no longer
        const Index other = p.internals->assembly.child[p.internals->assembly.child_ptr[head]];
        p.internals->schedule.update[other] = p.internals->schedule.update[child];
      },
      [](Plan& p) { p.internals->schedule.update_rows -= 1; },
      [](Plan& p) { p.internals->schedule.backward_edges = p.internals->schedule.forward_edges; },
      [](Plan& p) {
        p.internals->schedule.backward_edges = reversed(tree_edges(p.internals->schedule));
      },
      [](Plan& p) { p.internals->schedule.backward_edges.dependencies[0] += 1; },
      [](Plan& p) { p.internals->schedule.backward_edges.successor_ptr.pop_back(); },
      [](Plan& p) {
        p.internals->schedule.backward_edges.successor.back() =
            p.internals->schedule.backward_edges.successor[0];
      },
      [](Plan& p) { p.internals->schedule.backward_edges.successor.push_back(0); },
      [](Plan& p) {  // an edge in place of another
        auto& list = p.internals->schedule.backward_edges.successor;
        const auto different =
            std::find_if(list.begin(), list.end(), [&](Index t) { return t != list.front(); });
        std::swap(list.front(), *different);
      },
      [](Plan& p) { p.internals->schedule.forward_edges.dependencies.back() += 1; },
      [](Plan& p) { p.internals->schedule.forward_edges.successor[0] = 0; },
      [](Plan& p) { p.internals->schedule.forward_edges.successor_ptr.back() -= 1; },
      [](Plan& p) { p.internals->schedule.forward_edges = p.internals->schedule.backward_edges; },
      [](Plan& p) { p.internals->schedule.forward_edges = p.internals->schedule.factor_edges; },
      [](Plan& p) {  // both lists agree, and a parent does not wait for its child
        erase_edge(p.internals->schedule.forward_edges, 0, 0);
        p.internals->schedule.backward_edges = reversed(p.internals->schedule.forward_edges);
      },
  };
  for (std::size_t k = 0; k < damages.size(); ++k) {
    Plan plan = reusing_plan();
    damages[k](plan);
    EXPECT_NE(find_flaw(plan), "") << "damage " << k;
  }
}

TEST(UpdateRows, EveryEdgeCountsUnlessOthersImplyIt) {
  const symbolic::Schedule& sound = reusing_plan().internals->schedule;
  int reuse = 0, missed = 0;
  for (Index t = 0; t < static_cast<Index>(sound.task.size()); ++t)
    for (Offset k = sound.forward_edges.successor_ptr[t];
         k < sound.forward_edges.successor_ptr[t + 1]; ++k) {
      if (sound.forward_edges.successor[k] == sound.task[t].parent) continue;
      ++reuse;
      Plan plan = reusing_plan();
      erase_edge(plan.internals->schedule.forward_edges, t, k);
      EXPECT_NE(find_flaw(plan), "");  // no longer what backward_edges reverse
      plan.internals->schedule.backward_edges = reversed(plan.internals->schedule.forward_edges);
      missed += find_flaw(plan).find("unordered") != std::string::npos;
    }
  EXPECT_GT(reuse, 10);
  EXPECT_GT(missed, reuse / 2);  // other edges imply the rest
}

/// find_flaw() detects each block that is moved onto another block that is live at the same time.
TEST(UpdateRows, ABlockMovedOntoALiveOneIsFound) {
  const Plan& sound = reusing_plan();
  int found = 0, tried = 0;
  for (std::size_t a = 0; a < sound.internals->schedule.task.size(); ++a)
    for (std::size_t b = a + 1; b < sound.internals->schedule.task.size(); ++b) {
      const Index from = sound.internals->schedule.task[a].last_front - 1,
                  to = sound.internals->schedule.task[b].last_front - 1;
      if (sound.supernodes.parent[from] == kNone ||
          sound.supernodes.parent[from] != sound.supernodes.parent[to])
        continue;
      Plan plan = sound;  // both are live while their parent reads them
      plan.internals->schedule.update[from] = plan.internals->schedule.update[to];
      ++tried;
      found += find_flaw(plan).find("updates of a solve") != std::string::npos;
    }
  EXPECT_GT(tried, 5);
  EXPECT_EQ(found, tried);
}

}  // namespace
}  // namespace kauri::test
