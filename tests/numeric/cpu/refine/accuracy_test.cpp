// Tests residuals, backward errors and refinement, and that the accuracy check detects a damaged
// factor.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "kauri/kauri.hpp"
#include "numeric/cpu/factor/factor.hpp"
#include "symbolic/plan/internals.hpp"
#include "tests/support/systems/exact.hpp"

namespace kauri {
namespace {

std::vector<double> random_vector(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> b(size);
  for (double& v : b) v = std::uniform_real_distribution<double>(-1, 1)(random);
  return b;
}

const char* const kSystems[] = {"poisson2d 40", "poisson3d 12", "lap27 9",
                                "shell2d 30",   "elast3d 7",    "rgg3d 2000 10 1",
                                "tree 5000 1",  "arrow 600 5",  "blockdiag 310 16"};

TEST(Residual, EqualsAnExactSumInLongDouble) {
  Backend backend = cpu_backend(2);
  for (const char* spec : kSystems) {
    const auto a = generate(spec);
    const auto n = static_cast<std::size_t>(a.n());
    const auto x = random_vector(n, 1), b = random_vector(n, 2);
    std::vector<double> r(n);
    residual<double>(a.view(), column_view(std::span(x)), column_view(std::span(b)),
                     column_view(std::span(r)), backend);
    std::vector<long double> exact(b.begin(), b.end()), magnitude(n);
    for (Index j = 0; j < a.n(); ++j)
      for (Offset k = a.pattern().col_ptr[j]; k < a.pattern().col_ptr[j + 1]; ++k) {
        const Index i = a.pattern().row[k];
        const long double v = a.value()[k];
        exact[i] -= v * x[j], magnitude[i] += std::abs(v * x[j]);
        if (i != j) exact[j] -= v * x[i], magnitude[j] += std::abs(v * x[i]);
      }
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_LE(std::abs(r[i] - exact[i]),
                1e-16L * std::abs(exact[i]) + 1e-17L * (magnitude[i] + 1))
          << spec << " row " << i;
  }
}

TEST(Residual, BackwardErrorsFollowTheirDefinition) {
  // The system is A = [4 1; 1 3], x = (1, 2), b = (6, 7.5), so r = (0, 0.5).
  const std::vector<Index> row{0, 1, 1}, col{0, 0, 1};
  const std::vector<double> value{4, 1, 3};
  const auto a = SymmetricMatrix<double>::from_triplets(2, row, col, value, Storage::lower);
  const std::vector<double> x{1, 2}, b{6, 7.5};
  Backend backend = cpu_backend(1);
  const auto e = backward_error<double>(a.view(), column_view(std::span(x)),
                                        column_view(std::span(b)), backend);
  EXPECT_DOUBLE_EQ(e.normwise, 0.5 / (5 * 2 + 7.5));
  EXPECT_DOUBLE_EQ(e.componentwise, 0.5 / (1 * 1 + 3 * 2 + 7.5));
  const std::vector<double> nan{1, std::nan("")};
  EXPECT_TRUE(std::isnan(backward_error<double>(a.view(), column_view(std::span(nan)),
                                                column_view(std::span(b)), backend)
                             .normwise));
  EXPECT_THROW((void)backward_error<double>(a.view(), column_view(std::span(x).first(1)),
                                            column_view(std::span(b)), backend),
               Error);
  const MatrixView<const double> negative{x.data(), a.n(), -1, a.n()};
  EXPECT_THROW((void)backward_error<double>(a.view(), negative, negative, backend), Error);
}

/// Returns the errors of one solve before and after refinement.
template <class T>
Refinement solve_once(const SymmetricMatrix<double>& a, Backend& backend, Index nrhs) {
  const auto value = test::cast<T>(a.value());
  const SymmetricView<T> view{a.pattern(), value};
  const auto plan = analyze(a.pattern());
  auto factor = factorize<T>(plan, value, backend);
  EXPECT_TRUE(factor.ok());
  auto workspace = Workspace<T>::create(plan, nrhs, backend);
  const auto wide = random_vector(static_cast<std::size_t>(a.n()) * nrhs, 3);
  const std::vector<T> b(wide.begin(), wide.end());
  std::vector<T> x = b;
  factor.value().solve({x.data(), a.n(), nrhs, a.n()}, workspace);
  return refine<T>(view, factor.value(), {b.data(), a.n(), nrhs, a.n()},
                   {x.data(), a.n(), nrhs, a.n()}, workspace);
}

TEST(Accuracy, DoubleAndFloatReachTheirBounds) {
  Backend backend = cpu_backend(2);
  for (const char* spec : kSystems) {
    const auto a = generate(spec);
    const Refinement d = solve_once<double>(a, backend, 3);
    EXPECT_LE(d.unrefined.componentwise, 1e-14) << spec;
    EXPECT_LE(d.final_error.componentwise, 1e-15) << spec;
    EXPECT_LE(d.steps, 2);
    const Refinement f = solve_once<float>(a, backend, 3);
    EXPECT_LE(f.unrefined.componentwise, 5e-6) << spec;
    EXPECT_LE(f.final_error.componentwise, 5e-7) << spec;
  }
}

/// Returns the error of a solve after `damage(plan, values)` has changed the stored values of L.
template <class Damage>
double error_with_damaged_factor(const SymmetricMatrix<double>& a, const Damage& damage) {
  Backend backend = cpu_backend(1);
  AnalyzeOptions options;
  options.ordering.method = OrderingMethod::amd;
  const auto plan = analyze(a.pattern(), options);
  auto factor = factorize<double>(plan, a.value(), backend);
  auto workspace = Workspace<double>::create(factor.value(), 1);
  damage(*plan, dynamic_cast<numeric::cpu::CpuFactor<double>&>(factor.value().store()).values());
  const auto b = random_vector(static_cast<std::size_t>(a.n()), 4);
  std::vector<double> x = b;
  factor.value().solve(column_view(std::span(x)), workspace);
  return backward_error<double>(a.view(), column_view(std::span<const double>(x)),
                                column_view(std::span(b)), backend)
      .componentwise;
}

/// Calls f(entry) for each stored entry of L below the diagonal.
template <class F>
void below_diagonal(const Plan& plan, double* l, const F& f) {
  const Supernodes& sn = plan.supernodes;
  for (Index s = 0; s < sn.count(); ++s)
    for (Index j = 0; j < sn.pivots(s); ++j)
      for (Index i = j + 1; i < sn.order(s); ++i)
        f(l[plan.internals->panel_ptr[s] + i + Offset{j} * sn.order(s)]);
}

TEST(Accuracy, TheCheckSeesARoundedOrSlightlyWrongFactor) {
  for (const char* spec : {"poisson2d 15", "elast3d 3", "tree 200 1"}) {
    const auto a = generate(spec);
    EXPECT_LE(error_with_damaged_factor(a, [](const Plan&, double*) {}), 1e-14) << spec;
    EXPECT_GT(error_with_damaged_factor(a,
                                        [](const Plan& plan, double* l) {
                                          for (Offset k = 0; k < plan.internals->panel_ptr.back();
                                               ++k)
                                            l[k] = static_cast<double>(static_cast<float>(l[k]));
                                        }),
              1e-14)
        << spec;
    EXPECT_GT(error_with_damaged_factor(a,
                                        [](const Plan& plan, double* l) {
                                          double* largest = nullptr;
                                          below_diagonal(plan, l, [&](double& v) {
                                            if (!largest || std::abs(v) > std::abs(*largest))
                                              largest = &v;
                                          });
                                          *largest *= 1 + 1e-8;
                                        }),
              1e-14)
        << spec;
  }
}

TEST(Refine, ImprovesAPoorSolutionAndLeavesBAlone) {
  Backend backend = cpu_backend(2);
  const auto a = generate("elast3d 6");
  const auto plan = analyze(a.pattern());
  auto factor = factorize<double>(plan, a.value(), backend);
  ASSERT_TRUE(factor.ok());
  auto workspace = Workspace<double>::create(plan, 1, backend);
  const auto b = random_vector(static_cast<std::size_t>(a.n()), 5);
  std::vector<double> x = b;
  factor.value().solve(column_view(std::span(x)), workspace);
  for (double& v : x) v *= 1 + 1e-6;
  const auto before = b;
  const Refinement done = refine<double>(a.view(), factor.value(), column_view(std::span(b)),
                                         column_view(std::span(x)), workspace);
  EXPECT_GE(done.unrefined.componentwise, 1e-8);
  EXPECT_LE(done.final_error.componentwise, 1e-15);
  EXPECT_GE(done.steps, 1);
  EXPECT_EQ(b, before);
  const Refinement none = refine<double>(a.view(), factor.value(), column_view(std::span(b)),
                                         column_view(std::span(x)), workspace, {.max_steps = 0});
  EXPECT_EQ(none.steps, 0);
  EXPECT_DOUBLE_EQ(none.final_error.componentwise, done.final_error.componentwise);
}

TEST(Solver, EverydayUse) {
  const auto a = generate("poisson3d 9");
  Solver<double> solver;
  const auto b = random_vector(static_cast<std::size_t>(a.n()), 6);
  EXPECT_THROW((void)solver.solve(b), Error);
  EXPECT_THROW((void)solver.refactorize(a.value()), Error);
  EXPECT_THROW((void)solver.plan(), Error);
  ASSERT_TRUE(solver.compute(a.view()).ok());
  auto x = solver.solve(b);
  EXPECT_LE(solver.report().refinement.final_error.componentwise, 1e-15);
  EXPECT_EQ(solver.plan().n, a.n());
  // This solver takes new values on the same pattern, a failure in between, and a shift.
  std::vector<double> value(a.value().begin(), a.value().end());
  for (double& v : value) v *= 2;
  ASSERT_TRUE(solver.refactorize(value).ok());
  const auto half = solver.solve(b);
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(half[i], x[i] / 2, 1e-12);
  value[0] = -1;
  const auto failed = solver.refactorize(value);
  ASSERT_FALSE(failed.ok());
  EXPECT_THROW((void)solver.solve(b), Error);
  ASSERT_TRUE(solver.refactorize(value, 20.0).ok());
  (void)solver.solve(b);
  EXPECT_LE(solver.report().refinement.final_error.componentwise, 1e-15);
  EXPECT_THROW((void)solver.solve(std::span(b).first(3)), Error);
}

TEST(Solver, ConcurrentSolvesOnOneFactorGiveTheSameBits) {
  const auto a = generate("poisson3d 14");
  Backend backend = cpu_backend(2);
  const auto plan = analyze(a.pattern());
  const auto factor = factorize<double>(plan, a.value(), backend);
  ASSERT_TRUE(factor.ok());
  const auto b = random_vector(static_cast<std::size_t>(a.n()), 7);
  std::vector<std::vector<double>> x(4, b);
  std::vector<std::thread> threads;
  for (auto& mine : x)
    threads.emplace_back([&] {
      auto workspace = Workspace<double>::create(plan, 1, backend);
      for (int round = 0; round < 20; ++round) {
        mine = b;
        factor.value().solve(column_view(std::span(mine)), workspace);
      }
    });
  for (auto& t : threads) t.join();
  for (const auto& other : x) EXPECT_EQ(other, x[0]);
}

}  // namespace
}  // namespace kauri
