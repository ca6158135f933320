// Tests factors whose panels leave the device for host memory: L, solves, verdicts, graphs and
// saved bytes have the bits of a factor on the device. The emulated device runs them as well.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/numeric/cuda/runtime/runtime.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/device/device_plans.hpp"
#include "tests/support/device/spilled_plans.hpp"
#include "tests/support/oracles/sparse_reference.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/systems/block_tree.hpp"

namespace kauri::test {
namespace {

template <class W>
class SpilledFactors : public OnCuda<W> {
 protected:
  using Value = typename OnCuda<W>::Value;

  void SetUp() override {
    OnCuda<W>::SetUp();
    if (this->IsSkipped()) return;
    BlockTree tree({130, 66, 65}, 5);
    system_.emplace(dense_exact_system(tree.with_leaves(40, 1, 8)));
    value_ = random_dominant<Value>(pattern(), 5);
    plan_ = run_by(*this->plan(pattern(), OrderingMethod::natural, false), kTeams);
    spilled_ = spilled_plans(*plan_, sizeof(Value));
    EXPECT_GT(spilled_.front()->host_bytes(sizeof(Value)), 0);
    EXPECT_GE(spilled_.back()->internals->device.segment.size(), 2U);
  }
  Pattern pattern() const { return system_->a.pattern(); }
  static constexpr Index kTeams = 6;  // few teams, which the emulated device runs fast

  std::optional<ExactSystem> system_;
  std::vector<Value> value_;
  std::shared_ptr<const Plan> plan_;
  std::vector<std::shared_ptr<const Plan>> spilled_;
};
TYPED_TEST_SUITE(SpilledFactors, TaskWays, TaskWayNumbers);

/// The calls are one that enqueues, one that makes the factor's graph, and one that launches it,
/// each with another shift.
TYPED_TEST(SpilledFactors, HaveTheBitsOfOthers) {
  using T = typename TypeParam::T;
  auto core = Factor<T>::create(this->plan_, this->backend());
  std::vector<Factor<T>> spilled;
  for (const auto& plan : this->spilled_)
    spilled.push_back(Factor<T>::create(plan, this->backend()));
  for (int call = 0; call < 3; ++call) {
    ASSERT_TRUE(refactorize<T>(core, this->value_, T(call)).ok());
    const std::vector<T> l = lower_factor(core).value;
    const std::vector<T> one = this->solved(core, 1);
    for (std::size_t k = 0; k < spilled.size(); ++k) {
      SCOPED_TRACE(std::to_string(call) + ": " + std::to_string(k));
      ASSERT_TRUE(refactorize<T>(spilled[k], this->value_, T(call)).ok());
      EXPECT_EQ(spilled[k].verdict(), core.verdict());
      ASSERT_EQ(lower_factor(spilled[k]).value, l);
      ASSERT_EQ(this->solved(spilled[k], 1), one);
    }
  }
  const Index n = this->plan_->n;
  for (const Index columns : {3, 9, 33}) {
    const std::vector<T> x = this->solved(core, columns);
    for (const Factor<T>& factor : spilled) ASSERT_EQ(this->solved(factor, columns), x) << columns;
  }
  const std::vector<T> b = this->random_rhs(n, 1, 4);
  for (const System system : {System::L, System::Lt}) {
    std::vector<std::vector<T>> products;
    for (const Factor<T>* factor : {&core, &spilled.front(), &spilled.back()}) {
      std::vector<T> x(b.size());
      auto workspace = Workspace<T>::create(*factor, 1);
      factor->multiply(system, {b.data(), n, 1, n}, {x.data(), n, 1, n}, workspace);
      products.push_back(x);
    }
    EXPECT_EQ(products[1], products[0]);
    EXPECT_EQ(products[2], products[0]);
  }
  EXPECT_EQ(log_determinant(spilled.back()), log_determinant(core));
  EXPECT_EQ(lower_diagonal(spilled.back()), lower_diagonal(core));
  EXPECT_EQ(save_factor(spilled.back()), save_factor(core));
}

/// A pivot fails on each level in turn, so in each segment; the next factorisation is good.
TYPED_TEST(SpilledFactors, HaveTheVerdictsOfOthers) {
  using T = typename TypeParam::T;
  const symbolic::DeviceSchedule& device = this->plan_->internals->device;
  auto core = Factor<T>::create(this->plan_, this->backend()),
       spilled = Factor<T>::create(this->spilled_.back(), this->backend());
  ASSERT_TRUE(refactorize<T>(core, this->value_).ok());
  const std::vector<T> sound = this->solution(core);
  for (const symbolic::DeviceSchedule::Level& level : device.level) {
    const Index column = this->plan_->supernodes.first[device.front[level.first]];
    std::vector<T> bad = this->value_;
    T& diagonal = bad[this->pattern().col_ptr[this->plan_->perm.old_of(column)]];
    diagonal = -std::abs(diagonal);
    const auto naive = sparse_breakdown<T>({this->pattern(), bad}, this->plan_->perm);
    ASSERT_TRUE(naive);
    ASSERT_FALSE(refactorize<T>(core, bad).ok());
    ASSERT_FALSE(refactorize<T>(spilled, bad).ok());
    EXPECT_EQ(spilled.verdict().column, naive->column);
    EXPECT_EQ(spilled.verdict(), core.verdict());
    ASSERT_TRUE(refactorize<T>(spilled, this->value_).ok());
    ASSERT_EQ(this->solution(spilled), sound);
  }
}

/// A caller's graph, which takes the stream of the copies in, gives the same bits again and again.
TYPED_TEST(SpilledFactors, AreCaptured) {
  using T = typename TypeParam::T;
  const CallerStream stream;
  auto core = Factor<T>::create(this->plan_, this->backend()),
       spilled = Factor<T>::create(this->spilled_.back(), this->backend());
  ASSERT_TRUE(refactorize<T>(core, this->value_, T(1)).ok());
  const std::vector<T> expected = this->solution(core);
  const auto there = DeviceValues<T>::copy_of(this->value_, this->backend());
  const CallerGraph graph(stream,
                          [&](cudaStream_t to) { enqueue_refactorize(spilled, there, T(1), to); });
  for (int replay = 0; replay < 2; ++replay) {
    graph.launch(stream);
    ASSERT_EQ(spilled.fetch_verdict(stream.get()).status, VerdictStatus::positive_definite);
    ASSERT_EQ(this->solution(spilled), expected);
  }
}

/// The factor takes the bytes that its plan states, and no more.
TYPED_TEST(SpilledFactors, TakeTheBytesOfTheirPlans) {
  using T = typename TypeParam::T;
  for (const auto& plan : this->spilled_) {
    const Offset before = this->backend().bytes_in_use();
    const auto factor = Factor<T>::create(plan, this->backend());
    EXPECT_EQ(this->backend().bytes_in_use() - before, plan->peak_bytes(sizeof(T)));
  }
}

/// Both a factor that was on the device and one that was not are loaded with a limit and without.
TYPED_TEST(SpilledFactors, AreLoaded) {
  using T = typename TypeParam::T;
  auto core = Factor<T>::create(this->plan_, this->backend()),
       spilled = Factor<T>::create(this->spilled_.back(), this->backend());
  ASSERT_TRUE(refactorize<T>(core, this->value_).ok());
  ASSERT_TRUE(refactorize<T>(spilled, this->value_).ok());
  const std::vector<T> expected = this->solved(core, 1), l = lower_factor(core).value;
  const auto bytes_of = [](const Factor<T>& factor) { return factor.plan().peak_bytes(sizeof(T)); };
  for (const Factor<T>* factor : {&core, &spilled}) {
    const std::vector<std::byte> bytes = save_factor(*factor);
    const auto whole = load_factor<T>(bytes, this->backend());
    const Offset least = symbolic::least_device_bytes(whole.plan(), sizeof(T));
    for (const Offset most : {Offset{0}, (bytes_of(whole) + least) / 2, least}) {
      LoadOptions options;
      options.device_bytes = most;
      const auto loaded = load_factor<T>(bytes, this->backend(), options);
      EXPECT_EQ(loaded.plan().host_bytes(sizeof(T)) > 0, most > 0);
      EXPECT_LE(bytes_of(loaded), most > 0 ? most : bytes_of(whole));
      ASSERT_EQ(lower_factor(loaded).value, l) << most;
      ASSERT_EQ(this->solved(loaded, 1), expected) << most;
    }
  }
}

/// Items of a batch are done one by one.
TYPED_TEST(SpilledFactors, ServeBatchesOneByOne) {
  using T = typename TypeParam::T;
  const std::string text = error_text(ErrorKind::usage, [&] {
    (void)BatchFactor<T>::create(this->spilled_.back(), 2, this->backend(), BatchWay::together);
  });
  EXPECT_EQ(text.find("BatchFactor: items of a plan whose panels leave the device"), 0U) << text;
  EXPECT_EQ(BatchFactor<T>::create(this->spilled_.back(), 2, this->backend()).way(),
            BatchWay::one_by_one);
}

TYPED_TEST(SpilledFactors, RefuseASelectedInverse) {
  using T = typename TypeParam::T;
  auto factor = Factor<T>::create(this->spilled_.back(), this->backend());
  ASSERT_TRUE(refactorize<T>(factor, this->value_).ok());
  const std::string text =
      error_text(ErrorKind::usage, [&] { (void)SelectedInverse<T>::create(factor); });
  EXPECT_EQ(text.find("a selected inverse lies on the device beside L"), 0U) << text;
}

}  // namespace
}  // namespace kauri::test
