// Tests which kernels of a set factors of a plan get, and refusals, on a CUDA device and on the
// emulated one.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/plan/kernel_set.hpp"

#include <gtest/gtest.h>

#include "kauri/kauri.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/device/device_plans.hpp"
#include "tests/support/process/error_text.hpp"

namespace kauri::numeric::cuda {
namespace {

using test::DeviceHooks;

/// Kernels as a device of 132 multiprocessors has them.
KernelSet<double> hopper_kernels() {
  KernelSet<double> set;
  set.tiled = {CudaCompute::hopper, 264, false, 2, nullptr};
  set.single.blocks = 132;
  return set;
}

TEST(KernelSets, ArePassedOnWithoutHooks) {
  Plan plan = test::sound_plan();
  plan.internals->device.useful_teams = plan.internals->device.useful_blocks = 0;
  const KernelSet<double> set = hopper_kernels().for_factors_of(plan);
  EXPECT_EQ(set.tiled.teams, 264);
  EXPECT_EQ(set.tiled.compute, CudaCompute::hopper);
  EXPECT_EQ(set.single.blocks, 132);
  EXPECT_TRUE(set.runs_sweeps(plan));
}

/// As many factors as fit side by side get equal shares.
TEST(KernelSets, TakeThePartOfTheDeviceThatAPlanCanUse) {
  Plan plan = test::for_teams(test::sound_plan(), 8);
  const auto teams_of = [&](Index useful) {
    plan.internals->device.useful_teams = useful;
    return hopper_kernels().for_factors_of(plan).tiled.teams;
  };
  EXPECT_EQ(teams_of(80), 88);
  EXPECT_EQ(teams_of(136), 264);
  EXPECT_EQ(teams_of(8), 8);
  DeviceHooks::teams(plan) = 10;  // given by a test
  EXPECT_EQ(teams_of(80), 10);
  DeviceHooks::teams(plan) = 0;
  plan.internals->device.useful_blocks = 44;
  EXPECT_EQ(hopper_kernels().for_factors_of(plan).single.blocks, 44);
  KernelSets both;
  both.double_precision = hopper_kernels();
  EXPECT_EQ(both.task_teams(plan), 264 / (264 / 80) / 2 * 2);
  both.single_precision.tiled.teams = 44;
  EXPECT_EQ(both.task_teams(plan), 44);
}

TEST(KernelSets, AreTheFallbackByLevels) {
  Plan plan = test::sound_plan();
  DeviceHooks::by_level(plan) = true;
  KernelSet<double> refused = hopper_kernels();
  refused.refusal = "never read";
  const KernelSet<double> set = refused.for_factors_of(plan);
  EXPECT_EQ(set.tiled.teams, 0);
  EXPECT_STREQ(set.name(), "levels");
  EXPECT_FALSE(set.runs_sweeps(plan));
  EXPECT_EQ(refused.own_bytes(plan), plan.peak_bytes(sizeof(double)) - plan.prepared_bytes());
}

TEST(KernelSets, AreRefused) {
  KernelSet<double> set = hopper_kernels();
  set.refusal = "no kernels";
  const auto refusal = [&] { (void)set.for_factors_of(test::sound_plan()); };
  EXPECT_EQ(test::error_text(ErrorKind::usage, refusal), "no kernels");
}

TEST(KernelSets, RunTasksByNoFewerTeamsThanThoseWereMadeFor) {
  Plan plan = test::for_teams(test::sound_plan(), 8);
  DeviceHooks::teams(plan) = 10;
  EXPECT_EQ(hopper_kernels().for_factors_of(plan).tiled.teams, 10);
  DeviceHooks::teams(plan) = 1000;
  EXPECT_EQ(hopper_kernels().for_factors_of(plan).tiled.teams, 264);
  for (const Index teams : {6, 9}) {  // too few; no multiple of the teams of a block
    DeviceHooks::teams(plan) = teams;
    const auto fewer = [&] { (void)hopper_kernels().for_factors_of(plan); };
    EXPECT_EQ(test::error_text(ErrorKind::usage, fewer),
              "a device's tasks made for 8 teams, to be run by " + std::to_string(teams) +
                  "; analyse for the device that runs them");
  }
}

TEST(KernelSets, OfDoubleAloneRefuseFloat) {
  if (!test::has_device()) GTEST_SKIP() << "no CUDA device";
  Backend backend =
      cuda_backend(CudaOptions{.device = 0, .allocator = {}, .compute = CudaCompute::tensor});
  const auto a = generate("poisson3d 12");
  AnalyzeOptions options;
  options.ordering.method = OrderingMethod::amd;
  options.target = backend.target();
  const auto plan = analyze(a.pattern(), options);
  EXPECT_EQ(test::error_text(ErrorKind::usage, [&] { (void)Factor<float>::create(plan, backend); }),
            "the kernels for FP64 tensor cores are for double only; choose another CudaCompute");
  auto factor = Factor<double>::create(plan, backend);
  EXPECT_TRUE(refactorize<double>(factor, a.value()).ok());
}

}  // namespace
}  // namespace kauri::numeric::cuda
