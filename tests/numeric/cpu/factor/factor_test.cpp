// Tests the numeric phase against exact arithmetic and naive Cholesky: scalar x ordering x
// amalgamation x threads.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "kauri/kauri.hpp"
#include "symbolic/check/find_flaw.hpp"
#include "symbolic/plan/internals.hpp"
#include "tests/support/bodies/factor.hpp"
#include "tests/support/process/many_threads.hpp"
#include "tests/support/process/methods.hpp"
#include "tests/support/process/seeds.hpp"
#include "tests/support/systems/dense_reference.hpp"
#include "tests/support/systems/exact.hpp"

namespace kauri {
namespace {

using test::ExactSystem;

template <class T>
class Numeric : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Numeric, Scalars);

template <class T>
constexpr int kBits = std::numeric_limits<T>::digits - 1;

AnalyzeOptions given(const Permutation& perm, bool amalgamate) {
  AnalyzeOptions options;
  options.permutation = perm;
  options.amalgamate = amalgamate;
  options.workers = 4;
  return options;
}

/// The factorisation returns L bit for bit, in the numbering of the plan.
template <class T>
void expect_exact_factor(const ExactSystem& system, bool amalgamate, Backend& backend) {
  const auto plan = analyze(system.a.pattern(), given(system.perm, amalgamate));
  ASSERT_EQ(find_flaw(*plan), "");
  const auto value = test::cast<T>(system.a.value());
  auto factor = factorize<T>(plan, value, backend);
  ASSERT_TRUE(factor.ok()) << "column " << factor.error().column << " pivot "
                           << factor.error().pivot;
  const auto n = static_cast<Index>(system.l.size());
  const auto place = [&](Index k) { return plan->perm.new_of(system.perm.old_of(k)); };
  for (Index i = 0; i < n; ++i)
    for (const auto& [j, v] : system.l[i])
      ASSERT_EQ(factor.value().entry(place(i), place(j)), static_cast<T>(v))
          << "L(" << i << "," << j << ") of n = " << n;
}

TYPED_TEST(Numeric, ExactFactorComesBack) {
  const test::ManyThreads many;
  std::mt19937_64 random(11);
  for (const int threads : {1, 2, 8}) {
    Backend backend = cpu_backend(threads);
    for (int round = 0; round < 60; ++round) {
      const auto n = static_cast<Index>(random() % 90);
      auto l =
          test::random_factor(n, static_cast<int>(random() % 5), round % 3 == 0 ? 6 : 0, random);
      const auto perm = round % 2 ? test::random_permutation(n, random) : Permutation::identity(n);
      const auto system = test::exact_system(std::move(l), perm, kBits<TypeParam>);
      expect_exact_factor<TypeParam>(system, round % 4 < 2, backend);
      if (this->HasFatalFailure()) return;
    }
  }
}

/// The fronts exceed every threshold: packed tiles, recursion, block columns of contribution
/// blocks, several threads inside one front.
TYPED_TEST(Numeric, ExactLargeFronts) {
  const test::ManyThreads many;
  std::mt19937_64 random(12);
  for (const int threads : {1, 2, 8}) {
    if (test::kSanitized && threads < 8) continue;
    Backend backend = cpu_backend(threads);
    // A dense corner of 700 rows lies below a chain of blocks that all touch it, so contribution
    // blocks have order about 700.
    const Index n = 1000, corner = 700;
    auto l = test::random_factor(n, 3, 40, random);
    for (Index i = n - corner; i < n; ++i) {
      const std::int64_t diagonal = l[i].back().second;
      l[i].clear();
      for (Index j = i % 2 ? 0 : n - corner; j < i; ++j)
        l[i].emplace_back(j, static_cast<std::int64_t>(random() % 3) - 1);
      l[i].emplace_back(i, diagonal);
    }
    expect_exact_factor<TypeParam>(
        test::exact_system(std::move(l), Permutation::identity(n), kBits<TypeParam>), threads != 2,
        backend);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(Numeric, SolvesAreExact) {
  for (const int threads : {1, 2}) {
    Backend backend = cpu_backend(threads);
    test::solves_are_exact<TypeParam>(backend, [](const Pattern& pattern, const Permutation& perm) {
      return analyze(pattern, given(perm, true));
    });
  }
}

/// Returns a random diagonally dominant matrix on a mesh-like or random pattern.
SymmetricMatrix<double> random_spd(Index n, int per_row, Index band, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Index> row, col;
  std::vector<double> value, sum(static_cast<std::size_t>(n), 0.1);
  for (Index i = 1; i < n; ++i)
    for (int k = 0; k < per_row; ++k) {
      const Index j =
          i - 1 - static_cast<Index>(random() % static_cast<std::uint64_t>(std::min(band, i)));
      const double v = uniform(random);
      row.push_back(i), col.push_back(j), value.push_back(v);
      sum[i] += std::abs(v), sum[j] += std::abs(v);
    }
  for (Index i = 0; i < n; ++i) row.push_back(i), col.push_back(i), value.push_back(sum[i]);
  return SymmetricMatrix<double>::from_triplets(n, row, col, value, Storage::lower);
}

TYPED_TEST(Numeric, SameBitsForAnyNumberOfThreadsAndWorkers) {
  const test::ManyThreads many;
  using T = TypeParam;
  std::mt19937_64 random(14);
  for (int round = 0; round < 6; ++round) {
    const auto n = static_cast<Index>(round < 4 ? 3000 : 1500);
    const auto a = random_spd(n, 1 + round % 3, round < 4 ? 60 : n, random);
    const auto value = test::cast<T>(a.value());
    std::vector<T> b(static_cast<std::size_t>(n) * 3);
    for (T& v : b) v = static_cast<T>(static_cast<double>(random() % 1000) / 1000 - 0.5);
    std::vector<T> first;
    for (const int threads : {1, 2, 8})
      for (const int workers : {1, 3}) {
        AnalyzeOptions options;
        options.ordering.method = OrderingMethod::amd;
        options.workers = workers;
        const auto plan = analyze(a.pattern(), options);
        Backend backend = cpu_backend(threads);
        auto factor = factorize<T>(plan, value, backend);
        ASSERT_TRUE(factor.ok());
        auto workspace = Workspace<T>::create(plan, 3, backend);
        std::vector<T> x = b;
        factor.value().solve({x.data(), n, 3, n}, workspace);
        const auto again =
            refactorize<T>(factor.value(), value);  // a second factorisation in the same buffers
        ASSERT_TRUE(again.ok());
        std::vector<T> y = b;
        factor.value().solve({y.data(), n, 3, n}, workspace);
        ASSERT_EQ(x, y);
        if (first.empty()) first = x;
        ASSERT_EQ(x, first) << threads << " threads, " << workers << " workers";
      }
  }
}

/// Contribution blocks of large fronts lie in panels that are not yet begun, cut in two, at places
/// that depend on `workers`. A failed factorisation leaves its blocks in memory that becomes panels
/// of the next one.
TYPED_TEST(Numeric, SameBitsWhereverBlocksLieInPanels) {
  const test::ManyThreads many;
  using T = TypeParam;
  const auto a = generate("lap27 20");
  auto value = test::cast<T>(a.value());
  const Index n = a.n();
  std::vector<T> b(static_cast<std::size_t>(n)), first;
  for (Index i = 0; i < n; ++i) b[i] = static_cast<T>(i % 17 - 8);
  const std::vector<std::vector<Index>> spoiled{{n / 2}, {n - 1}, {0, n / 3, n / 2, n - 20, n - 1}};
  std::vector<double> pivots;  // one per set of spoiled columns
  int in_panels = 0, cut = 0;
  for (const int workers : {1, 2, 3, 8, 16}) {
    AnalyzeOptions options{.workers = workers};
    options.ordering.method = OrderingMethod::amd;
    const auto plan = analyze(a.pattern(), options);
    const symbolic::Schedule& places = plan->internals->schedule;
    ASSERT_GT(places.task.size(), 10U);
    for (Index s = 0; s < plan->supernodes.count(); ++s) {
      const Offset place = places.fully_summed[s];
      in_panels += place != kNone && place < plan->internals->panel_ptr.back();
      cut += place != kNone && places.partially_summed[s] != kNone;
    }
    for (const int threads : {1, 2, 8}) {
      if (test::kSanitized && threads != workers) continue;
      Backend backend = cpu_backend(threads);
      auto factor = Factor<T>::create(plan, backend);
      auto workspace = Workspace<T>::create(plan, 1, backend);
      for (std::size_t which = 0; which < spoiled.size(); ++which) {
        const auto negate = [&] {
          for (const Index i : spoiled[which]) value[a.pattern().col_ptr[i]] *= T(-1);
        };
        negate();
        const auto failed = refactorize<T>(factor, value);
        ASSERT_FALSE(failed.ok());
        negate();
        ASSERT_TRUE(refactorize<T>(factor, value).ok());
        // c is the spoiled column that is eliminated first. The sound factor has d - S = L(c,c)^2
        // there, so the spoiled pivot is -d - S.
        Index c = n;
        for (const Index i : spoiled[which]) c = std::min(c, plan->perm.new_of(i));
        const Index column = plan->perm.old_of(c);
        const double sound = factor.entry(c, c),
                     pivot = sound * sound - 2 * double{value[a.pattern().col_ptr[column]]};
        ASSERT_EQ(failed.error().column, column)
            << threads << " threads, " << workers << " workers";
        ASSERT_NEAR(failed.error().pivot, pivot,
                    100 * std::numeric_limits<T>::epsilon() * std::abs(pivot));
        if (pivots.size() == which) pivots.push_back(failed.error().pivot);
        ASSERT_EQ(failed.error().pivot, pivots[which])
            << threads << " threads, " << workers << " workers";
        std::vector<T> x = b;
        factor.solve(column_view(std::span<T>(x)), workspace);
        if (first.empty()) first = x;
        ASSERT_EQ(x, first) << threads << " threads, " << workers << " workers";
      }
    }
  }
  EXPECT_GT(in_panels, 0);
  EXPECT_GT(cut, 0);
}

/// Update rows of a solve lie at other places for each number of workers, and most of them reuse
/// memory of earlier ones.
TYPED_TEST(Numeric, SameBitsWhereverUpdateRowsLie) {
  const test::ManyThreads many;
  using T = TypeParam;
  const auto a = generate("poisson2d 120");
  const auto value = test::cast<T>(a.value());
  const Index n = a.n(), columns = 3;
  std::vector<T> b(static_cast<std::size_t>(n) * columns), first;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<T>(static_cast<int>(i % 23) - 11);
  std::set<std::vector<Offset>> places;
  for (const int workers : {1, 2, 3, 8, 16}) {
    AnalyzeOptions options;
    options.ordering.method = OrderingMethod::amd;
    options.workers = workers;
    const auto plan = analyze(a.pattern(), options);
    Offset rows = 0;
    for (Index s = 0; s < plan->supernodes.count(); ++s) rows += plan->supernodes.contribution(s);
    EXPECT_LT(plan->internals->schedule.update_rows, rows / 4);
    places.insert(plan->internals->schedule.update);
    for (const int threads : {1, 2, 8}) {
      Backend backend = cpu_backend(threads);
      auto factor = factorize<T>(plan, value, backend);
      ASSERT_TRUE(factor.ok());
      auto workspace = Workspace<T>::create(plan, columns, backend);
      for (int round = 0; round < 5; ++round) {
        std::vector<T> x = b;
        factor.value().solve({x.data(), n, columns, n}, workspace);
        if (first.empty()) first = x;
        ASSERT_EQ(x, first) << threads << " threads, " << workers << " workers";
      }
    }
  }
  EXPECT_GT(places.size(), 2U);
}

TYPED_TEST(Numeric, BreakdownNamesTheColumnOfLeastPermutedIndex) {
  const test::ManyThreads many;
  using T = TypeParam;
  std::mt19937_64 random(15);
  const std::vector<OrderingMethod> methods = test::methods();
  const int rounds =
      16 * static_cast<int>(methods.size());  // each place four times with each method
  for (int round = 0; round < rounds; ++round) {
    const auto n = static_cast<Index>(2 + random() % 120);
    auto a = random_spd(n, 2, n, random);
    auto value = test::cast<T>(a.value());
    // Negates diagonal entries in the caller's numbering: the first, the middle, the last row, or a
    // few random ones.
    const auto spoil = [&](Index i) {
      value[a.pattern().col_ptr[i]] = -value[a.pattern().col_ptr[i]];
    };
    if (round % 4 == 0) spoil(0);
    if (round % 4 == 1) spoil(n / 2);
    if (round % 4 == 2) spoil(n - 1);
    if (round % 4 == 3)
      for (int k = 0; k < 3; ++k)
        spoil(static_cast<Index>(random() % static_cast<std::uint64_t>(n)));
    const SymmetricView<T> view{a.pattern(), value};
    AnalyzeOptions options;
    options.ordering.method = methods[static_cast<std::size_t>(round / 4) % methods.size()];
    const auto plan = analyze(a.pattern(), options);
    const auto naive = test::naive_breakdown<T>(view, plan->perm);
    for (const int threads : {1, 2, 8}) {
      Backend backend = cpu_backend(threads);
      const auto factor = factorize<T>(plan, value, backend);
      ASSERT_EQ(factor.ok(), !naive.has_value());
      if (naive) {
        ASSERT_EQ(factor.error().column, naive->column)
            << "round " << round << " threads " << threads;
        ASSERT_NEAR(factor.error().pivot, naive->pivot, 1e-3 * std::abs(naive->pivot) + 1e-4);
      }
    }
  }
}

TYPED_TEST(Numeric, AFailedFactorKeepsItsBuffersAndTakesAShift) {
  Backend backend = cpu_backend(2);
  test::a_failed_factor_keeps_its_buffers_and_takes_a_shift<TypeParam>(
      backend, [](const Pattern& pattern) { return analyze(pattern); });
}

TYPED_TEST(Numeric, BytesAreThePlansByteForByte) {
  using T = TypeParam;
  std::mt19937_64 random(16);
  for (const int workers : {1, 2, 8}) {
    const auto a = random_spd(5000, 2, 100, random);
    AnalyzeOptions options;
    options.workers = workers;
    options.ordering.method = OrderingMethod::amd;
    const auto plan = analyze(a.pattern(), options);
    Backend backend = cpu_backend(2);
    {
      const auto value = test::cast<T>(a.value());
      auto factor = factorize<T>(plan, value, backend);
      ASSERT_TRUE(factor.ok());
      EXPECT_EQ(backend.peak_bytes(), plan->peak_bytes(sizeof(T)));
      auto workspace = Workspace<T>::create(plan, 40, backend);
      EXPECT_EQ(backend.peak_bytes(),
                plan->peak_bytes(sizeof(T)) + plan->workspace_bytes(sizeof(T), 40));
      std::vector<T> x(5000 * 40, T(1));
      factor.value().solve({x.data(), 5000, 40, 5000}, workspace);
      EXPECT_EQ(backend.peak_bytes(),
                plan->peak_bytes(sizeof(T)) + plan->workspace_bytes(sizeof(T), 40));
    }
    EXPECT_EQ(backend.bytes_in_use(), 0);
  }
}

/// On the CPU preparing a plan returns the plan unchanged.
TYPED_TEST(Numeric, FactorsOfAPreparedPlan) {
  using T = TypeParam;
  std::mt19937_64 random(17);
  const auto a = random_spd(800, 2, 40, random);
  const auto value = test::cast<T>(a.value());
  const auto plan = analyze(a.pattern());
  Backend backend = cpu_backend(2);
  auto expected = factorize<T>(plan, value, backend);
  ASSERT_TRUE(expected.ok());
  const Offset one = backend.bytes_in_use();
  auto prepared = std::make_optional(PreparedPlan::create(plan, backend));
  EXPECT_EQ(backend.bytes_in_use(), one);
  EXPECT_EQ(&prepared->plan(), plan.get());
  auto first = Factor<T>::create(*prepared), second = Factor<T>::create(*prepared);
  EXPECT_EQ(backend.bytes_in_use(), 3 * one);
  prepared.reset();
  ASSERT_TRUE(refactorize<T>(first, value).ok());
  ASSERT_TRUE(refactorize<T>(second, value, T(1)).ok());
  EXPECT_EQ(first.shared_plan(), plan);
  for (Index j = 0; j < 800; j += 7) {
    EXPECT_EQ(first.entry(j, j), expected.value().entry(j, j)) << j;
    EXPECT_GT(second.entry(j, j), first.entry(j, j)) << j;
  }
  EXPECT_THROW(PreparedPlan::create(nullptr, backend), Error);
}

TYPED_TEST(Numeric, MisuseAndBadNumbersAreErrors) {
  Backend backend = cpu_backend(1);
  test::misuse_is_an_error<TypeParam>(backend,
                                      [](const Pattern& pattern) { return analyze(pattern); });
}

TYPED_TEST(Numeric, TinyAndHugeScalesAndTrivialSizes) {
  Backend backend = cpu_backend(2);
  test::trivial_sizes_are_exact<TypeParam>(backend,
                                           [](const Pattern& pattern) { return analyze(pattern); });
}

}  // namespace
}  // namespace kauri
