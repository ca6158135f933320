// Tests refinement on a CUDA device and on the emulated one: it follows the host's rules, on
// streams, in graphs, and without the host.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "numeric/cuda/factor/factor.hpp"
#include "tests/numeric/cuda/runtime/held.hpp"
#include "tests/numeric/cuda/runtime/hook.hpp"
#include "tests/support/bodies/refiner.hpp"
#include "tests/support/device/cuda_ways.hpp"

namespace kauri::test {
namespace {

template <class W>
class CudaRefiners : public OnCuda<W> {
 protected:
  using Value = typename OnCuda<W>::Value;
  PlanOf plan_of() {
    return [this](const Pattern& pattern) { return this->plan(pattern); };
  }
  /// Returns whether the device is the emulated one, which is slow.
  bool emulated() { return this->backend().device() == "emulated"; }
  static DeviceMatrixView<Value> view(const CallerArray<Value>& x, Index n, Index cols) {
    return DeviceMatrixView<Value>({x.data(), n, cols, n});
  }
  static DeviceRefinement on_device(const Refiner<Value>& refiner) {
    DeviceRefinement report;
    require(cudaDeviceSynchronize());
    require(cudaMemcpy(&report, refiner.report_address(), sizeof report, cudaMemcpyDeviceToHost));
    return report;
  }
  static constexpr Index kColumns = 67;
  /// Refines kColumns solutions of which only column `worst` is wrong.
  void check_worst(Index worst) {
    const auto a = generate("poisson2d 2");
    const Index n = a.n();
    const RefineCase<Value> c{a, this->values(a)};
    const auto factor = filled_factor(c, this->backend(), plan_of());
    auto workspace = Workspace<Value>::create(factor, 32);
    auto refiner = Refiner<Value>::create(a.pattern(), factor, kColumns);
    refiner.set_values(DeviceValues<Value>::copy_of(c.value, this->backend()));
    const std::vector<Value> b(static_cast<std::size_t>(n * kColumns),
                               Value(2));  // x = (1, 1, 1, 1)
    std::vector<Value> start(b.size(), Value(1));
    std::fill_n(start.begin() + worst * n, n, Value(0));
    const CallerArray<Value> there(b), x(start);
    const Refinement done = refiner.refine(factor, view(there, n, kColumns), view(x, n, kColumns),
                                           workspace, {.max_steps = 0});
    EXPECT_EQ(done.unrefined.componentwise, 1) << worst;
    EXPECT_EQ(done.unrefined.normwise, 1) << worst;
  }
};
/// The types cover each kind of solve: plain ones, and sweeps in float and in double.
using SolveWays = ::testing::Types<Way<float, CudaCompute::fma>, LevelByLevel<double>,
                                   Way<double, CudaCompute::hopper>>;
TYPED_TEST_SUITE(CudaRefiners, SolveWays);

TYPED_TEST(CudaRefiners, RefineAsTheNaiveLoop) {
  using T = typename TypeParam::T;
  const std::vector<std::string> small{"poisson2d 4"},
      all{"poisson2d 1", "poisson2d 40", "elast3d 6", "tree 3000 1", "arrow 5000 2"};
  refinement_is_the_naive_loops<T, CallerArray<T>>(this->backend(), this->plan_of(),
                                                   this->emulated() ? small : all);
}

TYPED_TEST(CudaRefiners, RefineNothing) {
  using T = typename TypeParam::T;
  refinement_of_nothing<T, CallerArray<T>>(this->backend(), this->plan_of());
}

TYPED_TEST(CudaRefiners, TakeTheValuesSetLast) {
  using T = typename TypeParam::T;
  refinement_is_with_the_values_set_last<T, CallerArray<T>>(this->backend(), this->plan_of());
}

TYPED_TEST(CudaRefiners, SayWhereThereIsNoFactor) {
  using T = typename TypeParam::T;
  refinement_without_a_factor<T, CallerArray<T>>(this->backend(), this->plan_of());
}

TYPED_TEST(CudaRefiners, Refuse) {
  using T = typename TypeParam::T;
  Backend other =
      cuda_backend(CudaOptions{.device = 0, .allocator = {}, .compute = TypeParam::compute});
  what_refiners_refuse<T, CallerArray<T>>(this->backend(), other, this->plan_of());
  // Memory of the host is refused, too.
  const auto a = generate("poisson2d 3");
  const RefineCase<T> c{a, cast<T>(a.value())};
  const auto factor = filled_factor(c, this->backend(), this->plan_of());
  auto workspace = Workspace<T>::create(factor, 1);
  auto refiner = Refiner<T>::create(a.pattern(), factor, 1);
  const std::string where = " is not in the memory of CUDA device 0 but in the host's";
  const auto borrowed = DeviceValues<T>::borrow(c.value);
  EXPECT_EQ(error_text(ErrorKind::usage, [&] { refiner.set_values(borrowed); }),
            "Refiner: value" + where);
  refiner.set_values(DeviceValues<T>::copy_of(c.value, this->backend()));
  std::vector<T> host(9, T(0));
  const CallerArray<T> there(host);
  const DeviceMatrixView<T> here({host.data(), 9, 1, 9}), right = this->view(there, 9, 1);
  EXPECT_EQ(error_text(ErrorKind::usage,
                       [&] { refiner.enqueue_refine(factor, here, right, workspace, nullptr); }),
            "Refiner: b" + where);
  EXPECT_EQ(error_text(ErrorKind::usage,
                       [&] { refiner.enqueue_refine(factor, right, here, workspace, nullptr); }),
            "Refiner: x" + where);
}

/// The refiner has more columns than are solved together and refines all while any of them needs
/// it.
TYPED_TEST(CudaRefiners, ManyColumns) {
  using T = typename TypeParam::T;
  RefineCase<T> c{generate(this->emulated() ? "poisson2d 3" : "poisson2d 30")};
  const Index n = c.a.n();
  c.value = cast<T>(c.a.value());
  c.cols = this->emulated() ? 9 : 70, c.shift = this->emulated() ? T(0.002) : T(0.0002);
  c.options = {.max_steps = this->emulated() ? 2 : 6, .target = 0, .stagnation = 1};
  c.b = random_numbers<T>(Offset{n} * c.cols, 1);
  const auto factor = filled_factor(c, this->backend(), this->plan_of());
  for (const Index nrhs : {1, 32}) {
    auto workspace = Workspace<T>::create(factor, nrhs);
    c.x = c.b;
    factor.solve({c.x.data(), n, c.cols, n}, workspace);
    std::vector<T> expected = c.x;
    const Refinement naive = naive_refine(c, factor, workspace, expected, this->backend());
    EXPECT_GT(naive.steps, 1);
    auto refiner = Refiner<T>::create(c.a.pattern(), factor, c.cols);
    refiner.set_values(DeviceValues<T>::copy_of(c.value, this->backend()));
    const CallerArray<T> b(c.b), x(c.x);
    expect_same(refiner.refine(factor, this->view(b, n, c.cols), this->view(x, n, c.cols),
                               workspace, c.options),
                naive, std::to_string(nrhs) + " together");
    EXPECT_EQ(x.fetch(), expected) << nrhs;
    factor.solve(this->view(b, n, c.cols),
                 workspace);  // the skipped solve left the workspace unchanged
    std::vector<T> again = c.b;
    factor.solve({again.data(), n, c.cols, n}, workspace);
    EXPECT_EQ(b.fetch(), again) << nrhs;
  }
}

/// The worst column lies in each lane of the deciding warp, in its first columns and in its last.
TYPED_TEST(CudaRefiners, TheWorstColumnDecidesWhereverItIs) {
  for (Index worst = 0; worst < this->kColumns; ++worst) this->check_worst(worst);
}
TYPED_TEST(CudaRefiners, TheWorstColumnDecidesFirstOrLast) {
  for (const Index worst : {0, 31, 32, 66}) this->check_worst(worst);
}

/// If the run flag on the device is 0, a solve does nothing and leaves its workspace unchanged.
TYPED_TEST(CudaRefiners, SolvesAreLeftOutByANumberOnTheDevice) {
  using T = typename TypeParam::T;
  const auto a = generate(this->emulated() ? "lap27 4" : "lap27 12");
  const Index n = a.n();
  const RefineCase<T> c{a, this->values(a)};
  const auto factor = filled_factor(c, this->backend(), this->plan_of());
  const auto& store = static_cast<const numeric::cuda::CudaFactor<T>&>(factor.store());
  CallerArray<std::int32_t> flag(std::vector<std::int32_t>{0});
  for (const Index cols : {1, 5, 40}) {
    const auto made =
        this->backend().executor().template of<T>().make_workspace(factor.shared_plan(), cols);
    const std::vector<T> b = random_numbers<T>(Offset{n} * cols, cols);
    auto workspace = Workspace<T>::create(factor, cols);
    std::vector<T> expected = b;
    factor.solve({expected.data(), n, cols, n}, workspace);
    const CallerArray<T> x(b);
    for (const std::int32_t number : {0, 0, 1, 0}) {
      flag.assign({number});
      const std::vector<T> before = x.fetch();
      store.enqueue_correction(this->view(x, n, cols).view(), *made, flag.data(), nullptr);
      EXPECT_EQ(x.fetch(), number == 0 ? before : expected) << cols << " columns";
    }
  }
}

/// One graph runs a Newton step, replayed with new values, right-hand sides and guesses, good and
/// bad in turn.
TYPED_TEST(CudaRefiners, ReplaysRefineWithTheNumbersOfTheDay) {
  using T = typename TypeParam::T;
  const CallerStream stream;
  for (const char* spec : {"poisson2d 7", "elast3d 9"}) {
    if (this->emulated() && std::string(spec) != "poisson2d 7") continue;
    const auto a = generate(spec);
    const Index n = a.n(), cols = 2;
    const auto plan = this->plan(a.pattern());
    auto factor = Factor<T>::create(plan, this->backend());
    auto workspace = Workspace<T>::create(factor, cols);
    auto refiner = Refiner<T>::create(a.pattern(), factor, cols);
    auto there = DeviceValues<T>::copy_of(this->values(a), this->backend());
    const std::vector<T> zeros(static_cast<std::size_t>(n * cols), T(0));
    CallerArray<T> b(zeros), x(zeros);
    const RefineOptions options{.max_steps = 3, .target = 0, .stagnation = 1.5};
    const CallerGraph graph(stream, [&](cudaStream_t s) {
      enqueue_refactorize(factor, there, T(0.03), s);
      factor.enqueue_solve(this->view(b, n, cols), this->view(x, n, cols), workspace, s);
      refiner.enqueue_values(there, s);
      refiner.enqueue_refine(factor, this->view(b, n, cols), this->view(x, n, cols), workspace, s,
                             options);
    });
    EXPECT_EQ(this->on_device(refiner).status, VerdictStatus::none) << "the capture ran";
    for (int round = 0; round < 5; ++round) {
      RefineCase<T> c{a, this->values(a), random_numbers<T>(n * cols, round), {}, cols, T(0.03)};
      c.options = options;
      for (T& v : c.value) v *= T(1 + round);
      const bool broken = round % 3 == 1;
      if (broken) c.value[a.pattern().col_ptr[round]] = T(-3);
      there.assign(c.value);
      b.assign(c.b);
      graph.launch(stream);
      const DeviceRefinement report = refiner.fetch_report(stream.get()),
                             lies = this->on_device(refiner);
      ASSERT_EQ(report.status,
                broken ? VerdictStatus::not_positive_definite : VerdictStatus::positive_definite)
          << spec << " " << round;
      EXPECT_EQ(lies.status, report.status);
      expect_same(lies.refinement, report.refinement, "on the device");
      if (broken) {
        for (const T v : x.fetch()) ASSERT_TRUE(std::isnan(v));
        EXPECT_EQ(report.refinement.tried, 0);
        continue;
      }
      const auto alone = filled_factor(c, this->backend(), this->plan_of());
      auto own = Workspace<T>::create(alone, cols);
      std::vector<T> expected = c.b;
      alone.solve({expected.data(), n, cols, n}, own);
      const Refinement naive = naive_refine(c, alone, own, expected, this->backend());
      EXPECT_GE(naive.steps, 1);
      expect_same(report.refinement, naive, std::string(spec) + " " + std::to_string(round));
      EXPECT_EQ(x.fetch(), expected) << spec << " " << round;
    }
  }
}

/// No call makes the host wait, neither for a step nor for an earlier verdict. The second
/// refinement overwrites the report of the first.
TYPED_TEST(CudaRefiners, ReturnWhileTheStreamIsHeldUp) {
  if (!streams_are_apart()) GTEST_SKIP() << kStreamsShareQueues;
  using T = typename TypeParam::T;
  const CallerStream stream;
  const auto a = generate("poisson2d 6");
  const Index n = a.n();
  auto factor = Factor<T>::create(this->plan(a.pattern()), this->backend());
  auto workspace = Workspace<T>::create(factor, 1);
  auto refiner = Refiner<T>::create(a.pattern(), factor, 1);
  const auto value = DeviceValues<T>::copy_of(this->values(a), this->backend());
  const std::vector<T> zeros(static_cast<std::size_t>(n), T(0));
  const CallerArray<T> b(random_numbers<T>(n, 1)), x(zeros), y(zeros);
  const CallerArray<DeviceRefinement> kept(std::vector<DeviceRefinement>(1));
  {
    Held held(stream);
    enqueue_refactorize(factor, value, T(0), stream.get());
    refiner.enqueue_values(value, stream.get());
    refiner.enqueue_refine(factor, this->view(b, n, 1), this->view(x, n, 1), workspace,
                           stream.get());
    require(cudaMemcpyAsync(kept.data(), refiner.report_address(), sizeof(DeviceRefinement),
                            cudaMemcpyDefault, stream.get()));
    refiner.enqueue_refine(factor, this->view(b, n, 1), this->view(y, n, 1), workspace,
                           stream.get(), {.max_steps = 0});
    ASSERT_TRUE(held.holds()) << "a call waited for the stream";
  }
  const DeviceRefinement second = refiner.fetch_report(stream.get());
  EXPECT_GE(kept.fetch().front().refinement.steps, 1);
  EXPECT_EQ(second.refinement.tried, 0);
  EXPECT_EQ(second.refinement.final_error.componentwise, 1);
  EXPECT_EQ(y.fetch(), zeros);
  EXPECT_NE(x.fetch(), zeros);
}

/// A refiner takes one allocation of as many bytes as it reports, counted nowhere else; if it
/// fails, nothing remains held.
TYPED_TEST(CudaRefiners, AreOneAllocationThatMayFail) {
  using T = typename TypeParam::T;
  Hook hook;
  Backend backend = cuda_backend(
      CudaOptions{.device = 0, .allocator = hook.allocator(), .compute = TypeParam::compute});
  for (const char* spec : {"poisson2d 1", "elast3d 3", "arrow 300 3"}) {
    const auto a = generate(spec);
    const RefineCase<T> c{a, this->values(a)};
    const auto factor = filled_factor(c, backend, this->plan_of());
    auto workspace = Workspace<T>::create(factor, 1);
    const auto value = DeviceValues<T>::copy_of(c.value, backend);
    const std::size_t alive = hook.alive();
    const Offset before = hook.bytes(), counted = backend.bytes_in_use();
    for (const Index nrhs : {1, 4}) {
      hook.fail_at(0);
      const std::string text = error_text(
          ErrorKind::memory, [&] { (void)Refiner<T>::create(a.pattern(), factor, nrhs); });
      EXPECT_EQ(text.find("not enough device memory: "), 0U) << text;
      EXPECT_EQ(hook.alive(), alive);
      hook.fail_at(1);
      auto refiner = Refiner<T>::create(a.pattern(), factor, nrhs);
      EXPECT_EQ(hook.alive(), alive + 1);
      EXPECT_EQ(hook.bytes(), before + refiner.bytes()) << spec;
      EXPECT_EQ(backend.bytes_in_use(), counted);
      const std::vector<T> zeros(static_cast<std::size_t>(a.n()), T(0));
      const CallerArray<T> b(random_numbers<T>(a.n(), 1)), x(zeros);
      refiner.set_values(value);
      EXPECT_GE(
          refiner.refine(factor, this->view(b, a.n(), 1), this->view(x, a.n(), 1), workspace).steps,
          1)
          << spec;
      EXPECT_FALSE(hook.failed());
    }
    hook.fail_at(std::numeric_limits<long>::max());
    EXPECT_EQ(hook.alive(), alive);
  }
  EXPECT_TRUE(hook.sound());
}

}  // namespace
}  // namespace kauri::test
