// Tests mixed precision on the CPU, scaling by powers of two, and mixed precision in Solver.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "tests/support/bodies/mixed.hpp"
#include "tests/support/bodies/mixed_refusals.hpp"
#include "tests/support/process/many_threads.hpp"
#include "tests/support/process/seeds.hpp"

namespace kauri::test {
namespace {

std::shared_ptr<const Plan> mixed_plan(const Pattern& pattern) { return analyze(pattern); }

TEST(Scaling, IsThePowerOfTwoNextToTheRoot) {
  std::mt19937_64 random(1);
  constexpr double kInfinity = std::numeric_limits<double>::infinity(),
                   kMost = std::numeric_limits<double>::max();
  for (std::uint32_t seed = 0; seed < seeds(400); ++seed) {
    const double f = std::uniform_real_distribution<double>(1, 2)(random);
    const double diagonal = std::scalbn(f, static_cast<int>(random() % 2097) - 1074);
    const std::vector<Index> zero{0};
    const auto a = SymmetricMatrix<double>::from_triplets(
        1, zero, zero, std::vector<double>{diagonal}, Storage::lower);
    const SymmetricScaling scaling(a.view());
    EXPECT_TRUE(scaling.positive_diagonal());
    std::vector<double> scaled(1), back{1.0};
    scaling.apply(a.view(), std::span(scaled));
    EXPECT_GE(scaled[0], 0.5);
    EXPECT_LT(scaled[0], 2.0);
    EXPECT_EQ(std::scalbn(scaled[0], 2 * scaling.exponent()[0]), diagonal);  // no bit was lost
    scaling.apply(std::span(back));
    EXPECT_EQ(std::scalbn(back[0], scaling.exponent()[0]), 1.0);
  }
  const auto exponent_of = [](double v, bool positive) {
    const std::vector<Index> zero{0};
    const SymmetricScaling s(SymmetricMatrix<double>::from_triplets(
                                 1, zero, zero, std::vector<double>{v}, Storage::lower)
                                 .view());
    EXPECT_EQ(s.positive_diagonal(), positive) << v;
    return s.exponent()[0];
  };
  EXPECT_EQ(exponent_of(std::numeric_limits<double>::denorm_min(), true), -537);
  EXPECT_EQ(exponent_of(kMost, true), 512);
  for (const double v : {0.0, -0.0, -4.0, kInfinity, -kInfinity, std::nan("")})
    EXPECT_EQ(exponent_of(v, false), 0);
}

TEST(Scaling, FloatsAreFiniteAndNearOne) {
  const auto a = random_scaled(60, 1e4, 149, 3);
  const SymmetricScaling scaling(a.view());
  std::vector<float> rounded(static_cast<std::size_t>(a.nnz()));
  std::vector<double> scaled(rounded.size());
  scaling.apply(a.view(), std::span(rounded));
  scaling.apply(a.view(), std::span(scaled));
  for (std::size_t k = 0; k < rounded.size(); ++k) {
    EXPECT_LT(std::fabs(scaled[k]), 2);
    EXPECT_EQ(rounded[k], static_cast<float>(scaled[k]));
  }
  // No positive definite matrix has these off-diagonal entries; apply() clamps them.
  const std::vector<Index> row{0, 1, 1}, col{0, 0, 1};
  const auto off = [&](double v) {
    const auto b = SymmetricMatrix<double>::from_triplets(
        2, row, col, std::vector<double>{1e-300, v, 1e-300}, Storage::lower);
    std::vector<float> to(3);
    SymmetricScaling(b.view()).apply(b.view(), std::span(to));
    return to[1];
  };
  EXPECT_EQ(off(1e300), std::numeric_limits<float>::max());
  EXPECT_EQ(off(-1e300), -std::numeric_limits<float>::max());
  EXPECT_EQ(off(std::numeric_limits<double>::infinity()), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(off(std::nan(""))));
  std::vector<double> few(2);
  EXPECT_EQ(error_text(ErrorKind::usage, [&] { scaling.apply(std::span(few)); }),
            "SymmetricScaling: of 60 rows, x has 2, expected as many");
  EXPECT_NE(error_text(ErrorKind::usage, [&] { scaling.apply(a.view(), std::span(few)); }),
            "no Error");
  EXPECT_NE(error_text(ErrorKind::usage,
                       [&] {
                         (void)SymmetricScaling(SymmetricView<double>{a.pattern(), few});
                       }),
            "no Error");
}

/// The backward error is not 0 where |A||x| overflows.
TEST(Residuals, OfUnitsWhoseProductsOverflow) {
  const auto a = random_scaled(40, 1e3, 149, 4);
  Backend backend = cpu_backend(1);
  std::vector<double> b = right_hand_side(a, true, 2), x(b.size());
  MixedFactor mixed = mixed_of(a, backend, mixed_plan);
  ASSERT_TRUE(mixed.refactorize(a.value()).ok());
  ASSERT_TRUE(solve_one(mixed, b, x).value().converged());
  const auto error = [&] {
    return backward_error<double>(a.view(), column_view(std::span<const double>(x)),
                                  column_view(std::span<const double>(b)), backend);
  };
  EXPECT_LE(error().componentwise, kEps);
  std::size_t most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) most = std::fabs(x[i]) > std::fabs(x[most]) ? i : most;
  x[most] =
      std::scalbn(x[most], 400);  // A x stays finite, but the greatest row of |A| times x overflows
  const BackwardError wrong = error();
  EXPECT_GT(wrong.componentwise, 0.1);
  EXPECT_GT(wrong.normwise, 0);
}

TEST(Mixed, RefinesAsTheNaiveLoop) {
  const ManyThreads many;
  for (const int threads : {1, 3}) {
    Backend backend = cpu_backend(threads);
    const int taken_back = refinement_is_the_naive_mixed_loop(
        backend, mixed_plan,
        {"poisson2d 1",    "poisson2d 23",    "elast3d 4", "tree 700 1", "arrow 400 2",
         "blockdiag 30 7", "rgg3d 3000 12 1", "slow 15",   "slow 17",    "slow 20",
         "slow 21",        "slow 22",         "slow 23",   "slow 24",    "slow 25",
         "stiff 5",        "stiff 6",         "stiff 7",   "stiff 8",    "stiff 9",
         "stiff 10",       "stiff 11"},
        backend);
    EXPECT_GT(taken_back, 0);
  }
}

TEST(Mixed, PathsFollowTheCondition) {
  Backend backend = cpu_backend(2);
  const auto small = kSanitized;
  const PathsTaken ways = paths_follow_the_condition(backend, mixed_plan, small ? 12 : 22,
                                                     small ? 6 : 9, small ? 120 : 300);
  EXPECT_GT(ways.refinement, 30);
  EXPECT_GT(ways.conjugate_gradients, 15);
  EXPECT_GT(ways.shifted, 0);
}

TEST(Mixed, LargeSystemsOfKnownSpectra) {
  Backend backend = cpu_backend(2);
  for (const double condition : {1e5, 1e6, 1e7, 1e8, 1e10, 1e12}) {
    const auto a = moved_laplacian(kSanitized ? 60 : 150, condition);
    const ScaledSystem scaled(a);
    MixedFactor mixed = mixed_of(a, backend, mixed_plan);
    ASSERT_TRUE(mixed.refactorize(a.value()).ok());
    const std::vector<double> b = right_hand_side(a, false, 5);
    std::vector<double> x;
    const auto solved = solve_one(mixed, b, x);
    EXPECT_TRUE(solved.value().converged()) << condition;
    EXPECT_LE(scaled.error(x, b), 5 * kEps) << condition;
    if (condition <= 1e6) {
      EXPECT_EQ(solved.value().path, MixedPath::refinement) << condition;
    }
  }
}

TEST(Mixed, SpreadSpectraWantDouble) {
  Backend backend = cpu_backend(1);
  spread_spectra_want_double(backend, mixed_plan, 100);
}

TEST(Mixed, UnitsChangeNothing) {
  Backend backend = cpu_backend(2);
  units_change_nothing(backend, mixed_plan, {"poisson2d 9", "elast3d 4", "arrow 60 2"});
}

TEST(Mixed, IndefiniteAsInDouble) {
  Backend backend = cpu_backend(2);
  for (const char* spec :
       {"poisson2d 1", "poisson2d 12", "elast3d 4", "arrow 60 2", "blockdiag 9 4"})
    indefinite_as_in_double(backend, mixed_plan, spec, 0);
}

TEST(Mixed, NearlyDefiniteIsNeverWrong) {
  Backend backend = cpu_backend(1);
  nearly_definite_is_never_wrong(backend, mixed_plan, 16);
}

TEST(Mixed, ColumnsGoTheirOwnWays) {
  Backend backend = cpu_backend(2);
  columns_go_their_own_ways<HostArray<double>>(backend, mixed_plan, 17);
}

TEST(Mixed, SmallSystems) {
  Backend backend = cpu_backend(1);
  small_mixed_systems(backend, mixed_plan);
  no_shift_hides_a_diagonal(backend, mixed_plan);
}

TEST(Mixed, LoopsAreAsFresh) {
  Backend backend = cpu_backend(2);
  loops_are_as_fresh(backend, mixed_plan, 60);
}

TEST(Mixed, Refuse) {
  Backend backend = cpu_backend(1);
  what_mixed_factors_refuse(backend, mixed_plan);
}

TEST(Mixed, AnyNumberOfThreadsMakesTheSameBits) {
  const ManyThreads many;
  for (const double condition : {1e4, 1e9}) {
    const auto a = moved_laplacian(110, condition);  // several chunks
    const std::vector<double> b = right_hand_side(a, false, 1);
    std::vector<double> first, x;
    for (const int threads : {1, 2, 5}) {
      Backend backend = cpu_backend(threads);
      MixedFactor mixed = mixed_of(a, backend, mixed_plan);
      ASSERT_TRUE(mixed.refactorize(a.value()).ok());
      ASSERT_TRUE(solve_one(mixed, b, x).value().converged());
      if (threads == 1) first = x;
      EXPECT_EQ(x, first) << condition << ", threads: " << threads;
    }
  }
}

/// A factor in float takes half the memory; the test also checks the reported bytes.
TEST(Mixed, HoldsHalfTheMemory) {
  const auto a = generate("poisson3d 12");
  Backend backend = cpu_backend(1);
  const auto plan = mixed_plan(a.pattern());
  auto mixed = MixedFactor::create(a.pattern(), plan, backend);
  EXPECT_EQ(backend.bytes_in_use(), plan->peak_bytes(4) + plan->workspace_bytes(4, 1));
  EXPECT_LT(backend.bytes_in_use(), 0.6 * static_cast<double>(plan->peak_bytes(8)));
  const Offset n = a.n(), one = mixed.bytes();
  mixed.reserve(3);
  EXPECT_EQ(mixed.bytes() - one, 2 * (n * (4 * 8 + 4) + 12));
  EXPECT_EQ(backend.bytes_in_use(), plan->peak_bytes(4) + plan->workspace_bytes(4, 3));
}

SolverOptions mixed_options() {
  SolverOptions options;
  options.backend = BackendChoice::cpu;
  options.threads = 2;
  options.precision = Precision::mixed;
  return options;
}

TEST(MixedSolver, SolvesAsInFullPrecision) {
  solver_solves_as_in_full_precision(mixed_options(), 30, {1, 5, 40});
}

TEST(MixedSolver, TellsBreakdownsAndTakesShifts) {
  const auto a = generate("poisson2d 15");
  SymmetricMatrix<double> bad = a;
  for (Index j = 0; j < a.n(); ++j)
    bad.value()[static_cast<std::size_t>(a.pattern().col_ptr[j])] -= 2;
  SolverOptions full = mixed_options();
  full.precision = Precision::full;
  Solver<double> mixed(mixed_options()), exact(full);
  for (Solver<double>* solver : {&mixed, &exact}) {
    const auto outcome = solver->compute(bad.view());
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(solver->report().smallest_pivot, outcome.error().pivot);
    EXPECT_EQ(solver->report().smallest_column, outcome.error().column);
  }
  EXPECT_EQ(mixed.report().smallest_column, exact.report().smallest_column);
  EXPECT_EQ(mixed.report().smallest_pivot, exact.report().smallest_pivot);
  const std::vector<double> b = random_numbers<double>(a.n(), 1);
  EXPECT_EQ(error_text(ErrorKind::usage, [&] { (void)mixed.solve(b); })
                .find("MixedFactor: the factor is not valid"),
            0U);
  ASSERT_TRUE(mixed.refactorize_shifted(2).ok());
  ASSERT_TRUE(exact.refactorize_shifted(2).ok());
  std::vector<double> x = mixed.solve(b), y = exact.solve(b);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-12);
  ASSERT_TRUE(mixed.refactorize(bad.value(), 2).ok());
  EXPECT_EQ(mixed.solve(b), x);
  EXPECT_EQ(
      error_text(ErrorKind::usage, [&] { (void)mixed.refactorize(bad.value(), std::nan("")); }),
      "refactorize: the shift is nan, expected a finite number");
  bad.value()[3] = std::nan("");
  EXPECT_EQ(error_text(ErrorKind::input, [&] { (void)mixed.refactorize(bad.value()); }),
            error_text(ErrorKind::input, [&] { (void)exact.refactorize(bad.value()); }));
  EXPECT_EQ(
      error_text(ErrorKind::usage, [] { Solver<float> solver(mixed_options()); }),
      "Solver: mixed precision is for systems in double; use Solver<double> or Precision::full");
}

/// The bound is the same for both: a solution with an error above solved_error() is not converged,
/// whatever `accept` allows.
TEST(MixedSolver, WhatIsAcceptedIsNoSolutionAboveTheStatedBound) {
  const auto a = generate("poisson3d 12");
  const std::vector<double> b = right_hand_side(a, false, 2);
  SolverOptions options = mixed_options();
  MixedSolveOptions& how = options.mixed_solve;
  how.max_steps = 1, how.max_cg_steps = 0, how.accept = 1e-2;
  Backend backend = cpu_backend(2);
  auto factor = MixedFactor::create(a.pattern(), analyze(a.pattern()), backend);
  ASSERT_TRUE(factor.refactorize(a.value()).ok());
  for (const int steps : {1, 3}) {
    how.max_steps = steps;
    std::vector<double> x(b.size());
    const auto solved = factor.solve(column_view(std::span<const double>(b)),
                                     column_view(std::span<double>(x)), how);
    ASSERT_TRUE(solved.ok());
    const MixedReport& report = solved.value();
    EXPECT_EQ(report.error.componentwise > solved_error<double>(), steps == 1)
        << report.error.componentwise;
    EXPECT_LT(report.error.componentwise, how.accept);
    EXPECT_EQ(report.unconverged, steps == 1 ? 1 : 0);
    Solver<double> solver(options);
    ASSERT_TRUE(solver.compute(a.view()).ok());
    (void)solver.solve(b);
    EXPECT_EQ(solver.report().status, steps == 1 ? SolveStatus::not_converged : SolveStatus::ok);
    EXPECT_EQ(solver.report().mixed.unconverged, report.unconverged);
  }
}

/// Only the solve detects the negative eigenvalue: x is NaN, the report says so, and the factor is
/// invalid afterwards.
TEST(MixedSolver, ANegativeEigenvalueThatFloatDoesNotSee) {
  int found = 0;
  for (const double negative : {-1e-6, -1e-7, -1e-8}) {
    const auto a = moved_laplacian(16, 8 / negative);
    Solver<double> solver(mixed_options());
    if (!solver.compute(a.view())) continue;
    const std::vector<double> b = right_hand_side(a, false, 2), x = solver.solve(b);
    if (!std::isnan(x[0])) {
      EXPECT_LE(ScaledSystem(a).error(x, b), 5 * kEps);
      continue;
    }
    ++found;
    for (const double v : x) ASSERT_TRUE(std::isnan(v));
    EXPECT_EQ(solver.report().mixed.unconverged, 1);
    EXPECT_TRUE(std::isnan(solver.report().refinement.final_error.componentwise));
    EXPECT_LT(solver.report().smallest_pivot, 0);
    EXPECT_NE(error_text(ErrorKind::usage, [&] { (void)solver.solve(b); }), "no Error");
  }
  EXPECT_GT(found, 0);
}

}  // namespace
}  // namespace kauri::test
