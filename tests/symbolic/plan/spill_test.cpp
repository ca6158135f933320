// Tests plans for a device with a limit of memory: bytes within the limit, places without flaws,
// and the same tasks as without a limit.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/plan/spill.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "kauri/core/analysis.hpp"
#include "kauri/extras/generate.hpp"
#include "symbolic/check/find_flaw.hpp"
#include "symbolic/plan/internals.hpp"
#include "tests/support/process/error_text.hpp"

namespace kauri::test {
namespace {

using symbolic::DeviceSchedule;

AnalyzeOptions options_for_device() {
  AnalyzeOptions options;
  options.target = "sm_90";
  options.workers = 1;
  options.ordering.method = OrderingMethod::nested_dissection;
  return options;
}

std::shared_ptr<const Plan> plan_within(const std::string& system, Offset device_bytes) {
  AnalyzeOptions options = options_for_device();
  options.device_bytes = device_bytes;
  return analyze(generate(system).pattern(), options);
}

class Spill : public testing::TestWithParam<const char*> {};

TEST_P(Spill, KeepsTheLimit) {
  const auto in_core = plan_within(GetParam(), 0);
  const DeviceSchedule& core = in_core->internals->device;
  EXPECT_TRUE(core.segment.empty());
  EXPECT_EQ(in_core->host_bytes(8), 0);
  const Offset all = in_core->peak_bytes(8), least = symbolic::least_device_bytes(*in_core, 8);
  ASSERT_LT(least, all);
  for (const Offset limit :
       {all - 1, all - (all - least) / 4, (all + least) / 2, least + (all - least) / 8, least}) {
    SCOPED_TRACE(limit);
    const auto plan = plan_within(GetParam(), limit);
    EXPECT_LE(plan->peak_bytes(8), limit);
    EXPECT_EQ(find_flaw(*plan), "");
    const DeviceSchedule& device = plan->internals->device;
    EXPECT_GE(device.segment.size(), 1U);
    EXPECT_EQ(device.task.size(), core.task.size());
    EXPECT_EQ(device.sums.place.size(), core.sums.place.size());
    EXPECT_EQ(device.factor_entries, core.factor_entries);
    EXPECT_EQ(plan->factor_bytes(8), in_core->factor_bytes(8));
    EXPECT_LE(device.host_entries, device.factor_entries);
    EXPECT_GT(device.host_entries, 0);
  }
  const std::string text =
      error_text(ErrorKind::memory, [&] { (void)plan_within(GetParam(), least - 1); });
  EXPECT_EQ(text, "device_bytes is " + std::to_string(least - 1) + ", but the plan takes " +
                      std::to_string(all) + " bytes of device memory with all of L there, and " +
                      std::to_string(least) + " with as little of it there as possible");
}

INSTANTIATE_TEST_SUITE_P(Systems, Spill,
                         testing::Values("poisson3d 22", "elast3d 10", "poisson2d 150",
                                         "lap27 18"));

TEST(SpilledPlans, OfACpuHaveNoLimit) {
  AnalyzeOptions options;
  options.device_bytes = 1;
  EXPECT_EQ(analyze(generate("poisson2d 20").pattern(), options)->host_bytes(8), 0);
}

}  // namespace
}  // namespace kauri::test
