// Tests of large fronts in several launches (CudaOptions::launch_seconds): the bits, verdicts and
// graphs are those of one launch. The emulated device runs them as well.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "numeric/cuda/plan/launch_limit.hpp"
#include "numeric/cuda/runtime/availability.hpp"
#include "symbolic/launch/launches.hpp"
#include "tests/numeric/cuda/runtime/runtime.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/device/device_plans.hpp"
#include "tests/support/oracles/sparse_reference.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/systems/block_tree.hpp"

namespace kauri::test {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

template <class W>
class Launches : public OnCuda<W> {
 protected:
  using Value = typename OnCuda<W>::Value;
  /// A backend, and the number of launches in which it does the tiled fronts of plan_.
  struct Limited {
    Backend backend;
    std::size_t launches;
  };

  void SetUp() override {
    OnCuda<W>::SetUp();
    if (this->IsSkipped()) return;
    BlockTree tree({130, 66, 65}, 5);
    system_.emplace(dense_exact_system(tree.with_leaves(40, 1, 8)));
    value_ = random_dominant<Value>(pattern(), 5);
    plan_ = run_by(*this->plan(pattern(), OrderingMethod::natural, false), teams());
    ASSERT_GE(plan_->internals->device.level_end.size(), 3U);
  }
  Pattern pattern() const { return system_->a.pattern(); }
  /// Returns few teams, which the emulated device runs fast.
  static constexpr Index teams() { return 6; }
  /// Returns a backend that lets a launch take `share` of the seconds predicted for all.
  Limited limited(double share) {
    const symbolic::DeviceSchedule& device = plan_->internals->device;
    const symbolic::DeviceCost& cost = symbolic::device_cost(plan_->target, sizeof(Value));
    double all = 0;
    for (const symbolic::DeviceWork::Level& level : device.work.tiled)
      all += symbolic::device_level_seconds(cost, level);
    CudaOptions options;
    options.compute = W::compute, options.portable = W::portable;
    options.launch_seconds = share * all;
    numeric::cuda::TiledKernels<Value> kernels;
    kernels.compute = W::compute;
    numeric::cuda::limit_launches(options, numeric::cuda::card_of(0),
                                  numeric::cuda::has_time_limit(0), kernels);
    return {cuda_backend(options),
            symbolic::launch_ranges(device, cost, kernels.launch_seconds).size()};
  }
  static constexpr std::array kShares{kNoLimit, 0.5, 0.1, 1e-9};

  std::optional<ExactSystem> system_;
  std::vector<Value> value_;
  std::shared_ptr<const Plan> plan_;
};
TYPED_TEST_SUITE(Launches, TaskWays, TaskWayNumbers);

/// The calls are one that enqueues, one that makes the factor's graph, and one that launches it,
/// each with another shift; and one with pauses.
TYPED_TEST(Launches, HaveTheBitsOfOne) {
  using T = typename TypeParam::T;
  std::vector<std::vector<T>> expected;
  std::size_t most = 0;
  for (const double share : this->kShares) {
    auto [backend, launches] = this->limited(share);
    SCOPED_TRACE(std::to_string(launches) + " launches");
    most = std::max(most, launches);
    for (const unsigned pauses : {0U, 1U}) {
      auto factor = Factor<T>::create(run_by(*this->plan_, this->teams(), pauses), backend);
      for (std::size_t call = 0; call < (pauses == 0 ? 3U : 1U); ++call) {
        ASSERT_TRUE(refactorize<T>(factor, this->value_, T(call)).ok());
        const std::vector<T> x = this->solution(factor);
        if (expected.size() == call) expected.push_back(x);
        ASSERT_EQ(x, expected[call]) << call;
      }
    }
  }
  EXPECT_EQ(most, this->plan_->internals->device.level_end.size());
}

/// A pivot fails on each level in turn, so in each launch; the next factorisation is good.
TYPED_TEST(Launches, HaveTheVerdictsOfOne) {
  using T = typename TypeParam::T;
  const symbolic::DeviceSchedule& device = this->plan_->internals->device;
  auto [backend, launches] = this->limited(1e-9);
  ASSERT_EQ(launches, device.level_end.size());
  auto one = Factor<T>::create(this->plan_, this->backend()),
       several = Factor<T>::create(this->plan_, backend);
  ASSERT_TRUE(refactorize<T>(one, this->value_).ok());
  const std::vector<T> sound = this->solution(one);
  for (auto level = static_cast<std::size_t>(device.small_levels); level < device.level.size();
       ++level) {
    const Index front = device.front[device.level[level].first],
                column = this->plan_->supernodes.first[front];
    std::vector<T> bad = this->value_;
    T& diagonal = bad[this->pattern().col_ptr[this->plan_->perm.old_of(column)]];
    diagonal = -std::abs(diagonal);
    const auto naive = sparse_breakdown<T>({this->pattern(), bad}, this->plan_->perm);
    ASSERT_TRUE(naive);
    ASSERT_FALSE(refactorize<T>(one, bad).ok());
    ASSERT_FALSE(refactorize<T>(several, bad).ok());
    EXPECT_EQ(several.verdict().column, naive->column) << level;
    EXPECT_EQ(several.verdict(), one.verdict()) << level;
    ASSERT_TRUE(refactorize<T>(several, this->value_).ok());
    ASSERT_EQ(this->solution(several), sound) << level;
  }
}

/// A caller's graph has a launch and the ticket's memset for each launch beyond the first.
TYPED_TEST(Launches, AreCaptured) {
  using T = typename TypeParam::T;
  const CallerStream stream;
  std::vector<T> expected;
  std::size_t nodes = 0;
  for (const double share : this->kShares) {
    auto [backend, launches] = this->limited(share);
    const auto there = DeviceValues<T>::copy_of(this->value_, backend);
    auto factor = Factor<T>::create(this->plan_, backend);
    const CallerGraph graph(stream,
                            [&](cudaStream_t to) { enqueue_refactorize(factor, there, T(1), to); });
    if (nodes == 0) nodes = graph.nodes();
    EXPECT_EQ(graph.nodes(), nodes + 2 * (launches - 1));
    for (int replay = 0; replay < 2; ++replay) {
      graph.launch(stream);
      ASSERT_EQ(factor.fetch_verdict(stream.get()).status, VerdictStatus::positive_definite);
      const std::vector<T> x = this->solution(factor);
      if (expected.empty()) expected = x;
      ASSERT_EQ(x, expected) << launches << " launches";
    }
  }
}

/// The plan of a small system takes a part of the device, with the bits of any other part.
TYPED_TEST(Launches, ByThePartOfTheDeviceThatThePlanCanUse) {
  using T = typename TypeParam::T;
  const OwnedPattern pattern = grid_pattern(7, 7, 7, true);
  const std::vector<T> value = random_dominant<T>(pattern.view(), 5);
  const auto made = this->plan(pattern.view());
  ASSERT_GT(made->internals->device.useful_teams, 0);
  ASSERT_FALSE(made->internals->device.task.empty());
  std::vector<T> expected;
  for (const auto& plan : {made, std::shared_ptr<const Plan>(run_by(*made, 6)),
                           std::shared_ptr<const Plan>(run_by(*made, 20))}) {
    auto factor = Factor<T>::create(plan, this->backend());
    ASSERT_TRUE(refactorize<T>(factor, value).ok());
    const std::vector<T> x = this->solution(factor);
    if (expected.empty()) expected = x;
    ASSERT_EQ(x, expected);
  }
}

/// Seconds that are no limit are refused.
TEST(LaunchLimits, AreRefused) {
  if (!has_device()) GTEST_SKIP() << "no CUDA device";
  for (const double seconds : {-1.0, std::nan("")}) {
    CudaOptions options;
    options.launch_seconds = seconds;
    const std::string text = error_text(ErrorKind::usage, [&] { (void)cuda_backend(options); });
    EXPECT_EQ(text.find("cuda_backend: launch_seconds is "), 0U) << text;
  }
}

}  // namespace
}  // namespace kauri::test
