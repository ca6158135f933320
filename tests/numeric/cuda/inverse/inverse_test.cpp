// Tests calls beyond A x = b on a CUDA device and on the emulated one: selected inverses, products
// with L, Schur complements, log-determinants.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "tests/support/bodies/inverse.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/oracles/lower_factor_oracle.hpp"
#include "tests/support/process/methods.hpp"

namespace kauri::test {
namespace {

template <class W>
class CudaInverses : public OnCuda<W> {
 protected:
  PlanWith plan_with() {
    return [this](const Pattern& pattern, AnalyzeOptions options) {
      options.target = this->backend().target();
      return this->plan(pattern, options);
    };
  }
  bool is_emulated() { return this->backend().device() == "emulated"; }
  /// Returns whether to run large systems. The calls do not depend on the kernels that made the
  /// factor, so the emulated device, which is slow, runs them once with each scalar.
  bool takes_large_ones() { return !is_emulated() || W::by_level; }
  static AnalyzeOptions in_caller_order() {
    AnalyzeOptions options;
    options.ordering.method = OrderingMethod::natural;
    options.amalgamate = false;
    return options;
  }
};
TYPED_TEST_SUITE(CudaInverses, Ways, WayNumbers);

TYPED_TEST(CudaInverses, AreTheDenseOnes) {
  using T = typename TypeParam::T;
  inverses_are_the_dense_ones<T>(
      this->backend(), this->plan_with(),
      this->is_emulated()
          ? std::vector<OrderingMethod>{OrderingMethod::amd, OrderingMethod::natural}
          : methods(),
      this->is_emulated() ? 4 : 12);
}

/// The fronts have several tiles of pivots and of rows below, whole and partial; no rows below; an
/// odd number of cells; and pivot tiles left over after inverting blocks in pairs.
TYPED_TEST(CudaInverses, OfTiledFrontsAreThoseOfSolves) {
  using T = typename TypeParam::T;
  std::vector<OwnedPattern> patterns{forked_pattern(2, 70, 140, 1), forked_pattern(3, 20, 75, 2),
                                     forked_pattern(1, 130, 65, 3), star_pattern(90, 89),
                                     grid_pattern(7, 7, 6),         dense_pattern(65)};
  if (!this->is_emulated() || TypeParam::by_level)
    patterns.push_back(forked_pattern(1, 331, 20, 5));
  if (!this->is_emulated()) {
    patterns.push_back(dense_pattern(331));
    patterns.push_back(dense_pattern(2200));
    patterns.push_back(forked_pattern(2, 800, 1200, 4));
    patterns.push_back(forked_pattern(2, 300, 2100, 6));
    patterns.push_back(grid_pattern(24, 23, 22));
  }
  for (const OwnedPattern& a : patterns) {
    SCOPED_TRACE(a.n());
    large_inverses_are_those_of_solves<T>(this->backend(), this->plan_with(), a,
                                          this->in_caller_order());
    if (!this->is_emulated())
      large_inverses_are_those_of_solves<T>(this->backend(), this->plan_with(), a, {});
  }
}

/// The level has more fronts than fit into the scratch memory at once.
TYPED_TEST(CudaInverses, OfManyTiledFrontsAreThoseOfSolves) {
  if (this->is_emulated() && !TypeParam::by_level)
    GTEST_SKIP() << "the same kernels, and slow there";
  large_inverses_are_those_of_solves<typename TypeParam::T>(
      this->backend(), this->plan_with(), forked_pattern(90, 10, 80, 2), this->in_caller_order(),
      this->is_emulated() ? 1 : 25);
}

/// The blocks inverted for all levels together exceed the scratch memory, too: 530 fronts with a
/// product of one tile each.
TYPED_TEST(CudaInverses, OfManyFrontsOfTwoPivotTilesAreThoseOfSolves) {
  if (this->is_emulated()) GTEST_SKIP() << "too much for it";
  large_inverses_are_those_of_solves<typename TypeParam::T>(
      this->backend(), this->plan_with(), forked_pattern(530, 70, 10, 2), this->in_caller_order());
}

TYPED_TEST(CudaInverses, AreFilledAgainInMemoryThatWasTold) {
  inverses_are_filled_again<typename TypeParam::T>(this->backend(), this->plan_with());
}

TYPED_TEST(CudaInverses, WhatTheyRefuse) {
  what_inverses_refuse<typename TypeParam::T>(this->backend(), this->plan_with());
}

TYPED_TEST(CudaInverses, ProductsAreThoseWithL) {
  std::vector<OwnedPattern> patterns = hard_patterns();
  if (this->takes_large_ones()) patterns.push_back(forked_pattern(2, 70, 140, 6));
  if (!this->is_emulated()) patterns.push_back(grid_pattern(20, 19, 18));
  products_are_those_with_l<typename TypeParam::T>(this->backend(), this->plan_with(), patterns);
}

TYPED_TEST(CudaInverses, DiagonalsAndLogDeterminantsAreThoseOfL) {
  using T = typename TypeParam::T;
  for (const OwnedPattern& a : hard_patterns()) {
    const auto factor = factor_of<T>(this->plan_with()(a.view(), {}),
                                     random_dominant<T>(a.view(), 1), this->backend());
    EXPECT_EQ(flaw_of_lower_factor(factor), "");
    double sum = 0;
    for (Index j = 0; j < a.n(); ++j) sum += 2 * std::log(static_cast<double>(factor.entry(j, j)));
    EXPECT_NEAR(log_determinant(factor), sum, 1e-12 * (1 + std::abs(sum)));
  }
}

TYPED_TEST(CudaInverses, SchurComplementsAreThoseOfElimination) {
  using T = typename TypeParam::T;
  schur_complements_are_those_of_elimination<T>(
      this->backend(), this->plan_with(),
      this->is_emulated() ? std::vector<OrderingMethod>{OrderingMethod::amd} : methods());
  if (!this->takes_large_ones()) return;
  const Permutation order = random_order(300, 2);
  check_schur<T>(this->backend(), this->plan_with(), grid_pattern(10, 10, 3),
                 {order.old_of().begin(), order.old_of().begin() + 150}, OrderingMethod::amd);
}

TYPED_TEST(CudaInverses, WhatSchurComplementsRefuse) {
  what_schur_complements_refuse<typename TypeParam::T>(this->backend(), this->plan_with());
}

}  // namespace
}  // namespace kauri::test
