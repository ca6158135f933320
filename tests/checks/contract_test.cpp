// Tests what public calls of the numeric phase refuse (other patterns, wrong lengths, bad numbers)
// and what they survive (moved backends).
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "kauri/kauri.hpp"
#include "tests/support/bodies/contract.hpp"
#include "tests/support/process/many_threads.hpp"

namespace kauri {
namespace {

template <class T>
class Contract : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Contract, Scalars);

std::shared_ptr<const Plan> plan_of(const Pattern& pattern) { return analyze(pattern); }

TYPED_TEST(Contract, AMatrixOfAnotherPatternIsRefused) {
  Backend backend = cpu_backend(1);
  test::a_matrix_of_another_pattern_is_refused<TypeParam>(backend, plan_of);
}

TYPED_TEST(Contract, ResidualsCheckTheMatrix) {
  Backend backend = cpu_backend(1);
  test::residuals_check_the_matrix<TypeParam>(backend, plan_of);
}

TYPED_TEST(Contract, ResidualsCheckTheVectors) {
  Backend backend = cpu_backend(1);
  test::residuals_check_the_vectors<TypeParam>(backend, plan_of);
}

TYPED_TEST(Contract, RefinementChecksItsOptions) {
  Backend backend = cpu_backend(1);
  test::refinement_checks_its_options<TypeParam>(backend, plan_of);
}

TYPED_TEST(Contract, BadNumbersAreNamedByRowAndColumn) {
  Backend backend = cpu_backend(1);
  test::bad_numbers_are_named<TypeParam>(backend, plan_of);
}

TYPED_TEST(Contract, ValuesWhereTheBackendComputes) {
  Backend backend = cpu_backend(1);
  test::values_lie_where_the_backend_computes<TypeParam>(backend, plan_of);
}

TYPED_TEST(Contract, AMovedBackendDisturbsNothing) {
  test::a_moved_backend_disturbs_nothing<TypeParam>([] { return cpu_backend(2); }, plan_of);
}

TYPED_TEST(Contract, MultiplyIsAnExactProductInLongDouble) {
  const test::ManyThreads many;
  Backend one = cpu_backend(1), two = cpu_backend(2), eight = cpu_backend(8);
  for (const std::string& spec : test::kMultiplied)
    test::multiply_is_an_exact_product<TypeParam>({&one, &two, &eight}, spec);
}

}  // namespace
}  // namespace kauri
