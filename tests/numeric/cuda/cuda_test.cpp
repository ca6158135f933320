// Tests the CUDA backend against exact factors, naive verdicts and backward errors. Without a
// device every test is reported as skipped.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "kauri/kauri.hpp"
#include "symbolic/plan/internals.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/oracles/sparse_reference.hpp"
#include "tests/support/process/methods.hpp"
#include "tests/support/systems/exact.hpp"
#include "tests/support/systems/patterns.hpp"

namespace kauri {
namespace {

template <class W>
class Cuda : public test::OnCuda<W> {
 protected:
  using Value = typename test::OnCuda<W>::Value;
  /// Expects the factor of an exact system times 2^(2 exponent) bit for bit.
  void expect_exact(const test::ExactSystem& system, const AnalyzeOptions& options,
                    const std::string& what, int exponent = 0) {
    const auto made = this->plan(system.a.pattern(), options);
    auto factor = Factor<Value>::create(made, this->backend());
    std::vector<Value> value = this->values(system.a);
    for (Value& v : value) v = std::ldexp(v, 2 * exponent);
    ASSERT_TRUE(refactorize<Value>(factor, value).ok()) << what;
    // The plan is the given ordering in another topological order: column k of its L is a column of
    // ours.
    for (Index i = 0; i < system.a.n(); ++i)
      for (const auto& [j, v] : system.l[i]) {
        const Index row = made->perm.new_of(system.perm.old_of(i)),
                    col = made->perm.new_of(system.perm.old_of(j));
        ASSERT_EQ(factor.entry(row, col), std::ldexp(static_cast<Value>(v), exponent))
            << what << ": " << i << " " << j;
      }
  }
};
TYPED_TEST_SUITE(Cuda, test::Ways);

/// Integer factors with powers of two on the diagonal come back bit for bit, whatever the order of
/// summation.
TYPED_TEST(Cuda, ExactFactors) {
  using T = typename TypeParam::T;
  std::mt19937_64 random(1);
  for (int round = 0; round < 60; ++round) {
    const Index n = round < 4 ? round : 1 + static_cast<Index>(random() % 300),
                band = round % 3 == 0 ? 0 : 1 + round % 40;
    auto l = test::random_factor(n, 1 + round % 6, band, random);
    const auto given =
        round % 2 == 0 ? Permutation::identity(n) : test::random_permutation(n, random);
    const auto system = test::exact_system(std::move(l), given, sizeof(T) == 8 ? 53 : 24);
    AnalyzeOptions options;
    options.permutation = given;
    options.target = this->backend().target();
    options.amalgamate = round % 5 != 0;
    this->expect_exact(system, options, std::to_string(round));
  }
}

/// Near the ends of the range kernels compute pivots by a slower, safe formula: the factor keeps
/// its bits except for the exponent.
TYPED_TEST(Cuda, HugeAndTinyScalesExactly) {
  using T = typename TypeParam::T;
  std::mt19937_64 random(3);
  for (int round = 0; round < 12; ++round) {
    const Index n = 1 + static_cast<Index>(random() % 300),
                band = round % 3 == 0 ? 0 : 1 + round % 40;
    const auto given = Permutation::identity(n);
    const auto system = test::exact_system(test::random_factor(n, 1 + round % 6, band, random),
                                           given, sizeof(T) == 8 ? 53 : 24);
    AnalyzeOptions options;
    options.permutation = given;
    options.target = this->backend().target();
    const int most =
        sizeof(T) == 8 ? 490 : 45;  // in float a product of two entries of A is still finite
    for (const int exponent : {-most, most})
      this->expect_exact(system, options, std::to_string(round), exponent);
  }
}

/// Returns rows that meet many columns: `many` leaves, each below some of `hubs` groups of `size`
/// rows.
test::IntegerRows hub_rows(Index many, Index hubs, Index size, unsigned below,
                           std::mt19937_64& random) {
  std::vector<std::map<Index, std::int64_t>> row(static_cast<std::size_t>(many + hubs * size));
  for (Index k = 0; k < many; ++k)
    for (unsigned i = 0; i < below; ++i) {
      const Index first = many + static_cast<Index>(random() % static_cast<unsigned>(hubs)) * size;
      for (Index j = 0; j < size; ++j)
        row[first + j][k] = static_cast<std::int64_t>(random() % 5) - 2;
    }
  test::IntegerRows l(row.size());
  for (std::size_t i = 0; i < l.size(); ++i) {
    l[i].assign(row[i].begin(), row[i].end());
    l[i].emplace_back(static_cast<Index>(i), std::int64_t{1} << (random() % 2));
  }
  return l;
}

/// The fronts have hundreds and thousands of children: narrow, small and tiled children.
TYPED_TEST(Cuda, ManyChildrenExactly) {
  using T = typename TypeParam::T;
  struct Case {
    Index many, hubs, size;
    unsigned below;
  };
  std::mt19937_64 random(2);
  for (const auto& [many, hubs, size, below] :
       {Case{3000, 1, 1, 1}, Case{60, 1, 3, 1}, Case{500, 4, 6, 2}, Case{700, 30, 5, 3},
        Case{150, 14, 9, 9}, Case{40, 3, 70, 2}, Case{200, 1, 200, 1}})
    for (const bool amalgamate : {true, false}) {
      auto l = hub_rows(many, hubs, size, below, random);
      const auto identity = Permutation::identity(static_cast<Index>(l.size()));
      AnalyzeOptions options;
      options.permutation = identity;
      options.target = this->backend().target();
      options.amalgamate = amalgamate;
      this->expect_exact(test::exact_system(std::move(l), identity, sizeof(T) == 8 ? 53 : 24),
                         options, std::to_string(many) + " " + std::to_string(hubs));
    }
}

/// A star of a million leaves is one host of all; a spine with a leaf at each vertex is a path of
/// hosts.
TYPED_TEST(Cuda, AMillionChildren) {
  using T = typename TypeParam::T;
  const Index n = 1000001;
  for (const auto& pattern : {test::star_pattern(n, n - 1), test::caterpillar_pattern(4001)}) {
    const Pattern view = pattern.view();
    std::vector<T> value(pattern.row.size(), T(-1));
    for (Index j = 0; j < view.n; ++j) value[static_cast<std::size_t>(view.col_ptr[j])] = T(4);
    if (view.n == n) value.back() = T(n);  // the hub keeps 3/4 of its diagonal
    auto factor =
        Factor<T>::create(this->plan(view, OrderingMethod::natural, false), this->backend());
    ASSERT_TRUE(refactorize<T>(factor, value).ok());
    if (view.n == n) {  // n - (n - 1) / 4: all numbers are multiples of 1/4 and exact in double
      const double expected = std::sqrt(n - (n - 1) / 4.0);
      EXPECT_NEAR(factor.entry(n - 1, n - 1), expected, (sizeof(T) == 8 ? 1e-15 : 1e-4) * expected);
    }
    auto workspace = Workspace<T>::create(factor, 1);
    const std::vector<T> b = this->random_rhs(view.n, 1, 7);
    std::vector<T> x = b;
    factor.solve({x.data(), view.n, 1, view.n}, workspace);
    const SymmetricView<T> a{view, value};
    refine<T>(a, factor, {b.data(), view.n, 1, view.n}, {x.data(), view.n, 1, view.n}, workspace);
    EXPECT_LE(backward_error<T>(a, {x.data(), view.n, 1, view.n}, {b.data(), view.n, 1, view.n},
                                this->backend())
                  .componentwise,
              sizeof(T) == 8 ? 1e-15 : 5e-7);
  }
}

TYPED_TEST(Cuda, SolvesManySystemsInEveryOrdering) {
  using T = typename TypeParam::T;
  for (const char* spec :
       {"poisson2d 1", "poisson2d 7", "poisson2d 60", "poisson3d 12", "elast3d 5", "tree 3000 1",
        "rgg3d 2000 12 1", "shell2d 30", "blockdiag 600 200", "lap27 9"})
    for (const OrderingMethod method : test::methods())
      for (const bool amalgamate : {true, false}) {
        SCOPED_TRACE(std::string(spec) + " " + std::string(name_of(method)) +
                     (amalgamate ? "" : " fundamental"));
        const auto a = generate(spec);
        const std::vector<T> value = this->values(a);
        const SymmetricView<T> view{a.pattern(), value};
        auto factor =
            Factor<T>::create(this->plan(a.pattern(), method, amalgamate), this->backend());
        ASSERT_TRUE(refactorize<T>(factor, view).ok());
        const Index n = a.n(), cols = 3;
        const Offset ld = n + 5;
        const std::vector<T> b = this->random_rhs(ld, cols, 7);
        std::vector<T> x = b;
        auto workspace = Workspace<T>::create(factor, cols);
        factor.solve({x.data(), n, cols, ld}, workspace);
        for (Index c = 0; c < cols; ++c)
          for (Offset i = n; i < ld; ++i) ASSERT_EQ(x[c * ld + i], b[c * ld + i]) << "padding";
        const MatrixView<const T> rhs{b.data(), n, cols, ld};
        const double bound = sizeof(T) == 8 ? 1e-14 : 5e-6;
        EXPECT_LE(
            backward_error<T>(view, {x.data(), n, cols, ld}, rhs, this->backend()).componentwise,
            bound);
        const auto done = refine<T>(view, factor, rhs, {x.data(), n, cols, ld}, workspace);
        EXPECT_LE(done.final_error.componentwise, sizeof(T) == 8 ? 1e-15 : 5e-7);
      }
}

/// The patterns are random, sparse enough to fall apart or dense enough for large fronts; x equals
/// that of the CPU up to rounding.
TYPED_TEST(Cuda, AgreesWithTheCpuOnRandomPatterns) {
  using T = typename TypeParam::T;
  Backend cpu = cpu_backend(1);
  for (std::uint64_t seed = 0; seed < 250; ++seed) {
    std::mt19937_64 random(seed);
    const auto n = static_cast<Index>(1 + random() % 700);
    const auto pattern = test::random_pattern(n, static_cast<double>(1 + seed % 12), seed);
    std::vector<T> value(pattern.row.size()), sum(static_cast<std::size_t>(n), T(1));
    for (Index j = 0; j < n; ++j)
      for (Offset k = pattern.col_ptr[j] + 1; k < pattern.col_ptr[j + 1]; ++k) {
        value[k] = static_cast<T>(std::uniform_real_distribution<double>(-1, 1)(random));
        sum[j] += std::abs(value[k]), sum[pattern.row[k]] += std::abs(value[k]);
      }
    for (Index j = 0; j < n; ++j) value[pattern.col_ptr[j]] = sum[j];
    AnalyzeOptions options;
    options.ordering.method = seed % 2 == 0 ? OrderingMethod::amd : OrderingMethod::natural;
    const auto solve = [&](const std::shared_ptr<const Plan>& plan, Backend& backend) {
      auto factor = Factor<T>::create(plan, backend);
      EXPECT_TRUE(refactorize<T>(factor, value).ok()) << seed;
      auto workspace = Workspace<T>::create(factor, 1);
      std::vector<T> x = this->random_rhs(n, 1, seed);
      factor.solve({x.data(), n, 1, n}, workspace);
      return x;
    };
    const std::vector<T> there = solve(analyze(pattern.view(), options), cpu);
    options.target = this->backend().target();
    const std::vector<T> here = solve(this->plan(pattern.view(), options), this->backend());
    // Each row is diagonally dominant with a margin of 1, so a residual of rounding size causes an
    // error in x of that size times the row's sum.
    for (Index i = 0; i < n; ++i)
      ASSERT_NEAR(here[i], there[i], (sizeof(T) == 8 ? 1e-13 : 1e-4) * sum[i]) << seed << ": " << i;
  }
}

/// Residuals and errors equal those of the CPU.
TYPED_TEST(Cuda, ResidualsAreThoseOfTheCpu) {
  using T = typename TypeParam::T;
  Backend cpu = cpu_backend(1);
  for (const char* spec : {"poisson2d 20", "elast3d 4", "tree 500 1"}) {
    const auto a = generate(spec);
    const std::vector<T> value = this->values(a);
    const SymmetricView<T> view{a.pattern(), value};
    const Index n = a.n();
    const std::vector<T> x = this->random_rhs(n, 2, 1), b = this->random_rhs(n, 2, 2);
    const MatrixView<const T> xs{x.data(), n, 2, n}, bs{b.data(), n, 2, n};
    std::vector<T> mine(x.size()), theirs(x.size());
    residual<T>(view, xs, bs, {mine.data(), n, 2, n}, this->backend());
    residual<T>(view, xs, bs, {theirs.data(), n, 2, n}, cpu);
    EXPECT_EQ(mine, theirs) << spec;
    multiply<T>(view, xs, {mine.data(), n, 2, n}, this->backend());
    multiply<T>(view, xs, {theirs.data(), n, 2, n}, cpu);
    EXPECT_EQ(mine, theirs) << spec;
    const BackwardError one = backward_error<T>(view, xs, bs, this->backend()),
                        other = backward_error<T>(view, xs, bs, cpu);
    EXPECT_NEAR(one.componentwise, other.componentwise, 1e-12 * other.componentwise) << spec;
    EXPECT_NEAR(one.normwise, other.normwise, 1e-12 * other.normwise) << spec;
  }
}

TYPED_TEST(Cuda, TheSameBitsEachTimeAndForAnyNumberOfRightHandSides) {
  using T = typename TypeParam::T;
  const auto a = generate("poisson3d 14");
  const std::vector<T> value = this->values(a);
  const Index n = a.n();
  CudaOptions options;
  options.compute = TypeParam::compute,
  options.solves_together =
      1;  // otherwise the bits of a column depend on how many are solved together (multi_test.cpp)
  Backend backend = cuda_backend(options);
  auto factor = Factor<T>::create(this->plan(a.pattern(), OrderingMethod::amd), backend);
  const std::vector<T> b = this->random_rhs(n, 40, 3);
  std::vector<T> first;
  for (const Index nrhs : {1, 5, 32, 40, 32}) {
    ASSERT_TRUE(refactorize<T>(factor, value).ok());
    auto workspace = Workspace<T>::create(factor, nrhs);
    std::vector<T> x = b;
    factor.solve({x.data(), n, 40, n}, workspace);
    if (first.empty()) first = x;
    ASSERT_EQ(x, first) << nrhs;
  }
}

/// Subtrees are so large that the plan runs them one after another: it has more levels than the
/// tree is high, and memory of one subtree waits for another.
TYPED_TEST(Cuda, LargeSubtreesOneAfterAnother) {
  if (TypeParam::by_level) GTEST_SKIP() << "takes long level by level";
  using T = typename TypeParam::T;
  if (TypeParam::compute != CudaCompute::hopper && sizeof(T) == 8)
    GTEST_SKIP() << "takes long, and is like that in float";
  const auto a = generate("elast3d 40");
  const std::vector<T> value = this->values(a);
  const SymmetricView<T> view{a.pattern(), value};
  const auto plan = this->plan(a.pattern(), OrderingMethod::amd);
  const symbolic::DeviceSchedule& device = plan->internals->device;
  std::vector<Index> height(device.tiled.size(), 1);
  for (std::size_t s = 0; s < height.size(); ++s)
    if (const Index parent = plan->supernodes.parent[s];
        device.tiled[s] != kNone && parent != kNone)
      height[parent] = std::max(height[parent], height[s] + 1);
  EXPECT_GT(static_cast<Index>(device.level.size()) - device.small_levels,
            *std::max_element(height.begin(), height.end()));
  EXPECT_GT(*std::max_element(device.panel_reuses.begin(), device.panel_reuses.end()), 32);
  EXPECT_GT(*std::max_element(device.block_reuses.begin(), device.block_reuses.end()), 0);
  const Index n = a.n();
  auto factor = Factor<T>::create(plan, this->backend());
  auto workspace = Workspace<T>::create(factor, 1);
  const std::vector<T> b = this->random_rhs(n, 1, 3);
  std::vector<T> first;
  for (int round = 0; round < 5; ++round) {
    ASSERT_TRUE(refactorize<T>(factor, view).ok());
    std::vector<T> x = b;
    factor.solve({x.data(), n, 1, n}, workspace);
    if (first.empty()) first = x;
    ASSERT_EQ(x, first) << round;
  }
  EXPECT_LE(backward_error<T>(view, {first.data(), n, 1, n}, {b.data(), n, 1, n}, this->backend())
                .componentwise,
            sizeof(T) == 8 ? 1e-14 : 2e-5);
}

/// The breakdown has the column and the pivot of a naive Cholesky in the plan's ordering, and the
/// same factor is retried with a shift.
TYPED_TEST(Cuda, VerdictsAndRetries) {
  using T = typename TypeParam::T;
  std::mt19937_64 random(5);
  for (const char* spec :
       {"poisson3d 9", "poisson2d 40", "elast3d 4", "blockdiag 400 100", "tree 800 2"})
    for (const OrderingMethod method : test::methods())
      for (int round = 0; round < 4; ++round) {
        SCOPED_TRACE(std::string(spec) + " " + std::string(name_of(method)) + " " +
                     std::to_string(round));
        const auto a = generate(spec);
        const auto plan = this->plan(a.pattern(), method);
        std::vector<T> value = this->values(a);
        for (int k = 0; k <= round; ++k) {  // negates diagonal entries at places of the ordering:
                                            // first, last, random
          const Index at = k == 0 && round == 0   ? 0
                           : k == 0 && round == 1 ? a.n() - 1
                                                  : static_cast<Index>(random() % a.n());
          const Offset place = a.pattern().col_ptr[plan->perm.old_of(at)];
          if (value[place] > 0) value[place] = -value[place];
        }
        const SymmetricView<T> view{a.pattern(), value};
        auto factor = Factor<T>::create(plan, this->backend());
        const auto result = refactorize<T>(factor, view);
        const auto expected = test::sparse_breakdown(view, plan->perm);
        ASSERT_TRUE(expected);
        ASSERT_FALSE(result.ok());
        EXPECT_FALSE(factor.valid());
        EXPECT_EQ(result.error().column, expected->column);
        EXPECT_NEAR(result.error().pivot, expected->pivot,
                    (sizeof(T) == 8 ? 1e-10 : 1e-3) * std::abs(expected->pivot));
        ASSERT_TRUE(refactorize<T>(factor, view, T(1e4)).ok());
        for (Index j = 0; j < a.n(); ++j)
          value[static_cast<std::size_t>(a.pattern().col_ptr[j])] += T(1e4);
        auto workspace = Workspace<T>::create(factor, 1);
        const std::vector<T> b = this->random_rhs(a.n(), 1, 9);
        std::vector<T> x = b;
        factor.solve({x.data(), a.n(), 1, a.n()}, workspace);
        const auto error = backward_error<T>(view, {x.data(), a.n(), 1, a.n()},
                                             {b.data(), a.n(), 1, a.n()}, this->backend());
        EXPECT_LE(error.componentwise, sizeof(T) == 8 ? 1e-14 : 5e-6);
      }
}

TYPED_TEST(Cuda, NotANumberIsAnInputError) {
  using T = typename TypeParam::T;
  const auto a = generate("poisson2d 30");
  auto factor = Factor<T>::create(this->plan(a.pattern(), OrderingMethod::amd), this->backend());
  for (const T bad : {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()}) {
    std::vector<T> value = this->values(a);
    value[value.size() / 2] = bad;
    EXPECT_THROW((void)refactorize<T>(factor, value), Error);
    EXPECT_TRUE(refactorize<T>(factor, this->values(a)).ok());
  }
}

TYPED_TEST(Cuda, ValuesOnTheDevice) {
  using T = typename TypeParam::T;
  const auto a = generate("elast3d 5");
  std::vector<T> value = this->values(a);
  const Index n = a.n();
  auto factor = Factor<T>::create(this->plan(a.pattern(), OrderingMethod::amd), this->backend());
  auto workspace = Workspace<T>::create(factor, 1);
  const auto solution = [&] {
    std::vector<T> x = this->random_rhs(n, 1, 3);
    factor.solve({x.data(), n, 1, n}, workspace);
    return x;
  };
  ASSERT_TRUE(refactorize<T>(factor, value).ok());
  const std::vector<T> expected = solution();
  auto there = DeviceValues<T>::copy_of(value, this->backend());
  ASSERT_TRUE(refactorize(factor, there).ok());
  EXPECT_EQ(solution(), expected);
  ASSERT_TRUE(refactorize(factor, DeviceValues<T>::borrow(there.span())).ok());
  EXPECT_EQ(solution(), expected);
  value[value.size() / 3] = std::numeric_limits<T>::quiet_NaN();
  there.assign(value);
  EXPECT_THROW((void)refactorize(factor, there), Error);
  value[value.size() / 3] = 1;
  there.assign(value);
  EXPECT_NO_THROW((void)refactorize(
      factor, there));  // the verdict may be either: the entry may lie on the diagonal
  EXPECT_THROW(there.assign(std::span<const T>(value).first(3)), Error);
}

TYPED_TEST(Cuda, MemoryHeldIsThatOfThePlan) {
  using T = typename TypeParam::T;
  const auto a = generate("elast3d 6");
  const auto plan = this->plan(a.pattern(), OrderingMethod::amd);
  const Offset before = this->backend().bytes_in_use();
  {
    const auto factor = Factor<T>::create(plan, this->backend());
    EXPECT_EQ(this->backend().bytes_in_use() - before, this->factor_bytes(*plan));
    const auto workspace = Workspace<T>::create(factor, 7);
    EXPECT_EQ(this->backend().bytes_in_use() - before,
              this->factor_bytes(*plan) + plan->workspace_bytes(sizeof(T), 7));
  }
  EXPECT_EQ(this->backend().bytes_in_use(), before);
}

/// The plan is amalgamated with the table of another device and runs with the kernels of this one.
TYPED_TEST(Cuda, PlansForOtherDevices) {
  using T = typename TypeParam::T;
  const auto a = generate("elast3d 6");
  AnalyzeOptions options;
  options.ordering.method = OrderingMethod::amd;
  for (const char* target : {"sm_80", "sm_90"}) {
    options.target = target;
    auto factor = factorize<T>(this->plan(a.pattern(), options), this->values(a), this->backend());
    ASSERT_TRUE(factor.ok()) << target;
    const std::vector<T> b = this->random_rhs(a.n(), 1, 3), x = this->solution(factor.value());
    const auto value = this->values(a);
    const auto error = backward_error<T>({a.pattern(), value}, column_view(std::span<const T>(x)),
                                         column_view(std::span<const T>(b)), this->backend());
    EXPECT_LE(error.componentwise, 20 * std::numeric_limits<T>::epsilon()) << target;
  }
}

TYPED_TEST(Cuda, PlansForACpuAreRefused) {
  const auto a = generate("poisson2d 5");
  AnalyzeOptions options;
  options.target = "cpu-generic";
  EXPECT_THROW(
      (void)Factor<typename TypeParam::T>::create(analyze(a.pattern(), options), this->backend()),
      Error);
}

}  // namespace
}  // namespace kauri
