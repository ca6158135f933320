// Tests that nearly singular systems are reported and well-conditioned ones are not, whatever their
// units, on the CPU; bodies_test.cpp tests devices.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/bodies/pivot.hpp"
#include "tests/support/process/seeds.hpp"

namespace kauri {
namespace {

template <class T>
class Pivots : public ::testing::Test {
 protected:
  Backend backend_ = cpu_backend(1);
  test::PlanOf plan_of_ = [](const Pattern& pattern) { return analyze(pattern); };
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Pivots, Scalars);

TYPED_TEST(Pivots, TheWorstIsThatOfElimination) {
  test::worst_pivots_are_those_of_elimination<TypeParam>(this->backend_, this->plan_of_,
                                                         test::seeds(40));
}

TYPED_TEST(Pivots, UnitsChangeNoRatio) {
  test::units_change_no_ratio<TypeParam>(this->backend_, this->plan_of_);
}

TYPED_TEST(Pivots, OfNothingAndOfAnotherPattern) {
  test::worst_pivots_of_nothing_and_of_another_pattern<TypeParam>(this->backend_, this->plan_of_);
}

/// Ordinary systems stay above ten times the limit, also in float.
TYPED_TEST(Pivots, OrdinarySystemsAreFarFromTheLimit) {
  for (const char* spec :
       {"poisson2d 1", "poisson2d 100", "poisson3d 16", "lap27 12", "elast3d 8",
        "elast3d 8 --holes 1 0.2", "shell2d 60", "aniso3d 12 1e-6", "rgg3d 3000 10 1",
        "tri2d 5000 1", "tree 5000 1", "arrow 1000 5", "blockdiag 1000 7"}) {
    const PivotLoss worst =
        test::PivotSystem<TypeParam>(generate(spec), this->backend_, this->plan_of_).worst();
    EXPECT_GE(worst.ratio(), 10 * worst.limit) << spec;
  }
}

TYPED_TEST(Pivots, LimitsAreAsTheCommentSays) {
  const double eps = std::numeric_limits<TypeParam>::epsilon();
  for (const char* spec : {"blockdiag 1 1", "poisson2d 2", "poisson2d 100"}) {
    const auto a = generate(spec);
    const PivotLoss worst = test::PivotSystem<TypeParam>(a, this->backend_, this->plan_of_).worst();
    EXPECT_EQ(worst.limit, std::min(1024.0 * a.n() * eps, std::sqrt(eps))) << spec;
  }
}

/// Holds a Solver and the texts of its warnings.
template <class T>
struct Told {
  std::vector<std::string> warning;
  Solver<T> solver;
  explicit Told(Precision precision = Precision::full) : solver(options(precision)) {}
  SolverOptions options(Precision precision) {
    SolverOptions made;
    made.backend = BackendChoice::cpu;
    made.threads = 1;
    made.precision = precision;
    made.on_message = [this](const Message& message) {
      if (message.level == MessageLevel::warning) warning.push_back(message.text);
    };
    return made;
  }
};

TEST(NearlySingular, HilbertIsTold) {
  const auto a = test::hilbert(12);
  Told<double> told;
  ASSERT_TRUE(told.solver.compute(a.view()).ok());
  ASSERT_TRUE(told.solver.report().nearly_singular.has_value());
  const PivotLoss& loss = *told.solver.report().nearly_singular;
  EXPECT_EQ(loss.column, told.solver.report().smallest_column);
  EXPECT_EQ(loss.pivot, told.solver.report().smallest_pivot);
  EXPECT_EQ(loss.diagonal, 1.0 / (2 * loss.column + 1));
  const std::string head = "A is nearly singular: elimination reduced the diagonal entry ",
                    column = " of column " + std::to_string(loss.column) + " ";
  ASSERT_EQ(told.warning.size(), 1U);
  EXPECT_EQ(told.warning[0].find(head), 0U) << told.warning[0];
  EXPECT_NE(told.warning[0].find(column), std::string::npos) << told.warning[0];
  EXPECT_NE(to_text(told.solver.report()).find("nearly singular: the pivot of column "),
            std::string::npos);
  // A refactorisation with other values is checked again.
  std::vector<double> value(a.value().begin(), a.value().end());
  for (Index j = 0; j < 12; ++j) value[a.pattern().col_ptr[j]] += 1;
  ASSERT_TRUE(told.solver.refactorize(value).ok());
  EXPECT_FALSE(told.solver.report().nearly_singular.has_value());
  ASSERT_TRUE(told.solver.refactorize_shifted(-1.0).ok());
  EXPECT_TRUE(told.solver.report().nearly_singular.has_value());
  ASSERT_TRUE(told.solver.refactorize_shifted(0.5).ok());
  EXPECT_FALSE(told.solver.report().nearly_singular.has_value());
  EXPECT_EQ(told.warning.size(), 2U);
  // A failed refactorisation reports the failure, not a nearly singular system.
  ASSERT_FALSE(told.solver.refactorize_shifted(-3.0).ok());
  EXPECT_FALSE(told.solver.report().nearly_singular.has_value());
  EXPECT_NE(told.warning.back().find("not positive definite"), std::string::npos);
}

TEST(NearlySingular, HilbertOfOrderSixIsSoInFloatAlone) {
  const auto a = test::hilbert(6);
  const std::vector<float> rounded(a.value().begin(), a.value().end());
  Told<double> in_double;
  ASSERT_TRUE(in_double.solver.compute(a.view()).ok());
  EXPECT_TRUE(in_double.warning.empty());
  Told<float> in_float;
  ASSERT_TRUE(in_float.solver.compute({a.pattern(), rounded}).ok());
  EXPECT_EQ(in_float.warning.size(), 1U);
}

/// The warning appears in any units. In other units the least pivot of all belongs to another
/// column than the nearly singular one.
TEST(NearlySingular, LaplaciansWithATinyShiftAreToldInAnyUnits) {
  for (const char* spec :
       {"rgg3d 800 8 1 --shift 1e-14", "tree 2000 1 --shift 1e-14", "tri2d 3000 1 --shift 1e-15"}) {
    const auto a = generate(spec);
    for (const int most : {0, 100, 400}) {
      const auto scaled = test::in_units(a, test::random_units(a.n(), most, 1));
      Told<double> told;
      ASSERT_TRUE(told.solver.compute(scaled.view()).ok());
      ASSERT_EQ(told.warning.size(), 1U) << spec << ", units up to 2^" << most;
      if (most > 0) {
        EXPECT_NE(told.solver.report().nearly_singular->column,
                  told.solver.report().smallest_column)
            << spec;
      }
    }
  }
}

TEST(NearlySingular, WellConditionedSystemsInAnyUnitsAreNot) {
  for (const char* spec : {"poisson2d 30", "elast3d 4", "tree 2000 1"}) {
    const auto a = generate(spec);
    for (const int most : {0, 100, 450}) {
      const auto scaled = test::in_units(a, test::random_units(a.n(), most, 1));
      Told<double> told;
      ASSERT_TRUE(told.solver.compute(scaled.view()).ok());
      EXPECT_TRUE(told.warning.empty()) << spec << ", units up to 2^" << most;
    }
    const auto scaled = test::in_units(a, test::random_units(a.n(), 50, 1));
    const std::vector<float> value(scaled.value().begin(), scaled.value().end());
    Told<float> told;
    ASSERT_TRUE(told.solver.compute({a.pattern(), value}).ok());
    EXPECT_TRUE(told.warning.empty()) << spec;
  }
}

/// Mixed precision warns only about a factor in double, even if the solve made it; a factor in
/// float is expected to lose that much.
TEST(NearlySingular, MixedPrecision) {
  const auto a = test::hilbert(12);
  Told<double> told(Precision::mixed);
  ASSERT_TRUE(told.solver.compute(a.view()).ok());
  (void)told.solver.solve(std::vector<double>(12, 1.0));
  ASSERT_EQ(told.solver.report().mixed.path, MixedPath::factor_in_double);
  EXPECT_EQ(told.warning.size(), 1U);
  EXPECT_TRUE(told.solver.report().nearly_singular.has_value());
  Told<double> good(Precision::mixed);
  ASSERT_TRUE(good.solver.compute(test::hilbert(6).view()).ok());
  (void)good.solver.solve(std::vector<double>(6, 1.0));
  EXPECT_TRUE(good.warning.empty());
}

/// R has 1 on its diagonal and -1 right of it, so no pivot shows that A = R^T R is nearly singular;
/// the condition estimate does.
TEST(NearlySingular, SomeSystemsHaveGoodPivotsAllTheSame) {
  const Index n = 26;
  std::vector<Index> row, col;
  std::vector<double> value;
  for (Index j = 0; j < n; ++j)
    for (Index i = j; i < n; ++i)
      row.push_back(i), col.push_back(j), value.push_back(i == j ? j + 1.0 : j - 1.0);
  const auto a = SymmetricMatrix<double>::from_triplets(n, row, col, value, Storage::lower);
  AnalyzeOptions natural;
  natural.permutation = Permutation::identity(n);
  Backend backend = cpu_backend(1);
  test::PivotSystem<double> s(a, backend,
                              [&](const Pattern& pattern) { return analyze(pattern, natural); });
  EXPECT_EQ(s.worst().pivot, 1);
  EXPECT_EQ(s.worst().column, n - 1);
  auto workspace = Workspace<double>::create(s.factor, 1);
  EXPECT_GT(estimate_condition<double>(a.view(), s.factor, workspace).condition(), 1e15);
}

}  // namespace
}  // namespace kauri
