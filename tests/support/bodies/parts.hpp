// Products added up in parts (change_sums of numeric/cuda/factor/tiled/update.cuh, and the portable
// kernels' own), on fronts of some hundred pivots with parts of few pivots. The exact factor must
// come back bit for bit, for any division into parts and any number of teams, with pauses and with
// reused memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "symbolic/device/front_tasks.hpp"
#include "symbolic/plan/internals.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/device/device_hooks.hpp"
#include "tests/support/device/device_plans.hpp"
#include "tests/support/systems/block_tree.hpp"

namespace kauri::test {

/// Trials: trees of blocks, without and with leaves, each with all combinations of these values.
struct PartsTrial {
  std::vector<Index> pivots;  // of the blocks, by depth
  Index leaves;
  std::size_t depth;  // depth of the blocks that are parents of the leaves
  Index below;        // entries of a leaf
  std::vector<Index> least, teams;
  unsigned pauses;  // number of kinds of pauses
  int runs, samples;
  std::string sums;  // a system for which parts change the bits
};

template <class W>
class Parts : public OnCuda<W> {
 protected:
  using Value = typename OnCuda<W>::Value;

  /// Counts of tiled fronts with more pivots than `least` whose contribution block, or whose panel,
  /// reuses memory, and of those with listed sums.
  struct Met {
    int blocks = 0, panels = 0, sums = 0;
  };
  static Met met(const Plan& plan, Index least) {
    Met out;
    const symbolic::DeviceSchedule& device = plan.internals->device;
    std::vector<bool> sums(device.panel_reuses.size(), false);
    for (const symbolic::DeviceTask& task : device.task)
      if (task.kind == symbolic::DeviceTask::Kind::sum) sums[task.front] = true;
    for (Index s = 0; s < plan.supernodes.count(); ++s) {
      const Index t = device.tiled[s];
      if (t == kNone || plan.supernodes.pivots(s) <= least) continue;
      out.blocks += device.block_reuses[t] > 0;
      out.panels += device.panel_reuses[t] > 0;
      out.sums += sums[t] && device.block[s] != -1;
    }
    return out;
  }

  void expect_exact(const ExactSystem& system, const std::shared_ptr<const Plan>& plan,
                    const PartsTrial& trial) {
    auto factor = Factor<Value>::create(plan, this->backend());
    const std::vector<Value> value = this->values(system.a);
    std::mt19937_64 random(1);
    std::vector<double> x(static_cast<std::size_t>(system.a.n()));
    for (double& v : x) v = static_cast<int>(random() % 5) - 2;
    for (int run = 0; run < trial.runs; ++run) {
      ASSERT_TRUE(refactorize<Value>(factor, value).ok());
      for (int k = 0; k < trial.samples; ++k) {
        const auto& row = system.l[random() % system.l.size()];
        const auto& [j, v] = row[random() % row.size()];
        ASSERT_EQ(factor.entry(plan->perm.new_of(row.back().first), plan->perm.new_of(j)),
                  static_cast<Value>(v))
            << row.back().first << " " << j;
      }
      if constexpr (sizeof(Value) == 8) {  // in float, not all block inverses of a solve are exact
        // Every entry of L enters this solve: with exact numbers no other L gives this x.
        auto workspace = Workspace<double>::create(factor, 1);
        std::vector<double> found = product(system.a, x);
        factor.solve({found.data(), system.a.n(), 1, system.a.n()}, workspace);
        ASSERT_EQ(found, x);
      }
    }
  }

  void exact_factors(const PartsTrial& trial) {
    BlockTree tree(trial.pivots, 5);
    for (const bool leaves : {false, true}) {
      const auto system = dense_exact_system(
          leaves ? tree.with_leaves(trial.leaves, trial.depth, trial.below) : tree.rows());
      const auto made = this->plan(system.a.pattern(), OrderingMethod::natural, false);
      const Met found = met(*made, 16);
      EXPECT_GT(found.blocks, 0);
      EXPECT_GT(found.panels, 0);
      EXPECT_EQ(found.sums > 0, leaves);
      for (const Index least : trial.least)
        for (const Index teams : trial.teams)
          for (unsigned pauses = 0; pauses < trial.pauses; ++pauses) {
            SCOPED_TRACE(std::to_string(least) + " pivots, " + std::to_string(teams) +
                         " teams, pauses " + std::to_string(pauses));
            auto other = std::make_shared<Plan>(
                for_teams(*made, teams == 0 ? symbolic::kFewestTeams : teams));
            DeviceHooks::teams(*other) = teams;
            DeviceHooks::pauses(*other) = pauses;
            DeviceHooks::least_part(*other) = least;
            expect_exact(system, other, trial);
            if (this->HasFatalFailure()) return;
          }
    }
  }

  /// Expects that parts change the bits of rounded sums, reproducibly, which shows that parts are
  /// used.
  void are_added_up(const PartsTrial& trial) {
    const auto a = generate(trial.sums);
    const auto made = this->plan(a.pattern(), OrderingMethod::amd);
    std::vector<std::vector<Value>> solutions;
    for (const Index least : {16, 16, 2048}) {
      auto other = std::make_shared<Plan>(for_teams(*made, trial.teams.back()));
      DeviceHooks::teams(*other) = trial.teams.back();
      DeviceHooks::least_part(*other) = least;
      auto factor = Factor<Value>::create(other, this->backend());
      ASSERT_TRUE(refactorize<Value>(factor, this->values(a)).ok());
      solutions.push_back(this->solution(factor));
    }
    EXPECT_EQ(solutions[0], solutions[1]);
    EXPECT_NE(solutions[0], solutions[2]);
  }
};

}  // namespace kauri::test
