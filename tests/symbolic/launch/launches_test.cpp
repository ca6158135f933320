// Tests that launches of a plan's tasks divide its levels, take no longer than they may, and are as
// few as possible.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/launch/launches.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "symbolic/plan/internals.hpp"
#include "tests/support/device/generated_plan.hpp"

namespace kauri::symbolic {
namespace {

using test::generated_plan;

std::vector<double> seconds_of_levels(const DeviceSchedule& device, const DeviceCost& cost) {
  std::vector<double> seconds;
  for (const DeviceWork::Level& level : device.work.tiled)
    seconds.push_back(device_level_seconds(cost, level));
  return seconds;
}

/// Returns the fewest ranges of consecutive levels that take at most `most` each, or are one level,
/// by trying every end of each range.
std::size_t fewest_ranges(const std::vector<double>& seconds, double most) {
  std::vector<std::size_t> ranges{0};  // for the first levels
  for (std::size_t end = 1; end <= seconds.size(); ++end) {
    ranges.push_back(ranges.back() + 1);
    double sum = seconds[end - 1];
    for (std::size_t begin = end - 1; begin-- > 0;) {
      sum += seconds[begin];
      if (sum <= most) ranges[end] = std::min(ranges[end], ranges[begin] + 1);
    }
  }
  return ranges.back();
}

TEST(DeviceLaunches, DivideTheLevels) {
  for (const char* target : {"sm_90", "sm_80"})
    for (const int scalar_bytes : {4, 8}) {
      const auto plan = generated_plan("poisson3d 16", target);
      const DeviceSchedule& device = plan->internals->device;
      const DeviceCost& cost = device_cost(target, scalar_bytes);
      const std::vector<double> seconds = seconds_of_levels(device, cost);
      double all = 0;
      for (const double s : seconds) all += s;
      ASSERT_GE(seconds.size(), 4U);
      for (const double share : {0.0, 0.05, 0.13, 0.3, 0.5, 0.8, 1.01}) {
        SCOPED_TRACE(share);
        const double most = share * all * (1 + 1e-12);
        const std::vector<LaunchRange> ranges = launch_ranges(device, cost, most);
        Index next = 0;
        std::size_t level = 0;
        for (const LaunchRange& range : ranges) {
          EXPECT_EQ(range.first, next);
          const std::size_t before = level;
          double sum = 0;
          while (level < seconds.size() && next < range.end)
            sum += seconds[level], next = device.level_end[level++];
          EXPECT_EQ(next, range.end) << "a range that ends within a level";
          EXPECT_TRUE(sum <= most || level == before + 1);
        }
        EXPECT_EQ(next, static_cast<Index>(device.task.size()));
        EXPECT_EQ(ranges.size(), fewest_ranges(seconds, most));
      }
    }
}

TEST(DeviceLaunches, AreOneWithoutALimit) {
  const auto plan = generated_plan("poisson3d 16");
  const DeviceSchedule& device = plan->internals->device;
  const std::vector<LaunchRange> one{{0, static_cast<Index>(device.task.size())}};
  EXPECT_EQ(launch_ranges(device, device_cost("sm_90"), std::numeric_limits<double>::infinity()),
            one);
}

TEST(DeviceLaunches, AreNoneWithoutTasks) {
  const auto plan = generated_plan("tree 300 1");
  ASSERT_TRUE(plan->internals->device.task.empty());
  EXPECT_TRUE(launch_ranges(plan->internals->device, device_cost("sm_90"), 0).empty());
}

}  // namespace
}  // namespace kauri::symbolic
