// Properties of every phase on random small matrices; a failing one is shrunk to few rows and few
// edges.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "kauri/kauri.hpp"
#include "src/checks/same_pattern.hpp"
#include "symbolic/check/find_flaw.hpp"
#include "tests/support/oracles/fill_oracle.hpp"
#include "tests/support/systems/dense_reference.hpp"
#include "tests/support/systems/patterns.hpp"

namespace kauri {
namespace {

constexpr OrderingMethod kMethods[] = {
    OrderingMethod::natural, OrderingMethod::rcm,          OrderingMethod::minimum_degree,
    OrderingMethod::amd,     OrderingMethod::parallel_amd, OrderingMethod::nested_dissection,
    OrderingMethod::metis,   OrderingMethod::automatic};

/// n rows and a list of edges; both shrink. An edge is a pair of numbers taken modulo n, so that a
/// smaller n keeps the list.
test::OwnedPattern any_pattern() {
  const Index n = *rc::gen::inRange(0, 80);
  const auto pairs = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, 1000), rc::gen::inRange(0, 1000)));
  test::EdgeList edges;
  for (const auto& [u, v] : pairs)
    if (n > 0) edges.emplace_back(u % n, v % n);
  return test::pattern_of(n, std::move(edges));
}

AnalyzeOptions any_options() {
  AnalyzeOptions options;
  do
    options.ordering.method =
        *rc::gen::elementOf(std::vector<OrderingMethod>(std::begin(kMethods), std::end(kMethods)));
  while (!ordering_available(options.ordering.method));
  options.ordering.compress = *rc::gen::arbitrary<bool>();
  options.amalgamate = *rc::gen::arbitrary<bool>();
  options.workers = *rc::gen::inRange(1, 5);
  return options;
}

/// Strictly dominant values on the pattern.
std::vector<double> dominant_values(const Pattern& pattern) {
  std::vector<double> value(static_cast<std::size_t>(pattern.nnz()));
  for (Index j = 0; j < pattern.n; ++j)
    for (Offset k = pattern.col_ptr[j] + 1; k < pattern.col_ptr[j + 1]; ++k) {
      value[k] = *rc::gen::inRange(-8, 9) / 8.0;
      value[pattern.col_ptr[j]] += std::abs(value[k]);
      value[pattern.col_ptr[pattern.row[k]]] += std::abs(value[k]);
    }
  for (Index j = 0; j < pattern.n; ++j) value[pattern.col_ptr[j]] += 0.125;
  return value;
}

RC_GTEST_PROP(RandomPatterns, EveryOrderingIsABijection, ()) {
  const auto p = any_pattern();
  OrderingOptions options = any_options().ordering;
  RC_PRE(options.method != OrderingMethod::automatic);
  const Permutation perm = order(Graph(p.view()), options);
  RC_ASSERT(perm.size() == p.n());
  std::set<Index> seen;
  for (Index k = 0; k < p.n(); ++k) {
    RC_ASSERT(perm.new_of(perm.old_of(k)) == k);
    seen.insert(perm.old_of(k));
  }
  RC_ASSERT(static_cast<Index>(seen.size()) == p.n());
}

RC_GTEST_PROP(RandomPatterns, PlansAreSoundAndCountsAreTheNaiveFill, ()) {
  const auto p = any_pattern();
  AnalyzeOptions options = any_options();
  if (*rc::gen::arbitrary<bool>()) options.target = "sm_90";
  const auto plan = analyze(p.view(), options);
  RC_ASSERT(find_flaw(*plan) == "");
  RC_ASSERT(same_pattern(plan->pattern(), p.view()));
  const auto column = test::naive_columns(p.view(), plan->perm);
  RC_ASSERT(plan->tree.parent == test::naive_tree(column));
  Offset nnz_l = 0;
  for (Index j = 0; j < p.n(); ++j) {
    RC_ASSERT(plan->tree.parent[j] == kNone || plan->tree.parent[j] > j);
    RC_ASSERT(plan->tree.column_count[j] == static_cast<Index>(column[j].size()));
    nnz_l += static_cast<Offset>(column[j].size());
  }
  RC_ASSERT(plan->cost.nnz_l == nnz_l);
}

RC_GTEST_PROP(RandomPatterns, FactorAndSolveLeaveASmallResidual, ()) {
  const auto p = any_pattern();
  const auto value = dominant_values(p.view());
  const auto plan = analyze(p.view(), any_options());
  Backend backend = cpu_backend(*rc::gen::inRange(1, 3));
  const auto factor = factorize<double>(plan, value, backend);
  RC_ASSERT(factor.ok());
  const Index nrhs = *rc::gen::inRange(1, 5);
  auto workspace = Workspace<double>::create(factor.value(), nrhs);
  std::vector<double> b(static_cast<std::size_t>(p.n()) * static_cast<std::size_t>(nrhs));
  for (double& v : b) v = *rc::gen::inRange(-100, 101);
  std::vector<double> x = b;
  factor.value().solve({x.data(), p.n(), nrhs, p.n()}, workspace);
  const auto error = backward_error<double>({p.view(), value}, {x.data(), p.n(), nrhs, p.n()},
                                            {b.data(), p.n(), nrhs, p.n()}, backend);
  // Higham 2002, theorem 10.4: 3n+1 rounding errors per entry, and |L||L^T| <= n max |A|; the error
  // in the norm is far below 10 n eps.
  RC_ASSERT(error.normwise <= 10 * std::max(p.n(), 1) * std::numeric_limits<double>::epsilon());
}

RC_GTEST_PROP(RandomPatterns, TheVerdictIsTheNaiveOne, ()) {
  const auto p = any_pattern();
  RC_PRE(p.n() > 0);
  auto value = dominant_values(p.view());
  // Makes some diagonal entries negative; the matrix is far from singular either way.
  for (const Index j : *rc::gen::container<std::vector<Index>>(rc::gen::inRange(Index{0}, p.n()))) {
    double& diagonal = value[p.col_ptr[j]];
    if (*rc::gen::inRange(0, 3) == 0) diagonal = -std::abs(diagonal) - 1;
  }
  const auto plan = analyze(p.view(), any_options());
  const auto naive = test::naive_breakdown<double>({p.view(), value}, plan->perm);
  Backend backend = cpu_backend(*rc::gen::inRange(1, 3));
  const auto factor = factorize<double>(plan, value, backend);
  RC_ASSERT(factor.ok() == !naive.has_value());
  if (naive) {
    RC_ASSERT(factor.error().column == naive->column);
    RC_ASSERT(std::abs(factor.error().pivot - naive->pivot) <= 1e-10 * std::abs(naive->pivot));
  }
}

}  // namespace
}  // namespace kauri
