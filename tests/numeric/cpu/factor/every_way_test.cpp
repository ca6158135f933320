// Runs one body over scalar x ordering x storage x threads x target: several right-hand sides, the
// backward error, equal bits.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kauri/kauri.hpp"
#include "symbolic/plan/internals.hpp"
#include "tests/support/process/many_threads.hpp"
#include "tests/support/process/seeds.hpp"
#include "tests/support/process/targets.hpp"
#include "tests/support/systems/exact.hpp"

namespace kauri {
namespace {

/// Returns the triangle `lower` in this storage, with rows descending in each column.
template <class T>
SymmetricMatrix<T> stored_as(const SymmetricMatrix<double>& lower, Storage storage) {
  std::vector<Index> row, col;
  std::vector<T> value;
  const Pattern p = lower.pattern();
  for (Index j = p.n; j-- > 0;)
    for (Offset k = p.col_ptr[j + 1]; k-- > p.col_ptr[j];) {
      const auto add = [&](Index r, Index c) {
        row.push_back(r), col.push_back(c), value.push_back(static_cast<T>(lower.value()[k]));
      };
      if (storage != Storage::upper) add(p.row[k], j);
      if (storage == Storage::upper || (storage == Storage::full && p.row[k] != j))
        add(j, p.row[k]);
    }
  return SymmetricMatrix<T>::from_triplets(p.n, row, col, value, storage);
}

template <class T>
class EveryWay : public ::testing::Test {
 protected:
  static constexpr Index kRhs = 5;

  /// Solves with a padded leading dimension; checks that padding and b are unchanged and that the
  /// backward error is that of a stable method.
  std::vector<T> solve(const SymmetricMatrix<T>& a, const AnalyzeOptions& options, int threads) {
    Backend backend = cpu_backend(threads);
    EXPECT_EQ(backend.threads(), threads);
    const auto plan = analyze(a.pattern(), options);
    EXPECT_EQ(plan->target, options.target);
    auto factor = factorize<T>(plan, a.value(), backend);
    EXPECT_TRUE(factor.ok());
    if (!factor.ok()) return {};
    auto workspace = Workspace<T>::create(factor.value(), kRhs);
    const Index n = a.n();
    const Offset ld = n + 3;
    std::mt19937_64 random(3);
    std::vector<T> b(static_cast<std::size_t>(ld * kRhs));
    for (T& v : b) v = static_cast<T>(std::uniform_real_distribution<double>(-1, 1)(random));
    const std::vector<T> kept = b;
    std::vector<T> x = b;
    factor.value().solve({x.data(), n, kRhs, ld}, workspace);
    for (Index c = 0; c < kRhs; ++c)
      for (Offset i = n; i < ld; ++i) EXPECT_EQ(x[c * ld + i], b[c * ld + i]) << "padding";
    const MatrixView<const T> rhs{b.data(), n, kRhs, ld};
    const double bound = sizeof(T) == 8 ? 1e-14 : 5e-6;
    EXPECT_LE(backward_error<T>(a.view(), {x.data(), n, kRhs, ld}, rhs, backend).componentwise,
              bound);
    // Refinement without a step returns errors only and changes no bit of x.
    std::vector<T> refined = x;
    EXPECT_EQ(refine<T>(a.view(), factor.value(), rhs, {refined.data(), n, kRhs, ld}, workspace,
                        {.max_steps = 0})
                  .steps,
              0);
    EXPECT_EQ(refined, x);
    const auto done =
        refine<T>(a.view(), factor.value(), rhs, {refined.data(), n, kRhs, ld}, workspace);
    EXPECT_LE(done.final_error.componentwise, sizeof(T) == 8 ? 1e-15 : 5e-7);
    EXPECT_EQ(b, kept);
    return x;
  }
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(EveryWay, Scalars);

/// Returns every available ordering, and one given by the caller.
std::vector<AnalyzeOptions> orderings(Index n) {
  std::vector<AnalyzeOptions> all;
  for (const auto method :
       {OrderingMethod::natural, OrderingMethod::rcm, OrderingMethod::minimum_degree,
        OrderingMethod::amd, OrderingMethod::parallel_amd, OrderingMethod::nested_dissection,
        OrderingMethod::metis, OrderingMethod::automatic})
    if (ordering_available(method)) all.emplace_back().ordering.method = method;
  std::mt19937_64 random(4);
  all.emplace_back().permutation = test::random_permutation(n, random);
  return all;
}

TYPED_TEST(EveryWay, SameBitsAndSmallErrors) {
  const test::ManyThreads many;
  // The second system has many tasks with each of these orderings.
  for (const auto& [spec, least_tasks] :
       {std::pair{"elast3d 4", 1U}, std::pair{"poisson2d 60", 11U}}) {
    const auto lower = generate(spec);
    for (AnalyzeOptions options : orderings(lower.n())) {
      ASSERT_GE(analyze(lower.pattern(), options)->internals->schedule.task.size(), least_tasks);
      for (const std::string& target : test::targets()) {
        options.target = target;
        std::optional<std::vector<TypeParam>> first;
        for (const Storage storage : {Storage::lower, Storage::upper, Storage::full})
          for (const int threads : {1, 2, 8}) {
            if (test::kSanitized && (storage == Storage::lower) == (threads == 2))
              continue;  // sanitizer builds run half of the cases
            SCOPED_TRACE(
                std::string(spec) + " " +
                std::string(options.permutation ? "given" : name_of(options.ordering.method)) +
                " " + target + " storage " + std::to_string(static_cast<int>(storage)) +
                " threads " + std::to_string(threads));
            options.workers = threads;
            const auto x = this->solve(stored_as<TypeParam>(lower, storage), options, threads);
            if (!first) first = x;
            ASSERT_EQ(x, *first) << "other bits";
            if (this->HasFailure()) return;
          }
      }
    }
  }
}

/// Tests Solver with its defaults (`auto`, default workers and threads) and refinement off.
TYPED_TEST(EveryWay, TheSolverGivesTheSameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  const test::ManyThreads many;
  const auto lower = generate("poisson3d 11");
  const auto a = stored_as<T>(lower, Storage::lower);
  std::vector<T> b(static_cast<std::size_t>(a.n()), T(1)), first;
  for (const int threads : {1, 2, 8}) {
    SolverOptions options;
    options.threads = threads;
    options.refine.max_steps = 0;
    Solver<T> solver(options);
    ASSERT_TRUE(solver.compute(a.view()).ok());
    const auto x = solver.solve(b);
    if (first.empty()) first = x;
    ASSERT_EQ(x, first) << threads;
  }
}

}  // namespace
}  // namespace kauri
