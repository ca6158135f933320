// Tests mixed precision on a CUDA device and on the emulated one: runs the CPU's test bodies, with
// vectors on the device.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "numeric/cuda/refine/mixed_kernels.hpp"
#include "tests/numeric/cuda/runtime/hook.hpp"
#include "tests/support/bodies/mixed.hpp"
#include "tests/support/bodies/mixed_refusals.hpp"
#include "tests/support/device/cuda_ways.hpp"

namespace kauri::test {
namespace {

/// The backend chooses the kernels of the factor in float; the way W fixes those of the factor in
/// double.
template <class W>
class CudaMixedFactors : public OnCuda<W> {
 protected:
  PlanOf plan_of() {
    return [this](const Pattern& pattern) { return this->plan(pattern); };
  }
  /// Returns whether the device is the emulated one, which is slow.
  bool emulated() { return this->backend().device() == "emulated"; }
  /// Plain TF32 has 11 bits in place of 24, so the tests lower the condition numbers accordingly.
  static constexpr CudaCompute kCompute = W::compute;
  static constexpr bool kPlain = kCompute == CudaCompute::tf32;
  static constexpr double kCoarser = kPlain ? 0x1p13 : 1;
};
/// The kernels that a backend chooses by itself: Hopper's in double, if they run.
struct AsTaken {
  using T = double;
  static constexpr CudaCompute compute = CudaCompute::automatic;
  static constexpr bool by_level = false, portable = false;
};
/// The portable way solves by sweeps in float, as cards do whose FP64 is slow.
using MixedWays =
    ::testing::Types<LevelByLevel<double>, Way<double, CudaCompute::fma>, AsTaken,
                     Way<double, CudaCompute::tf32>, Way<double, CudaCompute::fma, true>>;
TYPED_TEST_SUITE(CudaMixedFactors, MixedWays);

TYPED_TEST(CudaMixedFactors, RefineAsTheNaiveLoop) {
  std::vector<std::string> specs{"poisson2d 1", "arrow 40 2", "slow 3", "slow 4", "slow 5",
                                 "slow 12",     "slow 17",    "stiff 3"};  // 17: sums of two blocks
  if (TestFixture::kPlain)
    specs = {"poisson2d 1", "arrow 40 2"};  // others need larger shifts than the naive loop has
  if (!this->emulated() && TestFixture::kPlain)
    specs.insert(specs.end(), {"poisson2d 20", "elast3d 6", "tree 3000 1"});
  if (!this->emulated() && !TestFixture::kPlain)
    specs.insert(specs.end(), {"poisson2d 40", "elast3d 6", "tree 3000 1", "arrow 5000 2",
                               "rgg3d 3000 12 1", "slow 20", "slow 22", "slow 60"});
  const bool halves = this->backend().mixed_kernels() == "fp16x3";
  CudaOptions floats;
  floats.compute = halves ? CudaCompute::fp16x3 : TestFixture::kCompute;
  floats.portable = TypeParam::portable;
  Backend of_float = cuda_backend(floats);
  const int taken_back =
      refinement_is_the_naive_mixed_loop(this->backend(), this->plan_of(), specs, of_float);
  EXPECT_EQ(taken_back > 0, !TestFixture::kPlain) << taken_back;
}

TYPED_TEST(CudaMixedFactors, PathsFollowTheCondition) {
  if (this->emulated()) {
    PathsTaken ways;
    for (const double condition : {1e4, 1e9})
      solve_at_condition(moved_laplacian(6, condition), this->backend(), this->plan_of(), "small",
                         ways, TestFixture::kCoarser);
    solve_at_condition(random_scaled(30, 1e10, 149, 2), this->backend(), this->plan_of(),
                       "small, far scaled", ways, TestFixture::kCoarser);
    EXPECT_GT(ways.conjugate_gradients, 0);
    return;
  }
  const PathsTaken ways = paths_follow_the_condition(this->backend(), this->plan_of(), 22, 9, 300,
                                                     TestFixture::kCoarser);
  if (TestFixture::kPlain) return;
  EXPECT_GT(ways.refinement, 30);
  EXPECT_GT(ways.conjugate_gradients, 15);
  EXPECT_GT(ways.shifted, 0);
}

TYPED_TEST(CudaMixedFactors, SpreadSpectraWantDouble) {
  spread_spectra_want_double(this->backend(), this->plan_of(), this->emulated() ? 26 : 100,
                             TestFixture::kCoarser);
}

TYPED_TEST(CudaMixedFactors, UnitsChangeNothing) {
  const std::vector<std::string> small{"poisson2d 5"},
      all{"poisson2d 20", "elast3d 5", "arrow 60 2"};
  units_change_nothing(this->backend(), this->plan_of(), this->emulated() ? small : all);
}

TYPED_TEST(CudaMixedFactors, IndefiniteAsInDouble) {
  const std::vector<std::string> small{"poisson2d 4"},
      all{"poisson2d 1", "poisson2d 12", "elast3d 4", "arrow 60 2", "blockdiag 9 4"};
  for (const std::string& spec : this->emulated() ? small : all)
    indefinite_as_in_double(this->backend(), this->plan_of(), spec, 1e-10);
}

TYPED_TEST(CudaMixedFactors, NearlyDefiniteIsNeverWrong) {
  nearly_definite_is_never_wrong(this->backend(), this->plan_of(), this->emulated() ? 5 : 16);
}

TYPED_TEST(CudaMixedFactors, ColumnsGoTheirOwnWays) {
  columns_go_their_own_ways<CallerArray<double>>(this->backend(), this->plan_of(),
                                                 this->emulated() ? 5 : 17);
}

/// Sweeps of several columns in float have other bits than those of one, which sweeps in double
/// round away. Sweeps by multiply-adds are in float unless Hopper's run: here they solve each
/// column alone.
TYPED_TEST(CudaMixedFactors, ColumnsAreAsEachAlone) {
  CudaOptions options;
  options.compute = TypeParam::compute, options.portable = TypeParam::portable;
  if (TypeParam::compute == CudaCompute::fma) options.solves_together = 1;
  Backend backend = cuda_backend(options);
  columns_are_as_each_alone(backend, this->plan_of(),
                            generate(this->emulated() ? "poisson2d 6" : "elast3d 7"));
  columns_are_as_each_alone(backend, this->plan_of(),
                            moved_laplacian(this->emulated() ? 5 : 20, 1e9));
}

TYPED_TEST(CudaMixedFactors, SmallSystems) {
  small_mixed_systems(this->backend(), this->plan_of());
  no_shift_hides_a_diagonal(this->backend(), this->plan_of());
}

/// The front is large enough for the matrix kernels: a factor with three correct digits is a
/// preconditioner, and x is as accurate as in full precision.
TEST(CudaMixedLoops, PlainTf32Preconditions) {
  if (!has_device()) GTEST_SKIP() << "no CUDA device";
  const SymmetricMatrix<double> a = spread_spectrum(150, 30, 5);
  const ScaledSystem scaled(a);
  const std::vector<double> b = right_hand_side(a, false, 1);
  const bool halves = cuda_backend().mixed_kernels() == "fp16x3";
  MixedReport of[2];
  for (const CudaCompute compute :
       {CudaCompute::tf32x3, CudaCompute::tf32, CudaCompute::automatic}) {
    Backend backend = cuda_backend(CudaOptions{.device = 0, .allocator = {}, .compute = compute});
    const bool plain = compute == CudaCompute::tf32;
    AnalyzeOptions options;
    options.target = backend.target();
    MixedFactor mixed =
        mixed_of(a, backend, [&](const Pattern& pattern) { return analyze(pattern, options); });
    ASSERT_TRUE(mixed.refactorize(a.value()).ok());
    std::vector<double> x;
    const auto solved = solve_one(mixed, b, x);
    const MixedReport& report = solved.value();
    EXPECT_TRUE(report.converged());
    EXPECT_EQ(report.path, MixedPath::refinement);
    EXPECT_EQ(report.kernels, plain                                         ? "tf32"
                              : halves && compute == CudaCompute::automatic ? "fp16x3"
                                                                            : "tf32x3");
    EXPECT_LE(scaled.error(x, b), 5 * kEps);
    EXPECT_LT(report.contraction, 0.1);
    of[plain ? 1 : 0] = report;
    if (!plain) {
      EXPECT_LT(report.unrefined.componentwise, 1e-6) << report.kernels;
    }
  }
  EXPECT_GT(of[1].unrefined.componentwise, 1e-5);
  EXPECT_GT(of[1].steps, of[0].steps);
}

/// Solver offers mixed precision on a device, too.
TEST(CudaMixedSolver, SolvesAsInFullPrecision) {
  if (!has_device()) GTEST_SKIP() << "no CUDA device";
  SolverOptions options;
  options.backend = BackendChoice::cuda;
  options.precision = Precision::mixed;
  if (cuda_backend().device() == "emulated")
    solver_solves_as_in_full_precision(options, 6, {1, 3});
  else
    solver_solves_as_in_full_precision(options, 30, {1, 5, 40});
}

/// Dot products of small integers are exact for any number of blocks.
TEST(CudaMixedKernels, Dots) {
  if (!has_device()) GTEST_SKIP() << "no CUDA device";
  const CallerArray<numeric::Dots> parts{std::vector<numeric::Dots>(numeric::cuda::kDotBlocks)},
      sum{std::vector<numeric::Dots>(1)};
  for (const Index n : {1, 31, 256, 257, 1000, 70000}) {
    std::vector<double> u(static_cast<std::size_t>(n)), v(u.size()), w(u.size());
    numeric::Dots expected{0, 0};
    for (std::size_t i = 0; i < u.size(); ++i) {
      u[i] = static_cast<double>(i % 7) - 3, v[i] = static_cast<double>(i % 11) - 4,
      w[i] = static_cast<double>(i % 13);
      expected.first += u[i] * v[i], expected.second += u[i] * w[i];
    }
    const CallerArray<double> a(u), b(v), c(w);
    numeric::cuda::enqueue_dots(n, a.data(), b.data(), c.data(), parts.data(), sum.data(), nullptr);
    const numeric::Dots found = sum.fetch().front();
    EXPECT_EQ(found.first, expected.first) << n;
    EXPECT_EQ(found.second, expected.second) << n;
  }
}

TYPED_TEST(CudaMixedFactors, LoopsAreAsFresh) {
  loops_are_as_fresh(this->backend(), this->plan_of(), this->emulated() ? 26 : 60);
}

TYPED_TEST(CudaMixedFactors, Refuse) {
  what_mixed_factors_refuse(this->backend(), this->plan_of());
}

/// The factor reports the bytes it takes beside factor and workspace. If an allocation fails, the
/// call throws and nothing remains held; this includes the factor in double that a solve has to
/// make.
TYPED_TEST(CudaMixedFactors, EachAllocationMayFail) {
  Hook hook;
  Backend backend = cuda_backend(
      CudaOptions{.device = 0, .allocator = hook.allocator(), .compute = TypeParam::compute});
  const auto a = spread_spectrum(26, 1e13, 1);
  const std::vector<double> b = right_hand_side(a, false, 1);
  const auto plan = this->plan(a.pattern());
  std::vector<double> x;
  long failures = 0;
  for (long k = 0;; ++k) {
    hook.fail_at(k);
    const std::string text = error_text(ErrorKind::memory, [&] {
      auto mixed = MixedFactor::create(a.pattern(), plan, backend);
      EXPECT_EQ(hook.bytes(), backend.bytes_in_use() + mixed.bytes());
      ASSERT_TRUE(mixed.refactorize(a.value()).ok());
      ASSERT_TRUE(solve_one(mixed, b, x).value().converged());
      EXPECT_TRUE(mixed.in_double());
    });
    EXPECT_EQ(hook.alive(), 0U) << k;
    EXPECT_EQ(backend.bytes_in_use(), 0) << k;
    if (text == "no Error") break;
    EXPECT_EQ(text.find("not enough device memory: "), 0U) << text;
    ++failures;
  }
  EXPECT_EQ(failures, 7);  // plan, factor, rows, vectors, workspace; factor and workspace in double
  hook.fail_at(std::numeric_limits<long>::max());
  // A solve that failed for lack of memory may be called again.
  auto mixed = MixedFactor::create(a.pattern(), plan, backend);
  ASSERT_TRUE(mixed.refactorize(a.value()).ok());
  const std::vector<double> expected = x;
  if (!mixed.in_double()) {
    hook.fail_at(0);
    EXPECT_NE(error_text(ErrorKind::memory, [&] { (void)solve_one(mixed, b, x); }), "no Error");
    hook.fail_at(std::numeric_limits<long>::max());
    ASSERT_TRUE(mixed.valid());
  }
  hook.fail_at(std::numeric_limits<long>::max());
  ASSERT_TRUE(solve_one(mixed, b, x).ok());
  EXPECT_EQ(x, expected);
  EXPECT_TRUE(hook.sound());
}

}  // namespace
}  // namespace kauri::test
