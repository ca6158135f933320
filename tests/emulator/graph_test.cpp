// If the runtime refuses the graph of a refactorisation, launches replace it with the same bits.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "symbolic/device/front_tasks.hpp"
#include "symbolic/plan/internals.hpp"
#include "tests/emulator/machine/machine.hpp"
#include "tests/numeric/cuda/runtime/runtime.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/device/device_plans.hpp"
#include "tests/support/systems/block_tree.hpp"

namespace kauri::test {
namespace {

using emulator::GraphStep;

template <class W>
class RefusedGraphs : public OnCuda<W> {
 protected:
  using Value = typename OnCuda<W>::Value;
  static constexpr int kCalls = 5;

  void TearDown() override { emulator::refuse_graphs_at(GraphStep::none); }

  /// Returns a plan with narrow, small and tiled fronts.
  std::shared_ptr<const Plan> small_plan(const Pattern& pattern) {
    const auto made = this->plan(pattern, OrderingMethod::natural, false);
    auto few = run_by(*made, symbolic::kFewestEver);
    EXPECT_GT(few->internals->device.narrow_fronts, 0);
    EXPECT_GT(few->internals->device.small_fronts, few->internals->device.narrow_fronts);
    EXPECT_FALSE(few->internals->device.task.empty());
    return few;
  }
  std::vector<Value> solution_alone(const std::shared_ptr<const Plan>& plan,
                                    const DeviceValues<Value>& there, Value shift) {
    auto fresh = Factor<Value>::create(plan, this->backend());
    EXPECT_TRUE(refactorize(fresh, there, shift).ok());
    return this->solution(fresh);
  }
  /// Refactorises one factor by enqueued and waiting calls in turn, each with another shift;
  /// `round` selects which kind comes first.
  void expect_runs(const std::shared_ptr<const Plan>& plan, const DeviceValues<Value>& there,
                   int round, const std::vector<std::vector<Value>>& expected) {
    const CallerStream stream;
    auto factor = Factor<Value>::create(plan, this->backend());
    for (int call = 0; call < kCalls; ++call) {
      if ((call + round) % 2 == 0) {
        enqueue_refactorize(factor, there, Value(call), stream.get());
        ASSERT_EQ(factor.fetch_verdict(stream.get()).status, VerdictStatus::positive_definite)
            << call;
      } else {
        ASSERT_TRUE(refactorize(factor, there, Value(call)).ok()) << call;
      }
      EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "left to the next call that asks";
      EXPECT_EQ(this->solution(factor), expected[call]) << call;
    }
  }
};
TYPED_TEST_SUITE(RefusedGraphs, Ways, WayNumbers);

/// Each factor tries to make its graph once, in the second call.
TYPED_TEST(RefusedGraphs, LaunchesHaveTheSameBits) {
  using T = typename TypeParam::T;
  const auto system = dense_exact_system(BlockTree({70, 8, 6}, 1).rows());
  const auto plan = this->small_plan(system.a.pattern());
  const auto there = DeviceValues<T>::copy_of(this->values(system.a), this->backend());
  std::vector<std::vector<T>> expected;
  for (int call = 0; call < this->kCalls; ++call)
    expected.push_back(this->solution_alone(plan, there, T(call)));
  int round = 0;
  for (const GraphStep step : {GraphStep::begin_capture, GraphStep::capture, GraphStep::end_capture,
                               GraphStep::instantiate, GraphStep::upload, GraphStep::none}) {
    SCOPED_TRACE("step " + std::to_string(static_cast<int>(step)));
    emulator::refuse_graphs_at(step);
    const emulator::GraphCounts before = emulator::graph_counts();
    this->expect_runs(plan, there, round++, expected);
    const emulator::GraphCounts after = emulator::graph_counts();
    EXPECT_EQ(after.refused - before.refused, step == GraphStep::none ? 0 : 1);
    EXPECT_EQ(after.made - before.made,
              step == GraphStep::none || step == GraphStep::upload ? 1 : 0);
    EXPECT_EQ(after.launched - before.launched, step == GraphStep::none ? this->kCalls - 2 : 0);
  }
}

}  // namespace
}  // namespace kauri::test
