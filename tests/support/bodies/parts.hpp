// Products added up in parts (change_sums of numeric/cuda/factor/tiled/update.cuh, and the portable
// loops' own), on fronts of some hundred pivots by parts of few: the exact factor comes back bit
// for bit, however it is divided, by any number of teams, with pauses, where memory is used again.
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

/// What is tried: trees of blocks, without and with leaves, and for each all of these together.
struct PartsTrial {
  std::vector<Index> pivots;  // of the blocks, by depth
  Index leaves;
  std::size_t depth;  // of the blocks that the leaves are below
  Index below;        // entries of a leaf
  std::vector<Index> least, teams;
  unsigned pauses;  // kinds of them
  int runs, samples;
  std::string sums;  // a system of which the parts make other bits
};

template <class W>
class Parts : public OnCuda<W> {
 protected:
  using Value = typename OnCuda<W>::Value;

  /// Tiled fronts of more pivots than `least` whose block, whose panel waits for memory; that have
  /// sums.
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
      if constexpr (sizeof(Value) == 8) {  // in float not all inverses of blocks that a solve
                                           // multiplies by are exact
        // Every entry of L is in what follows: in exact numbers no other L gives this x.
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

  /// Parts are other sums: numbers that are rounded come out otherwise, though the same each time.
  /// So parts are made indeed.
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
