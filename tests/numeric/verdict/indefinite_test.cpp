// Tests verdicts near and beyond singularity: the column and the sign of a naive column Cholesky in
// the same ordering.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <queue>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kauri/kauri.hpp"
#include "symbolic/plan/internals.hpp"
#include "tests/support/bodies/factor.hpp"
#include "tests/support/oracles/sparse_reference.hpp"
#include "tests/support/process/many_threads.hpp"
#include "tests/support/process/methods.hpp"
#include "tests/support/process/seeds.hpp"
#include "tests/support/systems/dense_reference.hpp"
#include "tests/support/systems/exact.hpp"

namespace kauri {
namespace {

template <class T>
constexpr double kRounding = sizeof(T) == 8 ? 1e-10 : 1e-4;  // relative rounding error of a pivot

template <class T>
class Indefinite : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Indefinite, Scalars);

/// The plan has the same number of workers on every machine.
std::shared_ptr<const Plan> plan_of(const Pattern& pattern, OrderingMethod method) {
  AnalyzeOptions options;
  options.ordering.method = method;
  options.workers = 8;
  return analyze(pattern, options);
}

TYPED_TEST(Indefinite, ShiftsAroundTheLeastEigenvalue) {
  const test::ManyThreads many;
  for (const std::string& spec : test::kShifted)
    for (const auto method : test::methods())
      for (const int threads : {1, 2, 8}) {
        SCOPED_TRACE(spec + " " + std::string(name_of(method)));
        Backend backend = cpu_backend(threads);
        test::shifts_around_the_least_eigenvalue<TypeParam>(
            backend, [&](const Pattern& pattern) { return plan_of(pattern, method); }, spec);
      }
}

TYPED_TEST(Indefinite, KktSystemsFailAtTheColumnANaiveFactorisationNames) {
  const test::ManyThreads many;
  for (const auto method : test::methods())
    for (const int threads : {1, 2, 8}) {
      Backend backend = cpu_backend(threads);
      SCOPED_TRACE(name_of(method));
      test::kkt_systems_fail_as_a_naive_factorisation<TypeParam>(
          backend, [&](const Pattern& pattern) { return plan_of(pattern, method); });
    }
}

/// Returns columns of B, each in another task. Rounds 0 and 1: the last column of the task with
/// most operations in the first half, and of each later task the first column (another thread finds
/// it long before) or the last column (found afterwards, if both run at once). Other rounds: a
/// random column in each of six random tasks.
std::vector<Index> columns_in_tasks(const Plan& plan, int round, std::mt19937_64& random) {
  struct Range {
    Index begin, end;
    double flops;
  };
  std::vector<Range> range;
  for (const symbolic::Schedule::Task& task : plan.internals->schedule.task)
    range.push_back({plan.supernodes.first[task.first_front],
                     plan.supernodes.first[task.last_front], task.flops});
  std::vector<Index> columns;
  if (round < 2) {
    std::sort(range.begin(), range.end(),
              [](const Range& x, const Range& y) { return x.begin < y.begin; });
    const auto middle = range.begin() + static_cast<std::ptrdiff_t>(range.size() / 2);
    auto task = std::max_element(range.begin(), middle,
                                 [](const Range& x, const Range& y) { return x.flops < y.flops; });
    columns.push_back(task->end - 1);
    while (++task != range.end()) columns.push_back(round == 0 ? task->begin : task->end - 1);
    return columns;
  }
  std::shuffle(range.begin(), range.end(), random);
  range.resize(6);
  for (const Range& r : range)
    columns.push_back(r.begin +
                      static_cast<Index>(random() % static_cast<std::uint64_t>(r.end - r.begin)));
  return columns;
}

/// Returns the plan with its tasks renumbered in another order that the edges allow: of the ready
/// tasks always the last. One thread takes tasks in this order. The plan serves factorisations
/// only: the edges of solves are not renumbered.
std::shared_ptr<const Plan> last_tasks_first(const Plan& plan) {
  auto result = std::make_shared<Plan>(plan);
  const symbolic::Schedule& from = plan.internals->schedule;
  symbolic::Schedule& to = result->internals->schedule;
  std::vector<Index> waits = from.factor_edges.dependencies, new_of(waits.size());
  std::priority_queue<Index> ready;
  for (std::size_t t = 0; t < waits.size(); ++t)
    if (waits[t] == 0) ready.push(static_cast<Index>(t));
  for (Index ticket = 0; !ready.empty(); ++ticket) {
    const Index t = ready.top();
    ready.pop();
    new_of[t] = ticket;
    to.task[ticket] = from.task[t];
    to.scratch[ticket] = from.scratch[t];
    to.factor_edges.dependencies[ticket] = from.factor_edges.dependencies[t];
    for (Offset k = from.factor_edges.successor_ptr[t]; k < from.factor_edges.successor_ptr[t + 1];
         ++k)
      if (--waits[from.factor_edges.successor[k]] == 0) ready.push(from.factor_edges.successor[k]);
  }
  to.factor_edges.successor.clear();
  to.factor_edges.successor_ptr.assign(1, 0);
  for (std::size_t ticket = 0; ticket < waits.size(); ++ticket) {
    const auto t =
        std::find(new_of.begin(), new_of.end(), static_cast<Index>(ticket)) - new_of.begin();
    for (Offset k = from.factor_edges.successor_ptr[t]; k < from.factor_edges.successor_ptr[t + 1];
         ++k)
      to.factor_edges.successor.push_back(new_of[from.factor_edges.successor[k]]);
    to.factor_edges.successor_ptr.push_back(static_cast<Offset>(to.factor_edges.successor.size()));
    if (Index& parent = to.task[ticket].parent; parent != kNone) parent = new_of[parent];
  }
  return result;
}

/// Expects that each number of threads, also with tasks in another order, finds the breakdown of
/// `naive`, with equal bits of the pivot.
template <class T>
void expect_breakdown(const std::shared_ptr<const Plan>& plan, std::span<const T> value,
                      const Breakdown& naive, std::uint32_t runs) {
  std::optional<double> pivot;
  for (const auto& way : {plan, last_tasks_first(*plan)})
    for (const int threads : {1, 2, 8}) {
      Backend backend = cpu_backend(threads);
      auto factor = Factor<T>::create(way, backend);
      for (std::uint32_t run = 0; run < (threads == 1 ? 1 : runs); ++run) {
        SCOPED_TRACE(std::to_string(threads) + " threads, run " + std::to_string(run) +
                     (way == plan ? "" : ", last tasks first"));
        const auto verdict = refactorize<T>(factor, value);
        ASSERT_FALSE(verdict.ok());
        ASSERT_EQ(verdict.error().column, naive.column);
        ASSERT_NEAR(verdict.error().pivot, naive.pivot, kRounding<T> * std::abs(naive.pivot));
        if (!pivot) pivot = verdict.error().pivot;
        ASSERT_EQ(verdict.error().pivot, *pivot);
      }
    }
}

/// Several tasks fail in any order and at the same time; the breakdown is that of the column
/// eliminated first.
TYPED_TEST(Indefinite, OfManyTasksThatFailTheFirstColumnIsTold) {
  using T = TypeParam;
  const test::ManyThreads many;
  std::mt19937_64 random(21);
  for (const char* spec : {"poisson3d 14", "blockdiag 4000 250", "lap27 13"})
    for (const auto method : test::methods()) {
      const auto a = generate(spec);
      const auto plan = plan_of(a.pattern(), method);
      ASSERT_GT(plan->internals->schedule.task.size(), 10U) << spec << ' ' << name_of(method);
      for (int round = 0; round < 4; ++round) {
        SCOPED_TRACE(std::string(spec) + " " + std::string(name_of(method)) + " round " +
                     std::to_string(round));
        auto value = test::cast<T>(a.value());
        const auto columns = columns_in_tasks(*plan, round, random);
        for (const Index k : columns) value[a.pattern().col_ptr[plan->perm.old_of(k)]] *= T(-1);
        const auto naive = test::sparse_breakdown<T>({a.pattern(), value}, plan->perm);
        ASSERT_TRUE(naive.has_value());
        ASSERT_EQ(naive->column,
                  plan->perm.old_of(*std::min_element(columns.begin(), columns.end())));
        expect_breakdown<T>(plan, value, *naive, test::seeds(8));
        if (this->HasFatalFailure()) return;
      }
    }
}

/// The tasks take milliseconds, and all but the first few fail at their very end: even if threads
/// share one core, some tasks are running when the first one fails.
TYPED_TEST(Indefinite, AFailureFoundLateDoesNotReplaceAnEarlierColumn) {
  using T = TypeParam;
  const test::ManyThreads many;
  const Index blocks = 9, order = 1000, sound = 1;
  const auto a =
      generate("blockdiag " + std::to_string(blocks * order) + " " + std::to_string(order));
  const auto plan = plan_of(a.pattern(), OrderingMethod::natural);
  ASSERT_EQ(plan->internals->schedule.task.size(), blocks);
  auto value = test::cast<T>(a.value());
  const Index least = sound * order + order - 1;
  for (Index k = least; k < plan->n; k += order)
    value[a.pattern().col_ptr[plan->perm.old_of(k)]] *= T(-1);
  const auto naive = test::sparse_breakdown<T>({a.pattern(), value}, plan->perm);
  ASSERT_TRUE(naive.has_value());
  ASSERT_EQ(naive->column, plan->perm.old_of(least));
  expect_breakdown<T>(plan, value, *naive, test::seeds(8));
}

TYPED_TEST(Indefinite, AMissingDiagonalEntryIsAZeroPivot) {
  Backend backend = cpu_backend(1);
  test::missing_diagonal_entry_is_a_zero_pivot<TypeParam>(
      backend, [](const Pattern& pattern) { return analyze(pattern); });
}

}  // namespace
}  // namespace kauri
