// Bodies of tests that hold for every backend: estimates of the condition against the inverse by
// dense columns; determinants against products of known eigenvalues.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "kauri/kauri.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/systems/patterns.hpp"
#include "tests/support/systems/plan_of.hpp"

namespace kauri::test {

template <class T>
struct ConditionedSystem {
  Factor<T> factor;
  Workspace<T> workspace;
  std::vector<T> value;

  ConditionedSystem(const Pattern& pattern, const std::vector<double>& numbers, Backend& backend,
                    const PlanOf& plan_of)
      : factor(Factor<T>::create(plan_of(pattern), backend)),
        workspace(Workspace<T>::create(factor, 1)),
        value(numbers.begin(), numbers.end()) {
    EXPECT_TRUE(refactorize<T>(factor, value).ok());
  }
  ConditionedSystem(const SymmetricMatrix<double>& a, Backend& backend, const PlanOf& plan_of)
      : ConditionedSystem(a.pattern(), {a.value().begin(), a.value().end()}, backend, plan_of) {}

  ConditionEstimate estimate(const Pattern& pattern) {
    return estimate_condition<T>({pattern, value}, factor, workspace);
  }
  /// Returns the 1-norm of the inverse, computed column by column.
  double inverse_norm() {
    const Index n = factor.plan().n;
    double largest = 0;
    for (Index j = 0; j < n; ++j) {
      std::vector<T> x(static_cast<std::size_t>(n), T(0));
      x[j] = T(1);
      factor.solve({x.data(), n, 1, n}, workspace);
      double sum = 0;
      for (const T v : x) sum += std::abs(static_cast<double>(v));
      largest = std::max(largest, sum);
    }
    return largest;
  }
};

/// Expects exact estimates for matrices whose inverses the estimator resolves exactly.
template <class T>
void conditions_are_those_of_the_inverse(Backend& backend, const PlanOf& plan_of,
                                         const std::vector<std::string>& specs) {
  for (const std::string& spec : specs) {
    const auto a = generate(spec);
    ConditionedSystem<T> s(a, backend, plan_of);
    const ConditionEstimate found = s.estimate(a.pattern());
    const double exact = s.inverse_norm(), slack = 1e-3;
    EXPECT_LE(found.inverse_norm, exact * (1 + slack)) << spec;
    EXPECT_GE(found.inverse_norm, exact * (1 - slack)) << spec;
    EXPECT_LE(found.solves, 11) << spec;
    EXPECT_EQ(found.condition(), found.norm * found.inverse_norm);
  }
}

template <class T>
void conditions_are_within_a_factor_of_three(Backend& backend, const PlanOf& plan_of,
                                             std::uint64_t seeds) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const auto pattern = random_pattern(static_cast<Index>(2 + seed), 3, seed);
    ConditionedSystem<T> s(pattern.view(), random_dominant<double>(pattern.view(), seed), backend,
                           plan_of);
    const double exact = s.inverse_norm();
    const ConditionEstimate found = s.estimate(pattern.view());
    EXPECT_LE(found.inverse_norm, exact * 1.001) << seed;
    EXPECT_GE(found.inverse_norm, exact / 3) << seed;
  }
}

template <class T>
void norms_are_sums_of_columns(Backend& backend, const PlanOf& plan_of) {
  const auto a = SymmetricMatrix<double>::from_triplets(
      3, std::vector<Index>{0, 1, 1, 2, 2}, std::vector<Index>{0, 0, 1, 1, 2},
      std::vector<double>{4, -1, 5, -2, 6}, Storage::lower);
  EXPECT_EQ(ConditionedSystem<T>(a, backend, plan_of).estimate(a.pattern()).norm, 8);
}

template <class T>
void conditions_of_nothing_and_of_another_pattern(Backend& backend, const PlanOf& plan_of) {
  const SymmetricMatrix<double> nothing;
  EXPECT_EQ(ConditionedSystem<T>(nothing, backend, plan_of).estimate(nothing.pattern()).condition(),
            0);
  const auto a = generate("poisson2d 4"), other = generate("tree 16 1");
  ConditionedSystem<T> s(a, backend, plan_of);
  s.value.assign(other.value().begin(), other.value().end());
  EXPECT_NE(
      error_text(ErrorKind::usage, [&] { s.estimate(other.pattern()); }).find("another pattern"),
      std::string::npos);
}

/// The eigenvalues of the five-point grid are 4 - 2 cos(i pi / (k + 1)) - 2 cos(j pi / (k + 1)).
template <class T>
void determinants_are_products_of_eigenvalues(Backend& backend, const PlanOf& plan_of,
                                              const std::vector<Index>& sides) {
  for (const Index k : sides) {
    const auto a = generate("poisson2d " + std::to_string(k));
    const ConditionedSystem<T> s(a, backend, plan_of);
    double expected = 0;
    for (Index i = 1; i <= k; ++i)
      for (Index j = 1; j <= k; ++j)
        expected += std::log(4 - 2 * std::cos(i * std::numbers::pi / (k + 1)) -
                             2 * std::cos(j * std::numbers::pi / (k + 1)));
    EXPECT_NEAR(log_determinant(s.factor), expected, (sizeof(T) == 4 ? 1e-5 : 1e-13) * k * k) << k;
  }
  EXPECT_EQ(
      log_determinant(ConditionedSystem<T>(SymmetricMatrix<double>(), backend, plan_of).factor), 0);
}

}  // namespace kauri::test
