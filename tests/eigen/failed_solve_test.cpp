// solve() without a factor, with Eigen's assertions on: NaN after every failure, an assertion if
// the caller omitted a call.
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/eigen/assertions.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "kauri/core/analysis.hpp"
#include "tests/eigen/systems.hpp"

namespace kauri::test {
namespace {

using SparseColumns = Eigen::SparseMatrix<double>;
using DenseColumns = Eigen::MatrixXd;

class EigenFailures : public ::testing::Test {
 protected:
  void SetUp() override {
    std::mt19937_64 random(4);
    a_ = dominant_matrix<SparseColumns>(kRows, 4, random);
    larger_ = dominant_matrix<SparseColumns>(kRows + 1, 4, random);
    bad_ = a_;
    bad_.coeffRef(3, 3) = std::numeric_limits<double>::quiet_NaN();
  }
  /// Expects that solve() returns NaN of this shape, for dense and sparse right-hand sides, and in
  /// place if the shape allows it.
  void expect_nan(Eigen::Index rows, Eigen::Index cols) {
    ASSERT_NE(solver_.info(), Eigen::Success);
    EXPECT_NE(solver_.lastErrorMessage(), "");
    const DenseColumns b = DenseColumns::Ones(rows, 3);
    const DenseColumns dense = solver_.solve(b),
                       sparse = SparseColumns(solver_.solve(SparseColumns(b.sparseView())));
    DenseColumns x = b;
    if (rows == cols) x = solver_.solve(x);
    for (const DenseColumns& y : {dense, sparse, rows == cols ? x : dense}) {
      EXPECT_EQ(y.rows(), cols);
      EXPECT_EQ(y.cols(), 3);
      EXPECT_TRUE(y.array().isNaN().all());
    }
  }
  /// Expects that the solver works again after the failure.
  void expect_recovery() {
    ASSERT_EQ(solver_.compute(a_).info(), Eigen::Success);
    const DenseColumns b = DenseColumns::Ones(kRows, 3);
    EXPECT_EQ(difference(DenseColumns(a_ * solver_.solve(b)), b, 1e-12), "");
  }

  static constexpr Eigen::Index kRows = 30;
  SparseColumns a_, larger_, bad_;
  eigen::LLT<SparseColumns> solver_;
};

TEST_F(EigenFailures, TheFirstFactorisationIsOfAnotherPattern) {
  ASSERT_EQ(solver_.analyzePattern(a_).info(), Eigen::Success);
  ASSERT_EQ(solver_.factorize(larger_).info(), Eigen::InvalidInput);
  expect_nan(kRows, kRows);
  expect_recovery();
  ASSERT_EQ(solver_.factorize(larger_).info(), Eigen::InvalidInput)
      << "now with a factor of before";
  expect_nan(kRows, kRows);
  expect_recovery();
}

TEST_F(EigenFailures, TheFirstFactorisationBreaksDown) {
  solver_.compute(-a_);
  EXPECT_EQ(solver_.info(), Eigen::NumericalIssue);
  expect_nan(kRows, kRows);
  expect_recovery();
}

TEST_F(EigenFailures, ValuesThatAreNotFinite) {
  solver_.compute(bad_);
  EXPECT_EQ(solver_.info(), Eigen::InvalidInput);
  expect_nan(kRows, kRows);
  expect_recovery();
}

TEST_F(EigenFailures, TheAnalysisFails) {
  AnalyzeOptions options;
  options.permutation = Permutation::identity(3);
  for (const bool alone : {true, false}) {
    solver_.setOptions(options);
    alone ? solver_.analyzePattern(a_) : solver_.compute(a_);
    EXPECT_EQ(solver_.info(), Eigen::InvalidInput);
    expect_nan(kRows, kRows);
    ASSERT_EQ(solver_.factorize(a_).info(), Eigen::InvalidInput) << "no plan";
    expect_nan(kRows, kRows);
    solver_.setOptions({});
    expect_recovery();
  }
}

TEST_F(EigenFailures, AMatrixThatIsNotSquare) {
  solver_.compute(SparseColumns(3, 4));
  EXPECT_EQ(solver_.info(), Eigen::InvalidInput);
  EXPECT_EQ(solver_.rows(), 3);
  EXPECT_EQ(solver_.cols(), 4);
  expect_nan(3, 4);
  solver_.compute(SparseColumns(5, 2));
  expect_nan(5, 2);
  expect_recovery();
}

TEST_F(EigenFailures, ACallThatWasForgottenIsAnAssertion) {
  const Eigen::VectorXd b = Eigen::VectorXd::Ones(kRows);
  EXPECT_THROW(Eigen::VectorXd(solver_.solve(b)), std::runtime_error) << "no call at all";
  EXPECT_THROW(static_cast<void>(solver_.info()), std::runtime_error);
  solver_.analyzePattern(a_);
  EXPECT_THROW(Eigen::VectorXd(solver_.solve(b)), std::runtime_error) << "a plan alone";
  solver_.factorize(a_);
  EXPECT_THROW(Eigen::VectorXd(solver_.solve(Eigen::VectorXd::Ones(kRows + 1))), std::runtime_error)
      << "too many rows";
  solver_.analyzePattern(a_);
  EXPECT_THROW(Eigen::VectorXd(solver_.solve(b)), std::runtime_error)
      << "a new plan gives up the factor";
}

}  // namespace
}  // namespace kauri::test
