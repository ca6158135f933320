// Tests rows forced last: they stay last through ordering, postorder and amalgamation, and the plan
// is sound.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "kauri/kauri.hpp"
#include "support/process/error_text.hpp"
#include "support/process/methods.hpp"
#include "support/systems/patterns.hpp"
#include "symbolic/check/find_flaw.hpp"

namespace kauri::test {
namespace {

std::vector<Index> some_rows(Index n, Index count, std::uint64_t seed) {
  const Permutation order = random_order(n, seed);
  return {order.old_of().begin(), order.old_of().begin() + std::min(n, count)};
}

std::vector<Index> tail_of(const Permutation& perm, std::size_t count) {
  return {perm.old_of().end() - static_cast<std::ptrdiff_t>(count), perm.old_of().end()};
}

/// Checks a matrix with some rows last, for each method and target, with and without amalgamation.
void check_last(const OwnedPattern& a, const std::vector<Index>& last) {
  const std::vector<double> value = random_dominant<double>(a.view(), 7);
  std::vector<OrderingMethod> all = methods();
  all.push_back(OrderingMethod::automatic);
  for (const OrderingMethod method : all) {
    SCOPED_TRACE(name_of(method));
    AnalyzeOptions options;
    options.ordering.method = method;
    options.ordering.last = last;
    if (method != OrderingMethod::automatic) {
      ASSERT_EQ(tail_of(order(Graph(a.view()), options.ordering), last.size()), last);
    }
    for (const char* target : {"cpu-generic", "sm_90"}) {
      options.target = target;
      for (const bool amalgamate : {true, false}) {
        options.amalgamate = amalgamate;
        const auto plan = analyze(a.view(), options);
        ASSERT_EQ(find_flaw(*plan), "");
        ASSERT_EQ(tail_of(plan->perm, last.size()), last);
        if (last.empty()) continue;
        const Index s = plan->supernodes.count() - 1;
        ASSERT_EQ(plan->supernodes.pivots(s), static_cast<Index>(last.size()));
        ASSERT_EQ(plan->supernodes.contribution(s), 0);
      }
    }
    // The factor is that of the permuted matrix.
    options.target = "";
    options.amalgamate = true;
    const auto plan = analyze(a.view(), options);
    auto backend = cpu_backend(2);
    auto factor = Factor<double>::create(plan, backend);
    ASSERT_TRUE(refactorize<double>(factor, std::span<const double>(value)).ok());
    std::vector<double> x(static_cast<std::size_t>(a.n()), 0.0), b(x);
    for (Index i = 0; i < a.n(); ++i) x[i] = 1 + i % 5;
    for (Index j = 0; j < a.n(); ++j)
      for (Offset k = a.col_ptr[j]; k < a.col_ptr[j + 1]; ++k) {
        b[a.row[k]] += value[k] * x[j];
        if (a.row[k] != j) b[j] += value[k] * x[a.row[k]];
      }
    auto workspace = Workspace<double>::create(plan, 1, backend);
    factor.solve(column_view(std::span(b)), workspace);
    for (Index i = 0; i < a.n(); ++i) ASSERT_NEAR(b[i], x[i], 1e-10);
  }
}

TEST(Last, RandomPatterns) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Index n = 1 + static_cast<Index>(seed * 13 % 70);
    const OwnedPattern a = random_pattern(n, 0.5 + static_cast<double>(seed % 6), seed);
    check_last(a, some_rows(n, static_cast<Index>(seed % 9), seed));
    if (HasFatalFailure()) return;
  }
}

TEST(Last, Families) {
  for (const Index n : {1, 2, 30})
    for (const OwnedPattern& a : {diagonal_pattern(n), chain_pattern(n), dense_pattern(n),
                                  star_pattern(n, 0), caterpillar_pattern(n)}) {
      check_last(a, {0});
      check_last(a, some_rows(n, n, 1));  // all rows
      check_last(a, some_rows(n, n / 2, 2));
      if (HasFatalFailure()) return;
    }
  check_last(grid_pattern(20, 15, 1), some_rows(300, 12, 3));
  check_last(grid_pattern(6, 5, 4, true), {119, 0, 60});
}

/// The other rows are ordered as if the last rows did not exist, even if each of them has many last
/// rows as neighbours.
TEST(Last, TheOthersAreOrderedAsTheyWouldBeAlone) {
  const OwnedPattern grid = grid_pattern(30, 30, 1);
  EdgeList edges;
  for (Index j = 0; j < grid.n(); ++j)
    for (Offset k = grid.col_ptr[j]; k < grid.col_ptr[j + 1]; ++k)
      edges.emplace_back(j, grid.row[k]);
  OrderingOptions options;
  for (Index s = 0; s < 500; ++s) {
    options.last.push_back(900 + s);
    for (Index v = 0; v < 900; ++v) edges.emplace_back(v, 900 + s);
  }
  const OwnedPattern bordered = pattern_of(1400, std::move(edges));
  for (const OrderingMethod method : methods()) {
    options.method = method;
    const Permutation all = order(Graph(bordered.view()), options);
    const Permutation alone = order(Graph(grid.view()), {.method = method});
    EXPECT_TRUE(std::equal(alone.old_of().begin(), alone.old_of().end(), all.old_of().begin()))
        << name_of(method);
  }
}

/// Members of a supervariable are separated if some of them come last.
TEST(Last, OfSupervariables) {
  const auto a = generate("poisson2d 12 --dof 3");
  AnalyzeOptions options;
  options.ordering.last = {4, 200, 3};
  const auto plan = analyze(a.pattern(), options);
  EXPECT_EQ(find_flaw(*plan), "");
  EXPECT_EQ(tail_of(plan->perm, 3), options.ordering.last);
}

/// The last rows of L are those of the Schur complement, and the cost counts them as dense.
TEST(Last, CountsAreThoseOfADenseComplement) {
  const OwnedPattern a = chain_pattern(11);
  AnalyzeOptions options;
  options.ordering.method = OrderingMethod::natural;
  options.ordering.last = {9, 1, 5};
  const auto plan = analyze(a.view(), options);
  EXPECT_EQ(std::vector<Index>(plan->tree.column_count.end() - 3, plan->tree.column_count.end()),
            (std::vector<Index>{3, 2, 1}));
  // The chain falls into {0}, {2, 3, 4}, {6, 7, 8} and {10}; a column in the middle of a piece
  // meets both of its ends.
  EXPECT_EQ(plan->cost.nnz_l, 2 + (3 + 3 + 3) + (3 + 3 + 3) + 2 + 6);
}

TEST(Last, BadRowsAreNamed) {
  const OwnedPattern a = chain_pattern(6);
  const auto text = [&](OrderingMethod method, std::vector<Index> last) {
    return error_text(ErrorKind::input, [&] {
      (void)order(Graph(a.view()), {.method = method, .last = std::move(last)});
    });
  };
  for (const auto method : {OrderingMethod::natural, OrderingMethod::amd}) {
    EXPECT_EQ(text(method, {2, 6}),
              "order: entry 1 of the rows to come last is 6, expected 0 to 5");
    EXPECT_EQ(text(method, {-1}), "order: entry 0 of the rows to come last is -1, expected 0 to 5");
    EXPECT_EQ(
        text(method, {3, 1, 3}),
        "order: entry 2 of the rows to come last is 3, as is entry 0; expected each row once");
  }
  AnalyzeOptions options;
  options.permutation = Permutation::identity(6);
  options.ordering.last = {4, 5};
  EXPECT_EQ(tail_of(analyze(a.view(), options)->perm, 2), options.ordering.last);
  options.ordering.last = {5, 4};
  EXPECT_EQ(error_text(ErrorKind::input, [&] { (void)analyze(a.view(), options); }),
            "analyze: the permutation has row 4 at place 4, where options.last requires row 5");
  options.ordering.last.assign(7, 0);
  EXPECT_EQ(error_text(ErrorKind::input, [&] { (void)analyze(a.view(), options); }),
            "analyze: options.last has 7 rows, expected at most 6");
}

}  // namespace
}  // namespace kauri::test
