// Tests verdicts, enqueued refactorisations and retries on the CPU, which has no streams: the same
// calls are done when they return.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "kauri/kauri.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/process/many_threads.hpp"
#include "tests/support/systems/exact.hpp"

namespace kauri {
namespace {

using test::error_text;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T>
class Verdicts : public ::testing::Test {
 protected:
  static std::pair<double, Index> least_square(const Factor<T>& factor) {
    std::pair<double, Index> least(kInfinity, kNone);
    for (Index j = 0; j < factor.plan().n; ++j) {
      const auto root = static_cast<double>(factor.entry(j, j));
      if (root * root < least.first) least = {root * root, factor.plan().perm.old_of(j)};
    }
    return least;
  }
  static std::vector<T> solution(const Factor<T>& factor) {
    std::vector<T> x(static_cast<std::size_t>(factor.plan().n), T(1));
    auto workspace = Workspace<T>::create(factor, 1);
    factor.solve(column_view(std::span<T>(x)), workspace);
    return x;
  }
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Verdicts, Scalars);

TYPED_TEST(Verdicts, TheSmallestPivotIsThatOfTheEntriesForAnyNumberOfThreads) {
  using T = TypeParam;
  const test::ManyThreads many;
  for (const char* spec : {"poisson2d 1", "poisson2d 30", "poisson3d 9", "elast3d 5", "tree 700 3",
                           "blockdiag 300 120", "rgg3d 900 10 2"}) {
    const auto a = generate(spec);
    auto value = test::cast<T>(a.value());
    value[a.pattern().col_ptr[a.n() / 2]] *= T(0.875);  // one pivot is less than the others
    double first = 0;
    for (const int threads : {1, 2, 8}) {
      Backend backend = cpu_backend(threads);
      auto factor = Factor<T>::create(analyze(a.pattern()), backend);
      EXPECT_EQ(factor.verdict(), DeviceVerdict{});
      ASSERT_TRUE(refactorize<T>(factor, value, T(0.5)).ok()) << spec;
      EXPECT_EQ(factor.verdict().status, VerdictStatus::positive_definite);
      EXPECT_EQ(factor.verdict().column, kNone);
      EXPECT_EQ(std::pair(factor.verdict().smallest_pivot, factor.verdict().smallest_column),
                this->least_square(factor))
          << spec;
      if (threads == 1) first = factor.verdict().smallest_pivot;
      EXPECT_EQ(factor.verdict().smallest_pivot, first) << spec << " " << threads;
    }
  }
}

TYPED_TEST(Verdicts, OfNoColumnsAndOfABreakdown) {
  using T = TypeParam;
  Backend backend = cpu_backend(1);
  const auto nothing = SymmetricMatrix<T>::from_triplets(
      0, std::vector<Index>{}, std::vector<Index>{}, std::vector<T>{}, Storage::lower);
  const auto empty = factorize<T>(analyze(nothing.pattern()), nothing.value(), backend);
  EXPECT_EQ(empty.value().verdict(),
            (DeviceVerdict{VerdictStatus::positive_definite, kNone, 0, kInfinity}));
  const auto a = generate("poisson2d 12");
  auto value = test::cast<T>(a.value());
  value[a.pattern().col_ptr[70]] = T(-1);
  auto factor = Factor<T>::create(analyze(a.pattern()), backend);
  const auto failed = refactorize<T>(factor, value);
  ASSERT_FALSE(failed.ok());
  const double pivot = failed.error().pivot;
  EXPECT_EQ(factor.verdict(),
            (DeviceVerdict{VerdictStatus::not_positive_definite, failed.error().column, pivot,
                           pivot, failed.error().column}));
}

TYPED_TEST(Verdicts, WhatIsEnqueuedIsDoneAtOnce) {
  using T = TypeParam;
  const auto a = generate("poisson2d 12");
  const auto value = test::cast<T>(a.value());
  Backend backend = cpu_backend(1);
  const auto plan = analyze(a.pattern());
  auto factor = Factor<T>::create(plan, backend), other = Factor<T>::create(plan, backend);
  const DeviceVerdict* place = factor.verdict_address();
  EXPECT_EQ(place->status, VerdictStatus::none);
  auto there = DeviceValues<T>::copy_of(value, backend);
  enqueue_refactorize(factor, there, T(3), nullptr);
  EXPECT_EQ(factor.verdict_address(), place);
  EXPECT_EQ(place->status, VerdictStatus::positive_definite);
  EXPECT_EQ(factor.fetch_verdict(nullptr), *place);
  EXPECT_TRUE(factor.valid());
  ASSERT_TRUE(refactorize<T>(other, value, T(3)).ok());
  EXPECT_EQ(this->solution(factor), this->solution(other));
  auto broken = value;
  broken[5] = std::numeric_limits<T>::quiet_NaN();
  there.assign(broken);
  enqueue_refactorize(factor, there, T(0), nullptr);  // throws no Error and leaves a verdict
  EXPECT_EQ(place->status, VerdictStatus::not_positive_definite);
  EXPECT_FALSE(factor.valid());
  int stream = 0;
  const std::string refused = "a factor on the CPU has no streams: pass null";
  EXPECT_EQ(
      error_text(ErrorKind::usage, [&] { enqueue_refactorize(factor, there, T(0), &stream); }),
      refused);
  EXPECT_EQ(error_text(ErrorKind::usage, [&] { factor.fetch_verdict(&stream); }), refused);
  const auto few = DeviceValues<T>::borrow(std::span<const T>(value).first(4));
  EXPECT_EQ(error_text(ErrorKind::usage, [&] { enqueue_refactorize(factor, few, T(0), nullptr); }),
            "refactorize: 4 values, the pattern has " + std::to_string(a.nnz()) + " entries");
}

TYPED_TEST(Verdicts, AnotherShiftOfTheSameValues) {
  using T = TypeParam;
  const auto a = generate("poisson3d 7");
  auto value = test::cast<T>(a.value());
  value[a.pattern().col_ptr[70]] = T(-1);
  Backend backend = cpu_backend(2);
  const auto plan = analyze(a.pattern());
  auto factor = Factor<T>::create(plan, backend), fresh = Factor<T>::create(plan, backend);
  ASSERT_FALSE(refactorize<T>(factor, value).ok());
  EXPECT_FALSE(refactorize_shifted<T>(factor, value, T(0.125)).ok());
  for (const T shift : {T(10), T(20), T(10)}) {
    ASSERT_TRUE(refactorize_shifted<T>(factor, value, shift).ok());
    ASSERT_TRUE(refactorize<T>(fresh, value, shift).ok());
    EXPECT_EQ(this->solution(factor), this->solution(fresh));
  }
}

TYPED_TEST(Verdicts, TheSolverTakesAnotherShift) {
  using T = TypeParam;
  const auto a = generate("poisson3d 7");
  auto value = test::cast<T>(a.value());
  value[a.pattern().col_ptr[70]] = T(-1);
  SolverOptions options;
  options.threads = 1;
  Solver<T> solver(options), fresh(options);
  const std::string none =
      "Solver::refactorize_shifted: no values were factorised; call compute() or refactorize() "
      "first";
  EXPECT_EQ(error_text(ErrorKind::usage, [&] { (void)solver.refactorize_shifted(T(1)); }), none);
  const SymmetricView<T> view{a.pattern(), value};
  ASSERT_FALSE(solver.compute(view).ok());
  EXPECT_LT(solver.report().smallest_pivot, 0);
  ASSERT_FALSE(fresh.compute(view).ok());
  const std::vector<T> b(static_cast<std::size_t>(a.n()), T(1));
  for (const T shift : {T(10), T(20), T(10)}) {  // each shift replaces the previous one
    ASSERT_TRUE(solver.refactorize_shifted(shift).ok());
    ASSERT_TRUE(fresh.refactorize(value, shift).ok());
    EXPECT_EQ(solver.solve(b), fresh.solve(b));
    EXPECT_GT(solver.report().smallest_pivot, 0);
    EXPECT_EQ(solver.report().refinement.final_error.componentwise,
              fresh.report().refinement.final_error.componentwise);
  }
  EXPECT_NE(
      error_text(ErrorKind::usage,
                 [&] { (void)solver.refactorize_shifted(std::numeric_limits<T>::quiet_NaN()); }),
      "no Error");
  EXPECT_EQ(solver.solve(b), fresh.solve(b));  // a refused shift changes nothing
  auto bad = value;
  bad[7] = std::numeric_limits<T>::infinity();
  EXPECT_NE(error_text(ErrorKind::input, [&] { (void)solver.refactorize(bad); }), "no Error");
  EXPECT_EQ(error_text(ErrorKind::usage, [&] { (void)solver.refactorize_shifted(T(1)); }), none);
}

TEST(Allocator, NeedsBothFunctions) {
  CudaOptions options;
  options.allocator.release = [](void*, std::size_t, void*) {};
  EXPECT_EQ(error_text(ErrorKind::usage, [&] { (void)cuda_backend(options); }),
            "cuda_backend: the allocator needs both functions, or none");
}

}  // namespace
}  // namespace kauri
