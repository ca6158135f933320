// Tests which part of a device plans use: the fewest teams and blocks that the predictions allow,
// and all of it for large systems.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/launch/useful_teams.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "symbolic/device/front_tasks.hpp"
#include "symbolic/plan/internals.hpp"
#include "tests/support/device/generated_plan.hpp"

namespace kauri::symbolic {
namespace {

using test::generated_plan;

const char* const kSpecs[] = {"poisson3d 8", "poisson3d 20", "poisson2d 60", "elast3d 6",
                              "tree 3000 1"};

TEST(UsefulTeams, MoreAreNeverSlower) {
  for (const char* target : {"sm_90", "sm_80"})
    for (const char* spec : kSpecs)
      for (const int scalar_bytes : {4, 8}) {
        const auto plan = generated_plan(spec, target);
        const DeviceCost& cost = device_cost(target, scalar_bytes);
        double before = 0;
        for (Index teams = 2 * cost.processors; teams > 0; --teams) {
          const double seconds =
              seconds_by_teams(plan->supernodes, plan->internals->device, cost, teams);
          ASSERT_GE(seconds, before) << spec << ", " << teams;
          before = seconds;
        }
      }
}

/// A number that a plan has keeps what may be lost; eight teams fewer, if allowed, lose more.
TEST(UsefulTeams, AreTheFewest) {
  int limited = 0;
  for (const char* target : {"sm_90", "sm_80"})
    for (const char* spec : kSpecs) {
      SCOPED_TRACE(spec);
      const auto plan = generated_plan(spec, target);
      const DeviceSchedule& device = plan->internals->device;
      const auto lost = [&](int scalar_bytes, Index teams) {
        const DeviceCost& cost = device_cost(target, scalar_bytes);
        return (seconds_by_teams(plan->supernodes, device, cost, teams) -
                seconds_by_teams(plan->supernodes, device, cost, 2 * cost.processors)) /
               device_factor_seconds(cost, device.work);
      };
      const Index teams = device.useful_teams;
      EXPECT_EQ(teams % 8, 0);
      EXPECT_EQ(device.task_teams, device.task.empty() ? 0
                                   : teams > 0         ? std::max(teams, kLeastTeams)
                                                       : kFewestTeams);
      if (teams == 0) continue;
      ++limited;
      EXPECT_LE(std::max(lost(4, teams), lost(8, teams)), kMostLost);
      EXPECT_GE(teams, 8);
      if (teams > 8) {
        EXPECT_GT(std::max(lost(4, teams - 8), lost(8, teams - 8)), kMostLost);
      }
    }
  EXPECT_GT(limited, 5);
}

/// Four factors of a system of this size run side by side at least three at a time; a large system
/// takes the whole device, and a solve of a small one a part of it.
TEST(UsefulTeams, BySize) {
  const auto device = [](const char* spec) {
    return generated_plan(spec, "sm_90", OrderingMethod::nested_dissection)->internals->device;
  };
  const DeviceSchedule tiny = device("poisson3d 8"), small = device("poisson3d 20"),
                       large = device("poisson3d 40");
  EXPECT_GT(small.useful_teams, tiny.useful_teams);
  EXPECT_GE(264 / small.useful_teams, 3);
  EXPECT_EQ(large.useful_teams, 0);
  EXPECT_LT(tiny.useful_teams, kLeastTeams);
  EXPECT_GE(tiny.useful_blocks, 4);
  EXPECT_LE(tiny.useful_blocks, 66);
  EXPECT_EQ(large.useful_blocks, 0);
}

/// Blocks of a solve lose no more than allowed by the terms of the prediction that all
/// multiprocessors share.
TEST(UsefulTeams, BlocksOfSolves) {
  DeviceWork work;
  work.narrow = {200, 4, 0};
  work.small = {50, 3, 0};
  const DeviceCost& cost = device_cost("sm_90");
  const Index blocks = useful_blocks(work, "sm_90");
  ASSERT_GT(blocks, 4);
  const double shared = 200 * cost.sweep_narrow_front_s + 50 * cost.sweep_small_front_s,
               all = device_solve_seconds(cost, work, 0);
  EXPECT_LE(shared * (132.0 / blocks - 1), kMostLost * all);
  EXPECT_GT(shared * (132.0 / (blocks - 4) - 1), kMostLost * all);
  EXPECT_GT(useful_blocks(work, "sm_80"), 0);
  work.narrow.fronts = 100'000;
  EXPECT_EQ(useful_blocks(work, "sm_90"), 0);
}

TEST(UsefulTeams, EqualShares) {
  EXPECT_EQ(share_of(264, 80, 64, 2), 88);
  EXPECT_EQ(share_of(264, 0, 64, 2), 264);
  EXPECT_EQ(share_of(264, 132, 64, 2), 132);
  EXPECT_EQ(share_of(264, 136, 64, 2), 264);
  EXPECT_EQ(share_of(228, 8, 64, 2), 76);
  EXPECT_EQ(share_of(0, 32, 0, 2), 0);
  EXPECT_EQ(share_of(30, 0, 0, 1), 30);
  for (int all = 4; all < 400; all += 2)
    for (Index useful = 8; useful <= 136; useful += 8) {
      const Index least = least_teams(all), each = std::max(useful, least);
      const int share = share_of(all, useful, least, 2);
      ASSERT_EQ(share % 2, 0);
      ASSERT_GE(share, std::min<int>(all, each));
      ASSERT_LE(share, all);
      ASSERT_EQ(all / share, std::max(1, all / each)) << all << " " << useful;
    }
}

/// Small factors share small devices, too: 40 multiprocessors with two teams each, 68 with one. The
/// smallest parts of whole Hopper cards have 64 teams or 32 blocks.
TEST(UsefulTeams, SmallDevicesAreShared) {
  for (const int all : {228, 264}) EXPECT_EQ(least_teams(all), kLeastTeams);
  for (const int all : {114, 132, 228, 396}) EXPECT_EQ(least_blocks(all), 32);
  EXPECT_EQ(least_teams(80), 16);
  EXPECT_EQ(share_of(80, 8, least_teams(80), 1), 16);
  EXPECT_EQ(share_of(68, 24, least_teams(68), 1), 34);
  EXPECT_EQ(least_blocks(68), 16);
  EXPECT_EQ(share_of(16, 8, least_teams(16), 1), 8);
}

}  // namespace
}  // namespace kauri::symbolic
