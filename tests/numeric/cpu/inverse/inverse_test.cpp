// Tests calls beyond A x = b on the CPU: selected inverses, products with L, Schur complements,
// gradients of log-determinants.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdint>
#include <stop_token>
#include <vector>

#include "tests/support/bodies/inverse.hpp"
#include "tests/support/process/cancel.hpp"
#include "tests/support/process/many_threads.hpp"
#include "tests/support/process/methods.hpp"
#include "tests/support/process/seeds.hpp"

namespace kauri::test {
namespace {

std::shared_ptr<const Plan> cpu_plan(const Pattern& pattern, const AnalyzeOptions& options) {
  return analyze(pattern, options);
}

AnalyzeOptions in_caller_order() {
  AnalyzeOptions options;
  options.ordering.method = OrderingMethod::natural;
  options.amalgamate = false;
  return options;
}

template <class T>
class Inverses : public ::testing::Test {
 private:
  ManyThreads many_;
};
using InverseScalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Inverses, InverseScalars);

TYPED_TEST(Inverses, AreTheDenseOnes) {
  Backend backend = cpu_backend(2);
  inverses_are_the_dense_ones<TypeParam>(backend, cpu_plan, methods(), seeds(12));
}

TYPED_TEST(Inverses, OfLargeFrontsAreThoseOfSolves) {
  Backend backend = cpu_backend(3);
  for (const OwnedPattern& a : {forked_pattern(2, 300, 520, 1), forked_pattern(3, 30, 450, 2),
                                forked_pattern(2, 260, 200, 3), dense_pattern(490)})
    large_inverses_are_those_of_solves<TypeParam>(backend, cpu_plan, a, in_caller_order());
  for (const char* spec : {"poisson3d 14", "elast3d 6", "tree 3000 3", "rgg3d 2000 12 1"}) {
    SCOPED_TRACE(spec);
    const auto a = generate(spec);
    const std::vector<Offset> ptr(a.pattern().col_ptr.begin(), a.pattern().col_ptr.end());
    large_inverses_are_those_of_solves<TypeParam>(
        backend, cpu_plan, {ptr, {a.pattern().row.begin(), a.pattern().row.end()}}, {});
  }
}

/// All threads work on each of the largest fronts, one front after another, before all other
/// fronts.
TYPED_TEST(Inverses, OfTheLargestFrontsAreThoseOfSolves) {
  Backend backend = cpu_backend(2);
  large_inverses_are_those_of_solves<TypeParam>(backend, cpu_plan, forked_pattern(2, 800, 700, 4),
                                                in_caller_order());
}

TYPED_TEST(Inverses, AreTheSameBitsByAnyNumberOfThreads) {
  using T = TypeParam;
  for (const OwnedPattern& a :
       {forked_pattern(3, 250, 500, 5), forked_pattern(2, 800, 700, 4), grid_pattern(17, 15, 13)}) {
    const std::vector<T> value = random_dominant<T>(a.view(), 2);
    std::vector<T> one;
    for (const int threads : {1, 2, 5}) {
      Backend backend = cpu_backend(threads);
      const auto factor = factor_of<T>(analyze(a.view()), value, backend);
      auto inverse = SelectedInverse<T>::create(factor);
      inverse.compute(factor);
      const std::vector<T> entries = inverse.on_pattern_of(a.view());
      if (threads == 1) one = entries;
      ASSERT_EQ(entries, one) << threads;
    }
  }
}

TYPED_TEST(Inverses, AreFilledAgainInMemoryThatWasTold) {
  for (const int threads : {1, 3}) {
    Backend backend = cpu_backend(threads);
    inverses_are_filled_again<TypeParam>(backend, cpu_plan);
    const OwnedPattern a = forked_pattern(2, 800, 700, 4);
    const auto factor = Factor<TypeParam>::create(analyze(a.view()), backend);
    const Offset before = backend.bytes_in_use();
    const auto inverse = SelectedInverse<TypeParam>::create(factor);
    EXPECT_EQ(backend.bytes_in_use() - before, SelectedInverse<TypeParam>::bytes(factor));
  }
}

TYPED_TEST(Inverses, WhatTheyRefuse) {
  Backend backend = cpu_backend(1), other = cpu_backend(1);
  what_inverses_refuse<TypeParam>(backend, cpu_plan);
  const auto single =
      factor_of<TypeParam>(cpu_plan(chain_pattern(1).view(), {}), {TypeParam(1)}, backend);
  auto of_single = SelectedInverse<TypeParam>::create(single);
  of_single.compute(single);
  std::vector<TypeParam> room(1, TypeParam(7));
  const std::string no_device =
      "selected inverse: enqueued calls need a device, but this inverse is on the CPU; use calls "
      "that do not enqueue";
  EXPECT_EQ(error_text(ErrorKind::usage, [&] { of_single.enqueue_compute(single, nullptr); }),
            no_device);
  EXPECT_EQ(error_text(ErrorKind::usage, [&] { of_single.enqueue_diagonal(room, nullptr); }),
            no_device);
  EXPECT_EQ(error_text(ErrorKind::usage, [&] { of_single.enqueue_on_pattern(room, nullptr); }),
            no_device);
  EXPECT_EQ(error_text(ErrorKind::usage, [&] { of_single.fetch_verdict(nullptr); }), no_device);
  EXPECT_TRUE(of_single.valid());
  const OwnedPattern a = chain_pattern(3);
  const auto plan = analyze(a.view());
  const std::vector<TypeParam> value = random_dominant<TypeParam>(a.view(), 1);
  const auto here = factor_of<TypeParam>(plan, value, backend),
             there = factor_of<TypeParam>(plan, value, other);
  auto inverse = SelectedInverse<TypeParam>::create(here);
  EXPECT_EQ(error_text(ErrorKind::usage, [&] { inverse.compute(there); }),
            "selected inverse: the factor belongs to another backend, expected the backend this "
            "was made for");
}

TYPED_TEST(Inverses, AreCancelled) {
  using T = TypeParam;
  for (const int threads : {1, 3}) {
    Backend backend = cpu_backend(threads);
    const OwnedPattern a = forked_pattern(2, 800, 700, 4);
    const auto factor = factor_of<T>(analyze(a.view()), random_dominant<T>(a.view(), 2), backend);
    auto inverse = SelectedInverse<T>::create(factor);
    const std::int64_t whole = microseconds_of([&] { inverse.compute(factor); });
    const std::vector<T> entries = inverse.on_pattern_of(a.view());
    EXPECT_EQ(error_text(ErrorKind::cancelled, [&] { inverse.compute(factor, stopped()); }),
              kCancelled);
    EXPECT_TRUE(inverse.valid());  // the cancelled call changed nothing
    int midway = 0;
    const auto cancelled_one = [&](const std::stop_token& stop) {
      try {
        inverse.compute(factor, stop);
      } catch (const Error&) {
        if (!inverse.valid()) {  // otherwise the call was cancelled before it changed anything
          ++midway;
          EXPECT_NE(error_text(ErrorKind::usage, [&] { (void)inverse.on_pattern_of(a.view()); }),
                    "no Error");
          inverse.compute(factor);
        }
        EXPECT_EQ(inverse.on_pattern_of(a.view()), entries);
        throw;
      }
    };
    for (std::uint32_t seed = 0; midway == 0 && seed < 200; ++seed)
      cancel_often(seed, whole, cancelled_one);
    EXPECT_GT(midway, 0);
    EXPECT_EQ(inverse.on_pattern_of(a.view()), entries);
  }
}

/// Compares the inverse with d ln det(A) / d A(i,j) by central differences.
TEST(LogDeterminants, HaveTheGradientThatTheInverseTells) {
  Backend backend = cpu_backend(2);
  for (const OwnedPattern& a :
       {grid_pattern(5, 4, 2), random_pattern(40, 3, 3), star_pattern(12, 3)}) {
    const auto plan = analyze(a.view());
    std::vector<double> value = random_dominant<double>(a.view(), 3);
    auto factor = factor_of<double>(plan, value, backend);
    auto inverse = SelectedInverse<double>::create(factor);
    inverse.compute(factor);
    const std::vector<double> entries = inverse.on_pattern_of(a.view());
    const Pattern p = a.view();
    for (Index j = 0; j < p.n; ++j)
      for (Offset k = p.col_ptr[j]; k < p.col_ptr[j + 1]; ++k) {
        constexpr double kStep = 1e-4;
        const double at = value[k];
        double difference = 0;
        for (const double sign : {1.0, -1.0}) {
          value[k] = at + sign * kStep;
          ASSERT_TRUE(refactorize<double>(factor, value).ok());
          difference += sign * log_determinant(factor);
        }
        value[k] = at;
        ASSERT_NEAR(difference / (2 * kStep), (p.row[k] == j ? 1 : 2) * entries[k], 1e-7) << k;
      }
  }
}

TYPED_TEST(Inverses, ProductsAreThoseWithL) {
  Backend backend = cpu_backend(3);
  std::vector<OwnedPattern> patterns = hard_patterns();
  patterns.push_back(forked_pattern(2, 120, 530, 6));
  patterns.push_back(grid_pattern(11, 10, 9));
  products_are_those_with_l<TypeParam>(backend, cpu_plan, patterns);
}

TYPED_TEST(Inverses, ProductsAreTheSameBitsByAnyNumberOfThreads) {
  using T = TypeParam;
  const OwnedPattern a = forked_pattern(3, 250, 500, 5);
  std::vector<T> one;
  for (const int threads : {1, 2, 5}) {
    Backend backend = cpu_backend(threads);
    const auto factor = factor_of<T>(analyze(a.view()), random_dominant<T>(a.view(), 2), backend);
    auto workspace = Workspace<T>::create(factor, 2);
    std::vector<T> x(static_cast<std::size_t>(a.n()) * 2, T(0));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = T(1) / static_cast<T>(i + 1);
    for (const System system : {System::L, System::Lt})
      factor.multiply(system, {x.data(), a.n(), 2, a.n()}, {x.data(), a.n(), 2, a.n()}, workspace);
    if (threads == 1) one = x;
    ASSERT_EQ(x, one) << threads;
  }
}

TYPED_TEST(Inverses, SchurComplementsAreThoseOfElimination) {
  Backend backend = cpu_backend(2);
  schur_complements_are_those_of_elimination<TypeParam>(backend, cpu_plan, methods());
  const Permutation order = random_order(432, 2);
  check_schur<TypeParam>(backend, cpu_plan, grid_pattern(12, 12, 3),
                         {order.old_of().begin(), order.old_of().begin() + 300},
                         OrderingMethod::amd);
}

TYPED_TEST(Inverses, WhatSchurComplementsRefuse) {
  Backend backend = cpu_backend(1);
  what_schur_complements_refuse<TypeParam>(backend, cpu_plan);
  const OwnedPattern a = chain_pattern(4);
  const auto factor = factor_of<TypeParam>(cpu_plan(a.view(), {}),
                                           random_dominant<TypeParam>(a.view(), 1), backend);
  auto workspace = Workspace<TypeParam>::create(factor, 1);
  std::vector<TypeParam> x(16, TypeParam(1));
  const DeviceMatrixView<TypeParam> n({x.data(), 4, 1, 4}), s({x.data(), 2, 2, 2}),
      g({x.data(), 2, 1, 2});
  const SchurComplement<TypeParam> schur(factor, 2);
  const std::string none =
      "Schur complement: matrices are marked as device memory, but the factor is on the CPU; pass "
      "views of the host's memory";
  const auto refused = [](const auto& f) { return error_text(ErrorKind::usage, f); };
  EXPECT_EQ(refused([&] { (void)SchurComplement<TypeParam>::on_device(factor, 2); }), none);
  EXPECT_EQ(refused([&] { schur.write(factor, s); }), none);
  EXPECT_EQ(refused([&] { schur.enqueue_write(factor, s, nullptr); }), none);
  EXPECT_EQ(refused([&] { schur.condense(factor, n, n, g, workspace); }), none);
  EXPECT_EQ(refused([&] { schur.enqueue_condense(factor, n, n, g, workspace, nullptr); }), none);
  EXPECT_EQ(refused([&] { schur.solve(factor, g, g, n, workspace); }), none);
  EXPECT_EQ(refused([&] { schur.enqueue_solve(factor, g, g, n, workspace, nullptr); }), none);
  EXPECT_EQ(refused([&] { schur.expand(factor, n, g, n, workspace); }), none);
  EXPECT_EQ(refused([&] { schur.enqueue_expand(factor, n, g, n, workspace, nullptr); }), none);
  EXPECT_EQ(x, std::vector<TypeParam>(16, TypeParam(1)));
}

}  // namespace
}  // namespace kauri::test
