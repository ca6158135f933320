// Tests values that are not finite: errors name their row and column, and refinement does not hide
// them.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "kauri/kauri.hpp"
#include "src/checks/find_non_finite.hpp"

namespace kauri {
namespace {

template <class Work>
Error error_of(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    return error;
  }
  return {ErrorKind::usage, "nothing was thrown"};
}

TEST(FindNonFinite, NamesTheFirstByColumns) {
  const auto a = generate("tree 200 3");
  EXPECT_FALSE(find_non_finite(a.view()));
  const Pattern p = a.pattern();
  for (const double wrong : {std::nan(""), HUGE_VAL, -HUGE_VAL})
    for (Index column = 0; column < p.n; ++column)
      for (Offset k = p.col_ptr[column]; k < p.col_ptr[column + 1]; ++k) {
        std::vector<double> value(a.value().begin(), a.value().end());
        value[k] = value.back() = wrong;
        const auto entry = find_non_finite<double>({p, value});
        ASSERT_TRUE(entry);
        ASSERT_EQ(entry->column, column);
        ASSERT_EQ(entry->row, p.row[k]);
        ASSERT_FALSE(std::isfinite(entry->value));
      }
  EXPECT_FALSE(
      find_non_finite<double>({generate("poisson2d 1").pattern(), std::vector<double>{1}}));
}

TEST(Solver, NamesRowAndColumnOfAnEntryThatIsNotFinite) {
  const auto a = generate("poisson2d 8 --shuffle 2");
  const Pattern p = a.pattern();
  const Index column = 20;
  ASSERT_GT(p.col_ptr[column + 1] - p.col_ptr[column], 1);
  const Offset place = p.col_ptr[column] + 1;
  const std::string name = "(" + std::to_string(p.row[place]) + ", " + std::to_string(column) + ")";
  std::vector<double> value(a.value().begin(), a.value().end());
  value[place] = std::nan("");
  Solver<double> solver;
  const Error first = error_of([&] { (void)solver.compute({p, value}); });
  EXPECT_EQ(first.kind(), ErrorKind::input);
  EXPECT_NE(std::string(first.what()).find(name), std::string::npos) << first.what();
  ASSERT_TRUE(solver.compute(a.view()).ok());
  const Error second = error_of([&] { (void)solver.refactorize(value); });
  EXPECT_NE(std::string(second.what()).find(name), std::string::npos) << second.what();
  ASSERT_TRUE(solver.refactorize(a.value()).ok());
}

TEST(Solver, ChecksTheLeadingDimensionBeforeItReads) {
  const auto a = generate("poisson2d 4");
  Solver<double> solver;
  ASSERT_TRUE(solver.compute(a.view()).ok());
  // The vector ends where ld = 3 < n ends, so AddressSanitizer reports any read beyond it.
  std::vector<double> x(16 + 3, 1.0);
  const std::vector<double> before = x;
  for (const Offset ld : {Offset{3}, Offset{0}, Offset{-16}}) {
    const Error error = error_of([&] { solver.solve(MatrixView<double>{x.data(), 16, 2, ld}); });
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(
        std::string(error.what())
            .find("Solver::solve: x has 2 columns and leading dimension " + std::to_string(ld)),
        std::string::npos)
        << error.what();
  }
  EXPECT_THROW(solver.solve(MatrixView<double>{x.data(), 15, 1, 15}), Error);
  EXPECT_THROW(solver.solve(MatrixView<double>{x.data(), 16, -1, 16}), Error);
  EXPECT_EQ(x, before);
}

/// Tests diag(least, 1, 1) with three right-hand sides, of which only entry (0, 1) of x overflows.
template <class T>
Refinement overflowing(std::vector<T>& x) {
  const std::vector<Index> index{0, 1, 2};
  const std::vector<T> value{std::numeric_limits<T>::min(), 1, 1};
  const auto a = SymmetricMatrix<T>::from_triplets(3, index, index, value, Storage::lower);
  x.assign(9, T(1));
  x[0] = x[6] = 0;
  x[3] = T(1e10);
  Solver<T> solver;
  EXPECT_TRUE(solver.compute(a.view()).ok());
  solver.solve(MatrixView<T>{x.data(), 3, 3, 3});
  return solver.report().refinement;
}

template <class T>
void expect_visible() {
  std::vector<T> x;
  const Refinement done = overflowing(x);
  EXPECT_FALSE(std::isfinite(x[3]));
  EXPECT_EQ(x[4], T(1));
  EXPECT_EQ(done.steps, 0);
  for (const BackwardError& error : {done.unrefined, done.final_error}) {
    EXPECT_FALSE(std::isfinite(error.normwise));
    EXPECT_FALSE(std::isfinite(error.componentwise));
  }
}

TEST(Refine, ASolutionThatOverflowsStaysVisible) {
  expect_visible<double>();
  expect_visible<float>();
}

}  // namespace
}  // namespace kauri
