// Tests that enqueuing calls return while the caller's stream is held up, so kauri does not wait
// for work on that stream. The emulated device runs the tests as well.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "symbolic/device/front_tasks.hpp"
#include "symbolic/plan/internals.hpp"
#include "tests/numeric/cuda/runtime/held.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/device/device_plans.hpp"

namespace kauri::test {
namespace {

template <class W>
class HeldStreams : public OnCuda<W> {
 protected:
  using Value = typename OnCuda<W>::Value;
  void SetUp() override {
    OnCuda<W>::SetUp();
    if (!this->IsSkipped() && !streams_are_apart()) GTEST_SKIP() << kStreamsShareQueues;
  }

  /// Holds a system for which one of four shifts makes a pivot fail, and the result of each shift
  /// when run alone. It is so small that a stream can queue the launches of all four calls even
  /// level by level: CUDA queues about a thousand launches, and further ones block.
  struct Case {
    std::shared_ptr<const Plan> plan;
    DeviceValues<Value> there;
    std::vector<DeviceVerdict> verdict;
    std::vector<std::vector<Value>> x;  // empty if a pivot fails
  };
  static constexpr int kCalls = 4;  // the first enqueues launches, the second also makes a graph,
                                    // which the others launch
  static Value shift(int call) { return call == 1 ? Value(-100) : Value(call + 1) / 4; }

  Case system(const std::string& spec) {
    const auto a = generate(spec);
    Case out{run_by(*this->plan(a.pattern()), symbolic::kFewestEver),
             DeviceValues<Value>::copy_of(this->values(a), this->backend()),
             {},
             {}};
    for (int call = 0; call < kCalls; ++call) {
      auto alone = Factor<Value>::create(out.plan, this->backend());
      const bool good = refactorize(alone, out.there, shift(call)).ok();
      EXPECT_EQ(good, call != 1);
      out.verdict.push_back(alone.verdict());
      out.x.push_back(good ? this->solution(alone) : std::vector<Value>());
    }
    return out;
  }
};
TYPED_TEST_SUITE(HeldStreams, Ways, WayNumbers);

TYPED_TEST(HeldStreams, EachRefactorisationReturns) {
  const CallerStream stream;
  for (const char* spec : {"lap27 7", "tree 300 1"}) {
    const auto s = this->system(spec);
    auto factor = Factor<typename TypeParam::T>::create(s.plan, this->backend());
    for (int call = 0; call < this->kCalls; ++call) {
      SCOPED_TRACE(std::string(spec) + ", call " + std::to_string(call));
      Held held(stream);
      enqueue_refactorize(factor, s.there, this->shift(call), stream.get());
      ASSERT_TRUE(held.holds()) << "it waited for the stream";
      EXPECT_EQ(factor.verdict(), DeviceVerdict{});
      held.release();
      EXPECT_EQ(factor.fetch_verdict(stream.get()), s.verdict[call]);
      ASSERT_EQ(factor.valid(), !s.x[call].empty());
      if (factor.valid()) {
        EXPECT_EQ(this->solution(factor), s.x[call]);
      }
    }
  }
}

/// The calls refactorise one factor, and a solve follows each.
TYPED_TEST(HeldStreams, SeveralRefactorisationsAndSolvesReturn) {
  using T = typename TypeParam::T;
  const CallerStream stream;
  const auto s = this->system("lap27 7");
  ASSERT_FALSE(s.plan->internals->device.task.empty());
  const Index n = s.plan->n;
  const std::vector<T> b = this->random_rhs(n, 1, 3);
  std::vector<std::unique_ptr<CallerArray<T>>> x;
  for (int call = 0; call < this->kCalls; ++call) x.push_back(std::make_unique<CallerArray<T>>(b));
  auto factor = Factor<T>::create(s.plan, this->backend());
  auto workspace = Workspace<T>::create(factor, 1);
  {
    Held held(stream);
    for (int call = 0; call < this->kCalls; ++call) {
      enqueue_refactorize(factor, s.there, this->shift(call), stream.get());
      factor.enqueue_solve(DeviceMatrixView<T>({x[call]->data(), n, 1, n}), workspace,
                           stream.get());
      ASSERT_TRUE(held.holds()) << "call " << call << " waited for the stream";
    }
  }
  EXPECT_EQ(factor.fetch_verdict(stream.get()), s.verdict.back());
  for (int call = 0; call < this->kCalls; ++call) {
    const std::vector<T> found = x[call]->fetch();
    if (!s.x[call].empty()) {
      EXPECT_EQ(found, s.x[call]) << call;
    }
    for (const T v : found) ASSERT_EQ(std::isnan(v), s.x[call].empty()) << call;
  }
}

}  // namespace
}  // namespace kauri::test
