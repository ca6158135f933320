// Tests fast solves by few blocks: each block does narrow fronts, small ones and tiles in turn, and
// warps have many fronts. A CUDA device and the emulated one would otherwise have enough blocks to
// give each kind of work its own in systems of this size. One column has the same bits by each
// kernel.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kauri/kauri.hpp"
#include "numeric/cuda/factor/factor.hpp"
#include "numeric/cuda/runtime/transfer/staging.hpp"
#include "numeric/cuda/solve/multi/memory.hpp"
#include "numeric/cuda/solve/workspace.hpp"
#include "symbolic/device/sweep_lists.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/device/device_plans.hpp"
#include "tests/support/systems/graph_families.hpp"
#include "tests/support/systems/near_singular.hpp"

namespace kauri::test {
namespace {

namespace cuda = numeric::cuda;
using Values = std::vector<double>;

OwnedPattern dense_blocks(const std::vector<Index>& orders) {
  EdgeList edges;
  Index first = 0;
  for (const Index order : orders) {
    for (Index u = 0; u < order; ++u)
      for (Index v = 0; v < u; ++v) edges.emplace_back(first + u, first + v);
    first += order;
  }
  return pattern_of(first, std::move(edges));
}

class SweepsOfFewBlocks : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_device()) GTEST_SKIP() << "no CUDA device";
    backend_.emplace(cuda_backend());  // makes the kernels available to the code below
    context_ = {.device = {},
                .heap = &heap_,
                .staging = std::make_shared<cuda::Staging>(),
                .pool = std::make_shared<cuda::ResourcePool>(),
                .kernels = cuda::select_kernels({})};
  }
  /// Solves L L^T x = b, then L y = b and L^T x = b, with at most `blocks` blocks. More than 8
  /// columns are solved by groups of context_.kernels.double_precision.group_columns.
  template <class T>
  std::vector<T> solve(const std::shared_ptr<const Plan>& plan, std::span<const T> value,
                       Index columns, int blocks) {
    cuda::KernelSet<double>& two = context_.kernels.double_precision;
    (columns == 1                             ? single<T>().blocks
     : columns <= 8 || two.group_columns == 8 ? two.group[0].blocks
     : two.group_columns == 16                ? two.group[1].blocks
                                              : two.group[2].blocks) = blocks;
    cuda::CudaFactor<T> factor(std::make_shared<const cuda::DevicePlan>(plan, context_), context_);
    EXPECT_EQ(factor.refactorize(value, 0, numeric::ValuesAre::fresh).status,
              VerdictStatus::positive_definite);
    cuda::CudaWorkspace<T> workspace(plan, columns, context_);
    const Index n = plan->n;
    std::vector<T> b(static_cast<std::size_t>(n) * static_cast<std::size_t>(columns)), all;
    std::mt19937_64 random(7);
    for (T& x : b) x = static_cast<T>(std::uniform_real_distribution<double>(-1, 1)(random));
    for (const numeric::SolveSteps& steps :
         {numeric::SolveSteps{}, numeric::SolveSteps{.backward = false},
          numeric::SolveSteps{.forward = false}}) {
      std::vector<T> x = b;
      factor.solve({x.data(), n, columns, n}, {x.data(), n, columns, n}, workspace, steps);
      all.insert(all.end(), x.begin(), x.end());
    }
    return all;
  }
  /// Expects that the distribution of work over blocks changes no bit. in_float: the matrix is
  /// positive definite in float, too. The emulated device, which is slow, alternates between
  /// systems: one column in double and five, or one in float and eighteen.
  void same_bits(const Pattern& pattern, std::span<const double> value, OrderingMethod method,
                 bool amalgamate, bool in_float = true) {
    const bool slow = backend_->device() == "emulated", odd = turn_++ % 2 == 1;
    const auto plan = plan_of(pattern, method, amalgamate);
    ASSERT_GT(plan->internals->device.sweeps.bytes, 0);
    if (!slow || !odd) of_one_and_five(plan, value, slow);
    if (!slow || odd) of_one_float_and_eighteen(plan, value, slow, in_float);
  }
  void of_one_and_five(const std::shared_ptr<const Plan>& plan, std::span<const double> value,
                       bool slow) {
    same_bits_by_each_kernel<double>(plan, value, slow);
    if (context_.kernels.double_precision.together == 1) return;
    const Values of_5 = solve<double>(plan, value, 5, cuda::multi_blocks<8>());
    for (const int blocks : slow ? std::vector{2} : std::vector{1, 2, 5})
      EXPECT_TRUE(solve<double>(plan, value, 5, blocks) == of_5) << blocks << " blocks";
  }
  void of_one_float_and_eighteen(const std::shared_ptr<const Plan>& plan,
                                 std::span<const double> value, bool slow, bool in_float) {
    if (in_float) same_bits_by_each_kernel<float>(plan, cast<float>(value), slow);
    if (context_.kernels.double_precision.together == 1) return;
    // The columns go to three groups of 8, two of 16, or one of 32; on the emulated device systems
    // take turns here, too.
    for (const int team : slow ? std::vector{8 << (turn_ / 2 % 3)} : std::vector{8, 16, 32}) {
      context_.kernels.double_precision.group_columns = team;
      const int all = team == 8    ? cuda::multi_blocks<8>()
                      : team == 16 ? cuda::multi_blocks<16>()
                                   : cuda::multi_blocks<32>();
      const Values of_18 = solve<double>(plan, value, 18, all);
      for (const int blocks : slow ? std::vector{3} : std::vector{32 / team, 3, 5})
        EXPECT_TRUE(solve<double>(plan, value, 18, blocks) == of_18)
            << blocks << " blocks, teams of " << team;
    }
  }

  template <class T>
  cuda::SingleKernel<T>& single() {
    if constexpr (sizeof(T) == 4)
      return context_.kernels.single_precision.single;
    else
      return context_.kernels.double_precision.single;
  }
  /// Expects the bits that the portable kernel gives by all blocks from any number of blocks, and
  /// from Hopper's kernel if the device runs it. L is the same, since the kernels of fronts are.
  template <class T>
  void same_bits_by_each_kernel(const std::shared_ptr<const Plan>& plan, std::span<const T> value,
                                bool slow) {
    const cuda::SingleKernel<T> chosen = single<T>(),
                                portable{cuda::sweep_blocks<T, cuda::AsyncLoads>(),
                                         cuda::enqueue_sweeps<T, cuda::AsyncLoads>},
                                hopper{cuda::sweep_blocks<T, cuda::BulkLoads>(),
                                       cuda::enqueue_sweeps<T, cuda::BulkLoads>};
    single<T>() = portable;
    const std::vector<T> expected = solve<T>(plan, value, 1, portable.blocks);
    const auto expect = [&](std::vector<int> some, const char* what) {
      for (const int blocks : some)
        EXPECT_TRUE(solve<T>(plan, value, 1, blocks) == expected)
            << blocks << " blocks, " << what << ", " << sizeof(T) << " bytes";
    };
    expect(slow ? std::vector{2} : std::vector{1, 2, 3, 7}, "portable");
    single<T>() = hopper;
    if (hopper.blocks > 0)
      expect(slow ? std::vector{1, 3} : std::vector{1, 2, 3, 7, hopper.blocks}, "Hopper's");
    single<T>() = chosen;
  }

  std::optional<Backend> backend_;
  cuda::DeviceHeap heap_{};
  cuda::DeviceContext context_;
  unsigned turn_ = 0;
};

TEST_F(SweepsOfFewBlocks, ManyFrontsOfEachKind) {
  const bool slow = backend_->device() == "emulated";
  for (const char* spec :
       slow ? std::vector{"poisson2d 25", "poisson3d 6", "rgg3d 150 8 1", "blockdiag 450 30",
                          "blockdiag 420 60", "blockdiag 400 130"}
            : std::vector{"poisson2d 40", "poisson3d 8", "rgg3d 300 8 1", "blockdiag 900 30",
                          "blockdiag 900 60", "blockdiag 400 130"}) {
    SCOPED_TRACE(spec);
    const auto a = generate(spec);
    same_bits(a.pattern(), a.value(), OrderingMethod::amd, true);
  }
  for (const char* spec : {"poisson2d 7", "elast3d 4"}) {  // a path of fronts
    SCOPED_TRACE(spec);
    const auto a = generate(spec);
    same_bits(a.pattern(), a.value(), OrderingMethod::natural, false);
  }
}

/// The fronts are so few that each kind of work would have its own blocks, but none would be left
/// for tiles.
TEST_F(SweepsOfFewBlocks, FewFrontsOfEachKind) {
  for (const std::vector<Index>& orders :
       {std::vector<Index>{130}, std::vector<Index>{10, 130}, std::vector<Index>{50, 130},
        std::vector<Index>{10, 50, 130}, std::vector<Index>{10, 50, 50, 50, 50, 130}}) {
    SCOPED_TRACE(orders.size());
    const auto pattern = dense_blocks(orders);
    same_bits(pattern.view(), random_dominant<double>(pattern.view(), 3), OrderingMethod::natural,
              false);
  }
}

TEST_F(SweepsOfFewBlocks, TasksOfEachKind) {
  std::vector<std::vector<Index>> fronts = {{30, 30, 100}, {20, 60, 850, 130}};
  if (backend_->device() == "emulated")
    fronts.push_back(fronts.back());  // runs both turns: sums in parts
  for (const std::vector<Index>& parts : fronts) {
    SCOPED_TRACE(parts.size());
    const auto dense = near_singular({"", parts}, 1);
    const Values value = random_dominant<double>(dense.pattern(), 3);
    same_bits(dense.pattern(), value, OrderingMethod::natural, false);
  }
  const auto hubs = hubs_and_cube(2000, 4, 5);
  same_bits(hubs.view(), random_dominant<double>(hubs.view(), 3), OrderingMethod::amd, false);
  const auto corrected = near_singular({"", {130, 90}}, 1);
  same_bits(corrected.pattern(), corrected.value(), OrderingMethod::natural, false, false);
}

}  // namespace
}  // namespace kauri::test
