// Runs the CPU's tests that hold for every backend on a CUDA device and on the emulated device.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/bodies/condition.hpp"
#include "tests/support/bodies/contract.hpp"
#include "tests/support/bodies/factor.hpp"
#include "tests/support/bodies/pivot.hpp"
#include "tests/support/bodies/vectors.hpp"
#include "tests/support/device/cuda_ways.hpp"
#include "tests/support/process/methods.hpp"

namespace kauri::test {
namespace {

template <class W>
class CudaBodies : public OnCuda<W> {
 protected:
  PlanOf plan_of() {
    return [this](const Pattern& pattern) { return this->plan(pattern); };
  }
  PlanOf plan_of(OrderingMethod method) {
    return [this, method](const Pattern& pattern) { return this->plan(pattern, method); };
  }
  /// Returns the small systems of `specs` on the emulated device, which is slow; all of them on a
  /// real device.
  std::vector<std::string> here(const std::vector<std::string>& specs) {
    if (this->backend().device() != "emulated") return specs;
    std::vector<std::string> small;
    for (const std::string& spec : specs)
      if (generate(spec).n() <= 150) small.push_back(spec);
    EXPECT_FALSE(small.empty());
    return small;
  }
  PlanInOrder plan_in_order() {
    return [this](const Pattern& pattern, const Permutation& perm) {
      AnalyzeOptions options;
      options.permutation = perm;
      options.target = this->backend().target();
      return this->plan(pattern, options);
    };
  }
};
TYPED_TEST_SUITE(CudaBodies, BodyWays, BodyWayNumbers);

TYPED_TEST(CudaBodies, MisuseAndBadNumbersAreErrors) {
  misuse_is_an_error<typename TypeParam::T>(this->backend(), this->plan_of());
}

TYPED_TEST(CudaBodies, TinyAndHugeScalesAndTrivialSizes) {
  trivial_sizes_are_exact<typename TypeParam::T>(this->backend(), this->plan_of());
}

TYPED_TEST(CudaBodies, BadNumbersAreNamedByRowAndColumn) {
  if (this->backend().device() == "emulated")
    GTEST_SKIP() << "a thousand refactorisations take long there";
  bad_numbers_are_named<typename TypeParam::T>(this->backend(), this->plan_of());
}

TYPED_TEST(CudaBodies, KktSystemsFailAtTheColumnANaiveFactorisationNames) {
  for (const auto method : methods()) {
    SCOPED_TRACE(name_of(method));
    kkt_systems_fail_as_a_naive_factorisation<typename TypeParam::T>(this->backend(),
                                                                     this->plan_of(method));
  }
}

TYPED_TEST(CudaBodies, ShiftsAroundTheLeastEigenvalue) {
  for (const std::string& spec : this->here(kShifted))
    for (const auto method : methods()) {
      SCOPED_TRACE(spec + " " + std::string(name_of(method)));
      shifts_around_the_least_eigenvalue<typename TypeParam::T>(this->backend(),
                                                                this->plan_of(method), spec);
    }
}

TYPED_TEST(CudaBodies, SolvesAreExact) {
  solves_are_exact<typename TypeParam::T>(this->backend(), this->plan_in_order());
}

TYPED_TEST(CudaBodies, AFailedFactorKeepsItsBuffersAndTakesAShift) {
  a_failed_factor_keeps_its_buffers_and_takes_a_shift<typename TypeParam::T>(this->backend(),
                                                                             this->plan_of());
}

TYPED_TEST(CudaBodies, AMatrixOfAnotherPatternIsRefused) {
  a_matrix_of_another_pattern_is_refused<typename TypeParam::T>(this->backend(), this->plan_of());
}

TYPED_TEST(CudaBodies, ResidualsCheckTheMatrix) {
  residuals_check_the_matrix<typename TypeParam::T>(this->backend(), this->plan_of());
}

TYPED_TEST(CudaBodies, ResidualsCheckTheVectors) {
  residuals_check_the_vectors<typename TypeParam::T>(this->backend(), this->plan_of());
}

TYPED_TEST(CudaBodies, RefinementChecksItsOptions) {
  refinement_checks_its_options<typename TypeParam::T>(this->backend(), this->plan_of());
}

TYPED_TEST(CudaBodies, ValuesLieWhereTheBackendComputes) {
  values_lie_where_the_backend_computes<typename TypeParam::T>(this->backend(), this->plan_of());
}

TYPED_TEST(CudaBodies, AMovedBackendDisturbsNothing) {
  a_moved_backend_disturbs_nothing<typename TypeParam::T>(
      [] {
        return cuda_backend(CudaOptions{.device = 0,
                                        .allocator = {},
                                        .compute = TypeParam::compute,
                                        .portable = TypeParam::portable});
      },
      this->plan_of());
}

TYPED_TEST(CudaBodies, MultiplyIsAnExactProductInLongDouble) {
  for (const std::string& spec : kMultiplied)
    multiply_is_an_exact_product<typename TypeParam::T>({&this->backend()}, spec);
}

TYPED_TEST(CudaBodies, OutOfPlaceIsInPlaceWithBKept) {
  out_of_place_is_in_place_with_b_kept<typename TypeParam::T>(this->backend(), this->plan_of(),
                                                              this->here(kSolved));
}

TYPED_TEST(CudaBodies, WhatSolvesRefuse) {
  what_solves_refuse<typename TypeParam::T>(this->backend(), this->plan_of());
}

TYPED_TEST(CudaBodies, ConditionsAreThoseOfTheInverse) {
  using T = typename TypeParam::T;
  const bool slow = this->backend().device() == "emulated";
  const std::vector<std::string> small{"poisson2d 1", "poisson2d 2", "poisson2d 4", "tree 20 1"},
      all{"poisson2d 1", "poisson2d 2", "poisson2d 9",  "poisson3d 5",
          "elast3d 3",   "tree 200 1",  "blockdiag 5 7"};
  conditions_are_those_of_the_inverse<T>(this->backend(), this->plan_of(), slow ? small : all);
  conditions_are_within_a_factor_of_three<T>(this->backend(), this->plan_of(), slow ? 4 : 60);
}

TYPED_TEST(CudaBodies, WorstPivotsAreThoseOfElimination) {
  using T = typename TypeParam::T;
  const bool slow = this->backend().device() == "emulated";
  worst_pivots_are_those_of_elimination<T>(this->backend(), this->plan_of(), slow ? 5 : 20);
  worst_pivots_of_nothing_and_of_another_pattern<T>(this->backend(), this->plan_of());
}

TYPED_TEST(CudaBodies, WhatConditionsAreMadeOfAndRefuse) {
  norms_are_sums_of_columns<typename TypeParam::T>(this->backend(), this->plan_of());
  conditions_of_nothing_and_of_another_pattern<typename TypeParam::T>(this->backend(),
                                                                      this->plan_of());
}

TYPED_TEST(CudaBodies, DeterminantsAreProductsOfEigenvalues) {
  const bool slow = this->backend().device() == "emulated";
  determinants_are_products_of_eigenvalues<typename TypeParam::T>(
      this->backend(), this->plan_of(),
      slow ? std::vector<Index>{1, 2, 9} : std::vector<Index>{1, 2, 11, 40});
}

TYPED_TEST(CudaBodies, AMissingDiagonalEntryIsAZeroPivot) {
  missing_diagonal_entry_is_a_zero_pivot<typename TypeParam::T>(this->backend(), this->plan_of());
}

}  // namespace
}  // namespace kauri::test
