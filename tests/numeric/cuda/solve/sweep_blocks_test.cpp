// Tests fast solves by few blocks: each block does narrow fronts, small ones and tiles in turn, and
// warps have many fronts. A CUDA device and the emulated one would otherwise have enough blocks to
// give each kind of work its own in systems of this size. One column has the same bits by each
// kernel, several columns the same numbers up to rounding.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
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
    // The kernels of the whole device, whatever KAURI_TEST_MULTIPROCESSORS says: tests set the
    // number of blocks themselves.
    context_ = {.device = {},
                .heap = &heap_,
                .staging = std::make_shared<cuda::Staging>(),
                .pool = std::make_shared<cuda::ResourcePool>(),
                .kernels = cuda::select_kernels({})};
  }
  /// Solves L L^T x = b, then L y = b and L^T x = b, with at most `blocks` blocks. More than 8
  /// columns are solved by groups of set<T>().group_columns.
  template <class T>
  std::vector<T> solve(const std::shared_ptr<const Plan>& plan, std::span<const T> value,
                       Index columns, int blocks) {
    (columns == 1 ? set<T>().single.blocks : group<T>(columns).blocks) = blocks;
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
    if (!slow || !odd) of_one_and_five(plan, value, slow, in_float);
    if (!slow || odd) of_one_float_and_eighteen(plan, value, slow, in_float);
  }
  void of_one_and_five(const std::shared_ptr<const Plan>& plan, std::span<const double> value,
                       bool slow, bool in_float) {
    same_bits_by_each_kernel<double>(plan, value, slow);
    same_numbers_by_each_kernel<double>(plan, value, 5, 8, slow, in_float);
  }
  void of_one_float_and_eighteen(const std::shared_ptr<const Plan>& plan,
                                 std::span<const double> value, bool slow, bool in_float) {
    if (in_float) same_bits_by_each_kernel<float>(plan, cast<float>(value), slow);
    // The columns go to three groups of 8, two of 16, or one of 32; on the emulated device systems
    // take turns here, too.
    for (const int team : slow ? std::vector{8 << (turn_ / 2 % 3)} : std::vector{8, 16, 32}) {
      if (in_float && (!slow || turn_ % 4 == 0))
        same_numbers_by_each_kernel<float>(plan, cast<float>(value), 18, team, slow, true);
      else
        same_numbers_by_each_kernel<double>(plan, value, 18, team, slow, in_float);
      if (!slow) same_numbers_by_each_kernel<double>(plan, value, 18, team, slow, in_float);
    }
  }

  template <class T>
  cuda::KernelSet<T>& set() {
    if constexpr (sizeof(T) == 4)
      return context_.kernels.single_precision;
    else
      return context_.kernels.double_precision;
  }
  template <class T>
  cuda::SingleKernel<T>& single() {
    return set<T>().single;
  }
  template <class T>
  cuda::GroupKernel<T>& group(Index columns) {
    const Index width = columns <= 8 ? 8 : set<T>().group_columns;
    return set<T>().group[width == 8 ? 0 : width == 16 ? 1 : 2];
  }
  template <class T, int kWidth>
  static std::vector<cuda::GroupKernel<T>> kernels_of() {
    using enum cuda::SweepProducts;
    return {cuda::multi_kernel<T, kWidth, hopper>(cuda::multi_blocks<T, kWidth, hopper>()),
            cuda::multi_kernel<T, kWidth, tensor>(cuda::multi_blocks<T, kWidth, tensor>()),
            cuda::multi_kernel<T, kWidth, fma>(cuda::multi_blocks<T, kWidth, fma>())};
  }
  /// Expects that each kernel for groups of `team` columns gives equal bits by any number of
  /// blocks, and, if the system is well conditioned, all kernels the same numbers up to rounding.
  template <class T>
  void same_numbers_by_each_kernel(const std::shared_ptr<const Plan>& plan,
                                   std::span<const T> value, Index columns, int team, bool slow,
                                   bool well_conditioned) {
    set<T>().group_columns = team;
    const cuda::GroupKernel<T> chosen = group<T>(columns);
    const Index groups = (columns + team - 1) / team;
    std::vector<T> first;
    unsigned number = 0;
    for (const cuda::GroupKernel<T>& kernel : team == 8    ? kernels_of<T, 8>()
                                              : team == 16 ? kernels_of<T, 16>()
                                                           : kernels_of<T, 32>()) {
      const bool in_turn = number++ == turn_ % 3;
      SCOPED_TRACE("kernel " + std::to_string(number));
      if (kernel.blocks == 0) continue;  // Hopper's on another device
      group<T>(columns) = kernel;
      const std::vector<T> all = solve<T>(plan, value, columns, kernel.blocks);
      if (!slow || in_turn) {
        for (const int blocks : slow ? std::vector{3} : std::vector{static_cast<int>(groups), 3, 5})
          EXPECT_TRUE(solve<T>(plan, value, columns, blocks) == all)
              << blocks << " blocks, teams of " << team << ", " << sizeof(T) << " bytes";
      }
      if (first.empty())
        first = all;
      else if (well_conditioned)
        expect_close(first, all, kernel.enqueue_in_float != nullptr);
    }
    group<T>(columns) = chosen;
  }
  /// in_float: the numbers of the solve of `b` are in float.
  template <class T>
  void expect_close(const std::vector<T>& a, const std::vector<T>& b, bool in_float) {
    double largest = 0, difference = 0;
    int words = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
      const double x = a[k], y = b[k];
      largest = std::max(largest, std::abs(x)), difference = std::max(difference, std::abs(x - y));
      words += static_cast<int>(x != y);
    }
    EXPECT_LE(difference, (in_float ? 1e-4 : sizeof(T) == 4 ? 1e-6 : 1e-10) * largest);
    RecordProperty("numbers_that_differ_" + std::to_string(++compared_), words);
  }
  /// Expects the bits that the portable kernel gives by all blocks from any number of blocks, and
  /// from Hopper's kernel if the device runs it. L is the same, since the kernels of fronts are.
  template <class T>
  void same_bits_by_each_kernel(const std::shared_ptr<const Plan>& plan, std::span<const T> value,
                                bool slow) {
    const cuda::SingleKernel<T> chosen = single<T>(),
                                portable = cuda::single_sweeps<T, double, cuda::AsyncLoads>(
                                    cuda::sweep_blocks<T, double, cuda::AsyncLoads>()),
                                hopper = cuda::single_sweeps<T, double, cuda::BulkLoads>(
                                    cuda::sweep_blocks<T, double, cuda::BulkLoads>());
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
    if constexpr (sizeof(T) == sizeof(float)) same_bits_in_float(plan, value, slow);
    single<T>() = chosen;
  }
  /// Expects the bits that the kernel with numbers in float gives by all blocks from any number of
  /// blocks.
  void same_bits_in_float(const std::shared_ptr<const Plan>& plan, std::span<const float> value,
                          bool slow) {
    const auto kernel = cuda::single_sweeps<float, float, cuda::AsyncLoads>(
        cuda::sweep_blocks<float, float, cuda::AsyncLoads>());
    single<float>() = kernel;
    const std::vector<float> expected = solve<float>(plan, value, 1, kernel.blocks);
    for (const int blocks : slow ? std::vector{3} : std::vector{1, 2, 3, 7})
      EXPECT_TRUE(solve<float>(plan, value, 1, blocks) == expected)
          << blocks << " blocks, numbers in float";
  }

  std::optional<Backend> backend_;
  cuda::DeviceHeap heap_{};
  cuda::DeviceContext context_;
  unsigned turn_ = 0;
  int compared_ = 0;
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
