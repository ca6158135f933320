// Arguments that kauri::eigen::LLT rejects, states that it survives, and its additions to Eigen's
// interface.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "kauri/extras/generate.hpp"
#include "kauri/solve/solver.hpp"
#include "tests/eigen/systems.hpp"

namespace kauri::test {
namespace {

using SystemMatrix = Eigen::SparseMatrix<double>;
using Solver = kauri::eigen::LLT<SystemMatrix>;
using Eigen::VectorXd;

static_assert(!std::is_copy_constructible_v<Solver> && !std::is_copy_assignable_v<Solver>);

/// Returns the lower half of a kauri system.
SystemMatrix lower_half(const SymmetricView<double>& a) {
  const Pattern& p = a.pattern;
  std::vector<int> ptr(p.col_ptr.begin(), p.col_ptr.end());
  return Eigen::Map<const SystemMatrix>(p.n, p.n, static_cast<Eigen::Index>(p.nnz()), ptr.data(),
                                        p.row.data(), a.value.data());
}
SystemMatrix made(const std::string& spec) { return lower_half(generate(spec).view()); }

SystemMatrix diagonal(const std::vector<double>& d) {
  SystemMatrix a(static_cast<Eigen::Index>(d.size()), static_cast<Eigen::Index>(d.size()));
  for (int i = 0; i < static_cast<int>(d.size()); ++i)
    a.insert(i, i) = d[static_cast<std::size_t>(i)];
  return a;
}

bool all_nan(const Eigen::MatrixXd& x) { return x.size() > 0 && x.array().isNaN().all(); }

TEST(EigenCalls, NotPositiveDefiniteIsToldAndSurvived) {
  SystemMatrix a = made("poisson2d 6");
  const SystemMatrix sound = a;
  a.coeffRef(17, 17) = -3;
  const VectorXd b = VectorXd::Ones(36);
  Solver solver(a);
  EXPECT_EQ(solver.info(), Eigen::NumericalIssue);
  ASSERT_TRUE(solver.breakdown().has_value());
  EXPECT_FALSE(solver.breakdown()->pivot > 0);
  EXPECT_NE(solver.lastErrorMessage().find("column " + std::to_string(solver.breakdown()->column)),
            std::string::npos);
  EXPECT_TRUE(all_nan(solver.solve(b)));
  EXPECT_TRUE(all_nan(Eigen::MatrixXd(SystemMatrix(solver.solve(SystemMatrix(sound))))));
  EXPECT_THROW(static_cast<void>(solver.factor()), Error);
  EXPECT_THROW(static_cast<void>(solver.matrixL()), Error);
  EXPECT_THROW(static_cast<void>(solver.determinant()), Error);

  const auto plan = solver.analysis().plan;
  solver.factorize(sound);
  ASSERT_EQ(solver.info(), Eigen::Success);
  EXPECT_EQ(solver.analysis().plan, plan);
  EXPECT_FALSE(solver.breakdown().has_value());
  EXPECT_EQ(solver.lastErrorMessage(), "");
  EXPECT_EQ(difference(VectorXd(sound.selfadjointView<Eigen::Lower>() * solver.solve(b)), b, 1e-13),
            "");
  EXPECT_EQ(solver.compute(a).info(), Eigen::NumericalIssue);
  EXPECT_EQ(solver.compute(sound).info(), Eigen::Success);
}

TEST(EigenCalls, RefinedSolvesAreJudged) {
  const SystemMatrix a = made("poisson2d 6");
  const VectorXd b = VectorXd::Ones(36);
  VectorXd bad = b;
  bad(17) = std::numeric_limits<double>::quiet_NaN();
  Solver solver(a);
  EXPECT_TRUE(VectorXd(solver.solve(bad)).array().isNaN().any());
  EXPECT_EQ(solver.info(), Eigen::Success) << "nobody measured";
  solver.setRefinement(true);
  const VectorXd x = solver.solve(b);
  EXPECT_EQ(solver.info(), Eigen::Success);
  EXPECT_TRUE(VectorXd(solver.solve(bad)).array().isNaN().any());
  EXPECT_EQ(solver.info(), Eigen::NoConvergence);
  EXPECT_NE(solver.lastErrorMessage().find("is not finite"), std::string::npos)
      << solver.lastErrorMessage();
  EXPECT_TRUE(VectorXd(solver.solve(b)) == x) << "solves go on";
  EXPECT_EQ(solver.info(), Eigen::NoConvergence) << "until the next factorisation";
  ASSERT_EQ(solver.factorize(a).info(), Eigen::Success);
  EXPECT_EQ(solver.lastErrorMessage(), "");

  // Factorises other values, so that L does not belong to A.
  SymmetricMatrix<double> other = generate("poisson2d 6");
  for (Index j = 0; j < 36; ++j)
    other.value()[static_cast<std::size_t>(other.pattern().col_ptr[j])] += 50;
  ASSERT_TRUE(
      refactorize<double>(const_cast<Factor<double>&>(solver.factor()), other.value()).ok());
  const SystemMatrix sparse = Eigen::MatrixXd(b).sparseView();
  for (const bool of_sparse : {false, true}) {
    ASSERT_EQ(solver.info(), Eigen::Success);
    const VectorXd y =
        of_sparse ? VectorXd(SystemMatrix(solver.solve(sparse))) : VectorXd(solver.solve(b));
    EXPECT_NE(difference(VectorXd(a.selfadjointView<Eigen::Lower>() * y), b, 1e-3), "");
    EXPECT_EQ(solver.info(), Eigen::NoConvergence);
    EXPECT_NE(solver.lastErrorMessage().find("the backward error is 0."), std::string::npos)
        << solver.lastErrorMessage();
    EXPECT_NE(solver.lastErrorMessage().find("expected at most 1.49"), std::string::npos)
        << solver.lastErrorMessage();
    if (of_sparse) break;
    ASSERT_EQ(solver.factorize(a).info(), Eigen::Success);
    ASSERT_TRUE(
        refactorize<double>(const_cast<Factor<double>&>(solver.factor()), other.value()).ok());
  }
  EXPECT_EQ(solver.compute(a).info(), Eigen::Success);
  EXPECT_TRUE(VectorXd(solver.solve(b)) == x);
}

TEST(EigenCalls, WhatIsInsideTheViewsOfL) {
  const Solver solver(made("poisson2d 3"));
  const Solver::CholMatrixType& l = solver.matrixL().nestedExpression();  // the call that g2o uses
  EXPECT_EQ(&l, &solver.matrixL().nestedExpression());
  EXPECT_EQ(Eigen::MatrixXd(solver.matrixU().nestedExpression()), Eigen::MatrixXd(l).transpose());
}

TEST(EigenCalls, TheColumnOfABreakdownIsTheCallers) {
  std::vector<double> d(20, 1.0);
  d[13] = -2;
  Solver solver(diagonal(d));
  ASSERT_TRUE(solver.breakdown().has_value());
  EXPECT_EQ(solver.breakdown()->column, 13);
  EXPECT_EQ(solver.breakdown()->pivot, -2);
  EXPECT_EQ(solver.lastErrorMessage(), "A is not positive definite: column 13 met the pivot -2");
  d[13] = -1e-12;
  solver.compute(diagonal(d));
  EXPECT_EQ(solver.lastErrorMessage(),
            "A is not positive definite: column 13 met the pivot -1e-12");
}

TEST(EigenCalls, AnotherPatternIsRefusedAndNothingIsLost) {
  const SystemMatrix a = made("poisson2d 5"), larger = made("poisson2d 6");
  SystemMatrix more = a, fewer = a, shorter = a, moved = a;
  more.coeffRef(24, 0) = 0.25;
  fewer.prune([](Eigen::Index row, Eigen::Index col, double) { return row != 1 || col != 0; });
  shorter.prune([](Eigen::Index, Eigen::Index col, double) { return col != 24; });
  moved.prune([](Eigen::Index row, Eigen::Index col, double) { return row != 1 || col != 0; });
  moved.coeffRef(2, 0) = -1;
  const SystemMatrix wide(25, 26);
  const VectorXd b = VectorXd::Ones(25);
  Solver solver(a);
  const VectorXd x = solver.solve(b);
  const auto plan = solver.analysis().plan;
  for (const SystemMatrix& other :
       std::vector<SystemMatrix>{more, fewer, shorter, moved, larger, wide}) {
    EXPECT_EQ(solver.factorize(other).info(), Eigen::InvalidInput);
    EXPECT_NE(solver.lastErrorMessage().find("another pattern"), std::string::npos)
        << solver.lastErrorMessage();
    EXPECT_FALSE(solver.breakdown().has_value());
    EXPECT_TRUE(all_nan(solver.solve(b)));
    EXPECT_EQ(solver.rows(), 25);
    ASSERT_EQ(solver.factorize(a).info(), Eigen::Success);
    EXPECT_EQ(solver.analysis().plan, plan);
    EXPECT_TRUE(VectorXd(solver.solve(b)) == x);
  }
  const SystemMatrix both = a.selfadjointView<Eigen::Lower>();
  EXPECT_EQ(solver.factorize(both).info(), Eigen::Success) << "the half that is read is the same";
}

TEST(EigenCalls, InvalidInputIsToldAndSurvived) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const SystemMatrix a = made("poisson2d 4");
  SystemMatrix bad = a;
  bad.coeffRef(5, 1) = nan;
  Solver solver;
  EXPECT_EQ(solver.factorize(a).info(), Eigen::InvalidInput) << "nothing analysed";
  EXPECT_EQ(solver.compute(SystemMatrix(3, 4)).info(), Eigen::InvalidInput) << "not square";
  EXPECT_NE(solver.lastErrorMessage().find("3 rows and 4 columns"), std::string::npos)
      << solver.lastErrorMessage();
  EXPECT_EQ(solver.factorize(a).info(), Eigen::InvalidInput) << "the last analysis failed";
  EXPECT_EQ(solver.compute(bad).info(), Eigen::InvalidInput);
  EXPECT_NE(solver.lastErrorMessage().find("(5, 1)"), std::string::npos)
      << solver.lastErrorMessage();
  EXPECT_EQ(solver.analyzePattern(bad).info(), Eigen::Success) << "no value is looked at";
  EXPECT_EQ(solver.factorize(a).info(), Eigen::Success);
  EXPECT_EQ(solver.setShift(nan).factorize(a).info(), Eigen::InvalidInput);
  EXPECT_EQ(solver.setShift(0).factorize(a).info(), Eigen::Success);

  const std::vector<int> ptr{0, 2, 3}, row{0, 0, 1};
  const std::vector<double> value{1, 1, 1};
  SystemMatrix twice(
      2, 2);  // built in place, since copying a map of it would be an assertion of Eigen
  twice.resizeNonZeros(3);
  std::copy(ptr.begin(), ptr.end(), twice.outerIndexPtr());
  std::copy(row.begin(), row.end(), twice.innerIndexPtr());
  std::copy(value.begin(), value.end(), twice.valuePtr());
  EXPECT_EQ(solver.compute(twice).info(), Eigen::InvalidInput);
  EXPECT_NE(solver.lastErrorMessage().find("twice"), std::string::npos)
      << solver.lastErrorMessage();

  AnalyzeOptions options;
  options.permutation = Permutation::identity(3);
  EXPECT_EQ(solver.setOptions(options).compute(a).info(), Eigen::InvalidInput)
      << "a permutation of another size";
  EXPECT_EQ(solver.setOptions({}).compute(a).info(), Eigen::Success);
}

/// Diagonal entries count as offset + scale * d, as in Eigen's solver; entries that are not stored
/// count as 0.
TEST(EigenCalls, Shifts) {
  SystemMatrix a = made("poisson2d 5");
  a.prune([](Eigen::Index row, Eigen::Index col, double) { return row != 7 || col != 7; });
  Solver solver;
  EXPECT_EQ(solver.compute(a).info(), Eigen::NumericalIssue);
  EXPECT_EQ(&solver.setShift(5, 0.5), &solver);
  ASSERT_EQ(solver.factorize(a).info(), Eigen::Success);
  Eigen::MatrixXd shifted = SystemMatrix(a.selfadjointView<Eigen::Lower>());
  shifted.diagonal() = (5 + 0.5 * shifted.diagonal().array()).matrix();
  EXPECT_EQ(
      difference(Eigen::MatrixXd(solver.solve(shifted)), Eigen::MatrixXd::Identity(25, 25), 1e-13),
      "");
  EXPECT_NEAR(solver.determinant() / shifted.determinant(), 1, 1e-12);
  EXPECT_EQ(solver.setShift(0).factorize(a).info(), Eigen::NumericalIssue)
      << "the scale is 1 again";
}

TEST(EigenCalls, DeterminantsThatProductsDoNotReach) {
  Solver solver(diagonal({1e200, 1e200, 1e-200, 1e-200, 3}));
  EXPECT_NEAR(solver.determinant(), 3, 1e-13);
  EXPECT_NEAR(solver.logDeterminant(), std::log(3), 1e-12);
  solver.compute(diagonal({1e200, 1e200}));
  EXPECT_EQ(solver.determinant(), std::numeric_limits<double>::infinity());
  EXPECT_NEAR(solver.logDeterminant(), 400 * std::log(10), 1e-9);
  solver.compute(diagonal({1e-200, 1e-200}));
  EXPECT_EQ(solver.determinant(), 0);
}

TEST(EigenCalls, DeterminantsToFullDigits) {
  const struct {
    double scale;
    int rows;
  } cases[] = {{2, 10}, {3, 3},      {3, 30},       {0.5, 30},     {10, 15},
               {7, 18}, {1.375, 10}, {0x1p1023, 1}, {0x1p-1022, 1}};
  for (const auto& [scale, rows] : cases) {
    const SystemMatrix a = diagonal(std::vector<double>(static_cast<std::size_t>(rows), scale));
    EXPECT_EQ(Solver(a).determinant(), std::pow(scale, rows)) << scale;
    if (scale > 1e30 || scale < 1e-30) continue;
    const Eigen::SparseMatrix<float> single = a.cast<float>();
    EXPECT_EQ(kauri::eigen::LLT<Eigen::SparseMatrix<float>>(single).determinant(),
              static_cast<float>(std::pow(scale, rows)))
        << scale;
  }
  EXPECT_EQ(Solver(diagonal({3, 5, 7, 1, 1024})).determinant(), 107520);
}

TEST(EigenCalls, OptionsAndBackends) {
  const SystemMatrix a = made("poisson2d 9");
  const auto backend = std::make_shared<Backend>(cpu_backend(1));
  {
    Solver solver, second;
    solver.setOrdering(OrderingMethod::rcm).setBackend(backend).compute(a);
    second.setOrdering(OrderingMethod::natural).setBackend(backend).compute(a);
    EXPECT_EQ(solver.analysis().plan->ordering, OrderingMethod::rcm);
    EXPECT_EQ(second.analysis().plan->ordering, OrderingMethod::natural);
    EXPECT_GT(backend->bytes_in_use(), 0);
    const VectorXd b = VectorXd::Ones(81);
    const VectorXd x = solver.solve(b);
    EXPECT_EQ(difference(x, VectorXd(second.solve(b)), 1e-13), "");
    EXPECT_GT(backend->bytes_in_use(),
              solver.analysis().plan->peak_bytes(8) + second.analysis().plan->peak_bytes(8));
    solver.setBackend(nullptr);
    EXPECT_TRUE(VectorXd(solver.solve(b)) == x) << "from the next analysis on";
    EXPECT_EQ(solver.factorize(a).info(), Eigen::Success);
    EXPECT_TRUE(VectorXd(solver.solve(b)) == x);
    EXPECT_EQ(solver.compute(a).info(), Eigen::Success);
    EXPECT_LT(backend->bytes_in_use(),
              solver.analysis().plan->peak_bytes(8) + second.analysis().plan->peak_bytes(8))
        << "cpu_backend() again";
    second.setOptions({}).compute(a);
    EXPECT_EQ(second.analysis().plan->ordering,
              analyze(generate("poisson2d 9").pattern())->ordering);
  }
  EXPECT_EQ(backend->bytes_in_use(), 0);
}

/// Refinement gives the bits of kauri::Solver's.
TEST(EigenCalls, RefinementIsThatOfSolver) {
  const auto a = generate("elast3d 5 --shuffle 2");
  const SystemMatrix eigen_a = lower_half(a.view());
  SolverOptions options;
  options.backend = BackendChoice::cpu;
  kauri::Solver<double> reference(options);
  ASSERT_TRUE(reference.compute(a.view()).ok());
  std::vector<double> b;
  for (Index i = 0; i < a.n(); ++i) b.push_back(1 + i % 5);
  const std::vector<double> refined = reference.solve(b);
  const VectorXd expected = VectorXd::Map(refined.data(), a.n()),
                 rhs = VectorXd::Map(b.data(), a.n());
  Solver solver(eigen_a);
  const VectorXd plain = solver.solve(rhs);
  EXPECT_EQ(plain == expected, reference.report().refinement.steps ==
                                   0);  // with some compilers' rounding refinement gains nothing
  EXPECT_TRUE(VectorXd(solver.setRefinement(true).solve(rhs)) == expected);
  RefineOptions none;
  none.max_steps = 0;
  EXPECT_TRUE(VectorXd(solver.setRefinement(none).solve(rhs)) == plain);
  EXPECT_TRUE(VectorXd(solver.setRefinement(false).solve(rhs)) == plain);
}

TEST(EigenCalls, SeveralThreadsSolveAtOnce) {
  const SystemMatrix a = made("poisson2d 30");
  for (const bool refine : {false, true}) {
    Solver mutable_solver;
    mutable_solver.setRefinement(refine).compute(a);
    const Solver& solver = mutable_solver;
    std::vector<Eigen::MatrixXd> b, expected;
    for (int t = 0; t < 8; ++t) {
      b.push_back(Eigen::MatrixXd::Random(900, 1 + 5 * t));
      expected.emplace_back(solver.solve(b.back()));
    }
    std::vector<int> wrong(8, 0);
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&, t] {
        for (int round = 0; round < 20; ++round) {
          const Eigen::MatrixXd x = solver.solve(b[static_cast<std::size_t>(t)]);
          wrong[static_cast<std::size_t>(t)] += x == expected[static_cast<std::size_t>(t)] ? 0 : 1;
          if (round == 7) static_cast<void>(solver.matrixL());
        }
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, std::vector<int>(8, 0));
  }
}

}  // namespace
}  // namespace kauri::test
