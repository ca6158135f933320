// Tests FusedSolve on a CUDA device and on the emulated one: with each arithmetic, on streams and
// in graphs.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/numeric/cuda/runtime/hook.hpp"
#include "tests/numeric/cuda/runtime/runtime.hpp"
#include "tests/support/bodies/fused.hpp"
#include "tests/support/device/cuda_ways.hpp"

namespace kauri::test {
namespace {

template <class W>
class CudaFusedSolves : public OnCuda<W> {
 protected:
  using Array = CallerArray<typename W::T>;
  /// Factors with one TF32 product in place of three have three digits.
  static constexpr double kTolerance =
      W::compute == CudaCompute::tf32 ? 0.02 : 20 * inverse_tolerance<typename W::T>();
  bool emulated() { return this->backend().device() == "emulated"; }
  PlanOf plan_of() {
    return [this](const Pattern& pattern) { return this->plan(pattern); };
  }
};
TYPED_TEST_SUITE(CudaFusedSolves, TaskWays, TaskWayNumbers);

TYPED_TEST(CudaFusedSolves, AreTheDenseOnes) {
  std::vector<OwnedPattern> patterns{OwnedPattern{},    diagonal_pattern(1),
                                     chain_pattern(40), star_pattern(30, 29),
                                     dense_pattern(70), grid_pattern(6, 5, 2)};
  if (!this->emulated()) {
    patterns = hard_patterns();
    for (const OwnedPattern& a :
         {dense_pattern(63), dense_pattern(64), dense_pattern(130), grid_pattern(9, 8, 5)})
      patterns.push_back(a);
  }
  const std::vector<Index> few{1, 3}, many{1, 2, 9, 33};
  fused_solves_are_the_dense_ones<typename TypeParam::T, typename TestFixture::Array>(
      this->backend(), this->plan_of(), patterns, this->emulated() ? few : many, this->kTolerance);
}

TYPED_TEST(CudaFusedSolves, AreAsGoodAsThoseOfFactors) {
  const std::vector<std::string> few{"poisson2d 9", "tree 300 1"},
      many{"poisson2d 100",  "elast3d 8",    "tree 30000 1", "arrow 3000 2",
           "blockdiag 30 7", "poisson3d 20", "shell2d 40"};
  fused_errors_are_those_of_factors<typename TypeParam::T>(this->backend(), this->plan_of(),
                                                           this->emulated() ? few : many);
}

TYPED_TEST(CudaFusedSolves, TellWhereThereIsNoFactor) {
  if (TypeParam::compute == CudaCompute::tf32) GTEST_SKIP() << "pivots of three digits";
  fused_breakdowns<typename TypeParam::T, typename TestFixture::Array>(
      this->backend(), this->plan_of(), this->emulated() ? 3 : 40);
}

TYPED_TEST(CudaFusedSolves, NameWhatIsNotFinite) {
  if (TypeParam::compute == CudaCompute::tf32) GTEST_SKIP() << "solutions of three digits";
  fused_solves_name_what_is_not_finite<typename TypeParam::T, typename TestFixture::Array>(
      this->backend(), this->plan_of(), grid_pattern(5, 4, 1));
  if (!this->emulated())
    fused_solves_name_what_is_not_finite<typename TypeParam::T, typename TestFixture::Array>(
        this->backend(), this->plan_of(), dense_pattern(100));
}

/// The largest system has one front with pivots of A and of the border in one tile, and of the
/// border alone in the last tile.
TYPED_TEST(CudaFusedSolves, InAnyUnits) {
  std::vector<OwnedPattern> patterns{dense_pattern(100)};
  if (!this->emulated())
    patterns = {grid_pattern(6, 5, 2), dense_pattern(64), dense_pattern(100), dense_pattern(128),
                grid_pattern(9, 8, 5)};
  fused_solves_in_any_units<typename TypeParam::T, typename TestFixture::Array>(
      this->backend(), this->plan_of(), patterns, this->kTolerance);
}

TYPED_TEST(CudaFusedSolves, HaveTheVerdictsOfFactors) {
  if (TypeParam::compute == CudaCompute::tf32) GTEST_SKIP() << "pivots of three digits";
  std::vector<OwnedPattern> patterns = hard_patterns();
  if (this->emulated()) patterns = {OwnedPattern{}, caterpillar_pattern(31), dense_pattern(70)};
  fused_verdicts_are_those_of_factors<typename TypeParam::T>(this->backend(), this->plan_of(),
                                                             patterns);
}

TYPED_TEST(CudaFusedSolves, CountTheirBytes) {
  fused_solves_count_their_bytes<typename TypeParam::T>(this->backend(), this->plan_of());
}

TYPED_TEST(CudaFusedSolves, Refuse) {
  using T = typename TypeParam::T;
  what_fused_solves_refuse<T>(this->backend(), this->plan_of());
  const OwnedPattern a = chain_pattern(3);
  auto fused = FusedSolve<T>::create(a.view(), this->plan(a.view()), this->backend());
  std::vector<T> host{4, 1, 4, 1, 4};
  const auto values = DeviceValues<T>::copy_of(host, this->backend());
  const CallerArray<T> array(host);
  const DeviceMatrixView<T> there({array.data(), 3, 1, 3}), here({host.data(), 3, 1, 3});
  const auto refused = [](const auto& f) { return error_text(ErrorKind::usage, f); };
  EXPECT_EQ(
      refused([&] { fused.enqueue_solve(DeviceValues<T>::borrow(host), there, there, nullptr); }),
      "FusedSolve: value is not in the memory of CUDA device 0 but in the host's");
  EXPECT_EQ(refused([&] { (void)fused.solve(values, here, there); }),
            "FusedSolve: b is not in the memory of CUDA device 0 but in the host's");
  EXPECT_EQ(refused([&] { (void)fused.solve(values, there, here); }),
            "FusedSolve: x is not in the memory of CUDA device 0 but in the host's");
  // A refused call leaves nothing behind, not even in a capture.
  ASSERT_TRUE(fused.solve(values, there, there).ok());
  const CallerStream stream;
  const CallerGraph graph(stream, [&](cudaStream_t s) {
    EXPECT_THROW(fused.enqueue_solve(values, there, here, s), Error);
    EXPECT_EQ(fused.verdict().status, VerdictStatus::positive_definite);
    fused.enqueue_solve(values, there, there, s);
  });
  const CallerGraph alone(stream,
                          [&](cudaStream_t s) { fused.enqueue_solve(values, there, there, s); });
  EXPECT_EQ(graph.nodes(), alone.nodes());
  Backend halves =
      cuda_backend(CudaOptions{.device = 0, .allocator = {}, .compute = CudaCompute::fp16x3});
  if (halves.target() == "sm_90" && sizeof(T) == sizeof(float)) {
    EXPECT_EQ(refused([&] { (void)FusedSolve<T>::create(a.view(), this->plan(a.view()), halves); }),
              "FusedSolve: CudaCompute::fp16x3 needs a scaled matrix, and right-hand sides are not "
              "scaled; choose another CudaCompute");
  }
}

/// A FusedSolve takes the bytes that it reports beside factor and workspace; if an allocation
/// fails, it throws an Error, and nothing remains held.
TYPED_TEST(CudaFusedSolves, EachAllocationMayFail) {
  using T = typename TypeParam::T;
  Hook hook;
  Backend backend = cuda_backend(CudaOptions{.device = 0,
                                             .allocator = hook.allocator(),
                                             .compute = TypeParam::compute,
                                             .portable = TypeParam::portable});
  const FusedCase<T> c(dense_pattern(70), 2, 1);
  const auto plan = this->plan(c.pattern.view());
  long failures = 0;
  for (long k = 0;; ++k) {
    hook.fail_at(k);
    const std::string text = error_text(ErrorKind::memory, [&] {
      auto fused = FusedSolve<T>::create(c.pattern.view(), plan, backend, 2);
      EXPECT_EQ(hook.bytes(), backend.bytes_in_use());
      std::vector<T> x(c.b.size());
      ASSERT_TRUE(
          fused.solve(c.value, {c.b.data(), c.n(), 2, c.n()}, {x.data(), c.n(), 2, c.n()}).ok());
    });
    EXPECT_EQ(hook.alive(), 0U) << k;
    EXPECT_EQ(backend.bytes_in_use(), 0) << k;
    if (text == "no Error") break;
    EXPECT_EQ(text.find("not enough device memory: "), 0U) << text;
    ++failures;
  }
  EXPECT_EQ(failures, 4);  // plan, factor, workspace, border
}

/// A step that is captured once and replayed with other numbers allocates nothing and has the bits
/// of a call.
TYPED_TEST(CudaFusedSolves, AreCaptured) {
  using T = typename TypeParam::T;
  for (const Index cols : {1, 4}) {
    const OwnedPattern a = this->emulated() ? grid_pattern(6, 5, 2) : grid_pattern(14, 13, 12);
    const Index n = a.n();
    auto fused = FusedSolve<T>::create(a.view(), this->plan(a.view()), this->backend(), cols);
    auto values = DeviceValues<T>::copy_of(random_dominant<T>(a.view(), 1), this->backend());
    CallerArray<T> b(dense_numbers<T>(n, cols, 1)), x(dense_numbers<T>(n, cols, 2));
    const DeviceMatrixView<T> bs({b.data(), n, cols, n}), xs({x.data(), n, cols, n});
    const CallerStream stream;
    const Offset before = this->backend().bytes_in_use();
    const CallerGraph graph(stream,
                            [&](cudaStream_t s) { fused.enqueue_solve(values, bs, xs, s); });
    for (std::uint64_t seed = 1; seed < 4; ++seed) {
      values.assign(random_dominant<T>(a.view(), seed));
      b.assign(dense_numbers<T>(n, cols, seed));
      graph.launch(stream);
      ASSERT_EQ(fused.fetch_verdict(stream.get()).status, VerdictStatus::positive_definite);
      const std::vector<T> replayed = x.fetch();
      ASSERT_TRUE(fused.solve(values, bs, xs).ok());
      EXPECT_TRUE(is_same(x.fetch(), replayed)) << seed;
    }
    EXPECT_EQ(this->backend().bytes_in_use(), before);
    DeviceVerdict there;
    require(cudaMemcpy(&there, fused.verdict_address(), sizeof there, cudaMemcpyDeviceToHost));
    EXPECT_EQ(there.status, VerdictStatus::positive_definite);
  }
}

}  // namespace
}  // namespace kauri::test
