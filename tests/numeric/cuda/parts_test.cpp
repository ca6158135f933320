// Products added up in parts (change_sums of numeric/cuda/kernels/update.cuh), on fronts of some hundred pivots by parts of few: the exact
// factor comes back bit for bit, however it is divided, by any number of teams, with pauses, where memory is used again.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "symbolic/front_tasks.hpp"
#include "tests/support/block_tree.hpp"
#include "tests/support/cuda_ways.hpp"
#include "tests/support/device_plans.hpp"

namespace kauri::test {
namespace {

class Parts : public OnCuda<Way<double, CudaLoops::hopper>> {
 protected:
  /// Tiled fronts of more pivots than `least` whose block, whose panel waits for memory; that have sums.
  struct Met {
    int blocks = 0, panels = 0, sums = 0;
  };
  static Met met(const Plan& plan, Index least) {
    Met out;
    const DeviceSchedule& device = plan.device;
    std::vector<bool> sums(device.panel_reuses.size(), false);
    for (const DeviceTask& task : device.task)
      if (task.kind == DeviceTask::Kind::sum) sums[task.front] = true;
    for (Index s = 0; s < plan.supernodes.count(); ++s) {
      const Index t = device.tiled[s];
      if (t == kNone || plan.supernodes.pivots(s) <= least) continue;
      out.blocks += device.block_reuses[t] > 0;
      out.panels += device.panel_reuses[t] > 0;
      out.sums += sums[t] && device.block[s] != -1;
    }
    return out;
  }

  void expect_exact(const ExactSystem& system, const std::shared_ptr<const Plan>& plan) {
    auto factor = Factor<double>::create(plan, backend());
    std::mt19937_64 random(1);
    std::vector<double> x(static_cast<std::size_t>(system.a.n()));
    for (double& v : x) v = static_cast<int>(random() % 5) - 2;
    for (int run = 0; run < 3; ++run) {
      ASSERT_TRUE(refactorize<double>(factor, system.a.value()).ok());
      for (int k = 0; k < 300; ++k) {
        const auto& row = system.l[random() % system.l.size()];
        const auto& [j, v] = row[random() % row.size()];
        ASSERT_EQ(factor.entry(plan->perm.new_of(row.back().first), plan->perm.new_of(j)), static_cast<double>(v))
            << row.back().first << " " << j;
      }
      // Every entry of L is in what follows: in exact numbers no other L gives this x.
      auto workspace = Workspace<double>::create(factor, 1);
      std::vector<double> found = product(system.a, x);
      factor.solve({found.data(), system.a.n(), 1, system.a.n()}, workspace);
      ASSERT_EQ(found, x);
    }
  }
};

TEST_F(Parts, ExactFactors) {
  BlockTree tree({330, 200, 130, 90}, 5);
  for (const bool leaves : {false, true}) {
    const auto system = dense_exact_system(leaves ? tree.with_leaves(300, 2, 20) : tree.rows());
    const auto made = plan(system.a.pattern(), OrderingMethod::natural, false);
    const Met found = met(*made, 16);
    EXPECT_GT(found.blocks, 0);
    EXPECT_GT(found.panels, 0);
    EXPECT_EQ(found.sums > 0, leaves);
    for (const Index least : {16, 32, 48, 80, 160, DeviceSchedule::kLeastPart})
      for (const Index teams : {0, 4, 10})
        for (const unsigned pauses : {0U, 1U, 2U}) {
          SCOPED_TRACE(std::to_string(least) + " pivots, " + std::to_string(teams) + " teams, pauses " + std::to_string(pauses));
          auto other = std::make_shared<Plan>(for_teams(*made, teams == 0 ? symbolic::kFewestTeams : teams));
          other->device.teams = teams;
          other->device.pauses = pauses;
          other->device.least_part = least;
          expect_exact(system, other);
          if (HasFatalFailure()) return;
        }
  }
}

/// Parts are other sums: numbers that are rounded come out otherwise, though the same each time. So parts are made indeed.
TEST_F(Parts, AreAddedUp) {
  const auto a = generate("poisson3d 16");
  const auto made = plan(a.pattern(), OrderingMethod::amd);
  std::vector<std::vector<double>> solutions;
  for (const Index least : {16, 16, 2048}) {
    auto other = std::make_shared<Plan>(*made);
    other->device.least_part = least;
    auto factor = Factor<double>::create(other, backend());
    ASSERT_TRUE(refactorize<double>(factor, a.value()).ok());
    solutions.push_back(solution(factor));
  }
  EXPECT_EQ(solutions[0], solutions[1]);
  EXPECT_NE(solutions[0], solutions[2]);
}

}  // namespace
}  // namespace kauri::test
