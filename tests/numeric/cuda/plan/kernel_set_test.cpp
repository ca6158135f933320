// Tests which kernels of a set factors of a plan get, and refusals, on a CUDA device and on the
// emulated one.
// SPDX-License-Identifier: BSD-3-Clause
#include "numeric/cuda/plan/kernel_set.hpp"

#include <gtest/gtest.h>

#include "kauri/kauri.hpp"
#include "numeric/cuda/runtime/availability.hpp"
#include "numeric/cuda/solve/multi/memory.hpp"
#include "numeric/cuda/solve/single/memory.hpp"
#include "symbolic/common/device_units.hpp"
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
  EXPECT_EQ(teams_of(8), 66);
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

/// A device with few multiprocessors is shared, too; and none is in double where double is slow.
TEST(KernelSets, TakeAQuarterOfASmallDeviceOrAllOfASlowOne) {
  Plan plan = test::for_teams(test::sound_plan(), 64);
  plan.internals->device.useful_teams = 8;
  KernelSet<double> set;
  set.tiled = {CudaCompute::fma, 68, false, 1, nullptr};
  EXPECT_EQ(set.for_factors_of(plan).tiled.teams, 68 / 4);
  set.tiled.shares = false;
  EXPECT_EQ(set.for_factors_of(plan).tiled.teams, 68);
  DeviceHooks::teams(plan) = 64;
  EXPECT_EQ(set.for_factors_of(plan).tiled.teams, 64);
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

/// Returns stand-ins for kernels of small fronts, which are never called.
SmallKernels<double> some_small_kernels() {
  SmallKernels<double> some;
  some.enqueue = [](const GatheredFront<double>*, Index, Index, const PlanView&,
                    const FactorMemory<double>&, int*, int*, cudaStream_t) { return cudaSuccess; };
  return some;
}

/// A factor allocates no arrays for kernels that do not run.
TEST(KernelSets, CountTheBytesOfTheirFactors) {
  const Plan& plan = test::sound_plan();
  const symbolic::DeviceSchedule& device = plan.internals->device;
  const Offset all = plan.peak_bytes(sizeof(double)) - plan.prepared_bytes(),
               of_small = device.fast_bytes - device.task_bytes,
               of_tiled = device.task_bytes - device.shared_bytes;
  ASSERT_TRUE(of_small > 0 && of_tiled > 0);
  KernelSet<double> set = hopper_kernels();
  EXPECT_EQ(set.own_bytes(plan), all - of_small);
  set.small = some_small_kernels();
  EXPECT_EQ(set.own_bytes(plan), all);
  set.tiled = {};
  EXPECT_EQ(set.own_bytes(plan), all - of_tiled);
}

TEST(KernelSets, AreRefused) {
  KernelSet<double> set = hopper_kernels();
  set.refusal = "no kernels";
  const auto refusal = [&] { (void)set.for_factors_of(test::sound_plan()); };
  EXPECT_EQ(test::error_text(ErrorKind::usage, refusal), "no kernels");
}

// The kernels below are those of the whole device, whatever KAURI_TEST_MULTIPROCESSORS says: the
// numbers of their blocks are compared with what the whole device holds.

TEST(KernelSets, SolveOneColumnByHoppersKernelUnlessThePortableOneIsAskedFor) {
  if (!test::has_device()) GTEST_SKIP() << "no CUDA device";
  const auto chosen = [](const CudaOptions& options) {
    return select_kernels(options).double_precision.single;
  };
  const SingleKernel<double> own = chosen({}), portable = chosen({.portable = true});
  EXPECT_GT(portable.blocks, 0);
  EXPECT_TRUE((portable.enqueue == enqueue_sweeps<double, double, AsyncLoads>));
  const int of_hopper = sweep_blocks<double, double, BulkLoads>();
  EXPECT_EQ((own.enqueue == enqueue_sweeps<double, double, BulkLoads>), of_hopper > 0);
  EXPECT_EQ(own.blocks, of_hopper > 0 ? of_hopper : portable.blocks);
  EXPECT_EQ(chosen({.fast_solve = false, .portable = true}).blocks, 0);
}

bool has_fast_fp64() {
  const DeviceCard card = card_of(0);
  return symbolic::has_fast_tensor_cores(card.major, card.minor) &&
         !symbolic::has_slow_double(card);
}

/// Portable kernels solve floats in double where FP64 is fast, unless multiply-adds are asked for.
/// Batches choose alike.
TEST(KernelSets, SolveOneColumnOfFloatsInFloatWhereFp64IsSlowOrMultiplyAddsAreAskedFor) {
  if (!test::has_device()) GTEST_SKIP() << "no CUDA device";
  const auto is_in_float = [](const CudaOptions& options) {
    const KernelSet<float> set = select_kernels(options).single_precision;
    EXPECT_GT(set.single.blocks, 0);
    EXPECT_EQ(set.single.enqueue == nullptr, set.single.enqueue_in_float != nullptr);
    EXPECT_EQ(set.sums_in_double, set.single.enqueue != nullptr);
    for (const GroupKernel<float>& group : set.group)
      EXPECT_EQ(group.enqueue_in_float != nullptr, set.single.enqueue_in_float != nullptr);
    return set.single.enqueue_in_float == enqueue_sweeps<float, float, AsyncLoads>;
  };
  const bool no_hopper = (sweep_blocks<float, double, BulkLoads>()) == 0;
  EXPECT_TRUE(is_in_float({.compute = CudaCompute::fma, .portable = true}));
  EXPECT_EQ(is_in_float({.portable = true}), !has_fast_fp64());
  EXPECT_EQ(is_in_float({.compute = CudaCompute::fma}), no_hopper || !has_fast_fp64());
  EXPECT_EQ(is_in_float({}), !has_fast_fp64());
}

/// Checks which kernel solves groups of kWidth columns of T.
template <class T, int kWidth>
void check_groups(std::size_t number) {
  using enum SweepProducts;
  const auto chosen = [&](const CudaOptions& options) {
    return select_kernels(options).of<T>().group[number];
  };
  const int of_hopper = multi_blocks<T, kWidth, hopper>();
  const GroupKernel<T> own = chosen({}),
                       tensor_cores = chosen({.compute = CudaCompute::tensor, .portable = true}),
                       multiply_adds = chosen({.compute = CudaCompute::fma, .portable = true});
  const auto is = [](const GroupKernel<T>& a, const GroupKernel<T>& b) {
    return a.enqueue == b.enqueue && a.enqueue_in_float == b.enqueue_in_float;
  };
  EXPECT_EQ(is(own, multi_kernel<T, kWidth, hopper>(1)),
            of_hopper > 0 && (sizeof(T) == sizeof(double) || has_fast_fp64()));
  EXPECT_TRUE(is(tensor_cores, multi_kernel<T, kWidth, tensor>(1)));
  EXPECT_TRUE(is(multiply_adds, multi_kernel<T, kWidth, fma>(1)));
  EXPECT_EQ(multiply_adds.enqueue == nullptr, sizeof(T) == sizeof(float));
  EXPECT_GT(tensor_cores.blocks, 0);
  EXPECT_GT(multiply_adds.blocks, 0);
  EXPECT_EQ(chosen({.solves_together = 1}).blocks, 0);
}

TEST(KernelSets, SolveGroupsOfColumnsByTheArithmeticAskedFor) {
  if (!test::has_device()) GTEST_SKIP() << "no CUDA device";
  check_groups<double, 8>(0), check_groups<double, 16>(1), check_groups<double, 32>(2);
  check_groups<float, 8>(0), check_groups<float, 16>(1), check_groups<float, 32>(2);
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

/// Returns the solution of a system of small and tiled fronts by the kernels of `options`, which
/// ask for no sweeps.
template <class T>
std::vector<T> solution_by(const CudaOptions& options) {
  Backend backend = cuda_backend(options);
  const auto a = generate("poisson2d 40");
  AnalyzeOptions analyze_options;
  analyze_options.ordering.method = OrderingMethod::amd;
  analyze_options.target = backend.target();
  const auto plan = analyze(a.pattern(), analyze_options);
  auto factor = Factor<T>::create(plan, backend);
  EXPECT_EQ(backend.bytes_in_use(),
            plan->peak_bytes(sizeof(T)) - plan->internals->device.sweeps.bytes);
  EXPECT_TRUE(refactorize<T>(factor, test::cast<T>(a.value())).ok());
  std::vector<T> x(static_cast<std::size_t>(plan->n), T(1));
  auto workspace = Workspace<T>::create(factor, 1);
  factor.solve({x.data(), plan->n, 1, plan->n}, workspace);
  return x;
}

/// A backend that is asked for portable kernels runs those of a device without others: in double,
/// on a device with FP64 tensor cores, the kernels of CudaCompute::tensor.
TEST(KernelSets, ArePortable) {
  if (!test::has_device()) GTEST_SKIP() << "no CUDA device";
  CudaOptions portable{.device = 0, .allocator = {}}, same = portable;
  portable.portable = true;
  portable.fast_solve = same.fast_solve = false;
  same.compute = CudaCompute::tensor;
  const std::string name = cuda_backend(portable).kernels(8);
  EXPECT_NE(name, "hopper");
  if (name != "tensor") GTEST_SKIP() << "no fast FP64 tensor cores";
  EXPECT_EQ(solution_by<double>(portable), solution_by<double>(same));
  same.compute = CudaCompute::fma, portable.compute = CudaCompute::fma;
  EXPECT_EQ(solution_by<double>(portable), solution_by<double>(same));
  EXPECT_EQ(solution_by<float>(portable), solution_by<float>(same));
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
