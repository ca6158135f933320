// Tests condition estimates and determinants on the CPU; bodies_test.cpp tests them on devices.
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/bodies/condition.hpp"

#include <cmath>
#include <limits>
#include <random>

#include "tests/support/systems/near_singular.hpp"

namespace kauri {
namespace {

template <class T>
class Conditions : public ::testing::Test {
 protected:
  Backend backend_ = cpu_backend(1);
  test::PlanOf plan_of_ = [](const Pattern& pattern) { return analyze(pattern); };
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Conditions, Scalars);

TYPED_TEST(Conditions, AreThoseOfTheInverse) {
  test::conditions_are_those_of_the_inverse<TypeParam>(
      this->backend_, this->plan_of_,
      {"poisson2d 1", "poisson2d 2", "poisson2d 9", "poisson3d 5", "elast3d 3", "tree 200 1",
       "blockdiag 5 7"});
}

TYPED_TEST(Conditions, AreWithinAFactorOfThreeOnRandomMatrices) {
  test::conditions_are_within_a_factor_of_three<TypeParam>(this->backend_, this->plan_of_, 60);
}

TYPED_TEST(Conditions, NormsAreSumsOfColumns) {
  test::norms_are_sums_of_columns<TypeParam>(this->backend_, this->plan_of_);
}

TYPED_TEST(Conditions, OfNothingAreZeroAndOfAnotherPatternRefused) {
  test::conditions_of_nothing_and_of_another_pattern<TypeParam>(this->backend_, this->plan_of_);
}

/// The estimate of a nearly singular system is about the reciprocal of its shift.
TEST(ConditionsOfNearlySingularSystems, AreSeen) {
  const auto a = test::near_singular({"", {96}}, 1);
  Backend backend = cpu_backend(1);
  test::ConditionedSystem<double> s(a, backend,
                                    [](const Pattern& pattern) { return analyze(pattern); });
  EXPECT_GT(s.estimate(a.pattern()).condition(), 1e10);
}

TYPED_TEST(Conditions, DeterminantsAreProductsOfEigenvalues) {
  test::determinants_are_products_of_eigenvalues<TypeParam>(this->backend_, this->plan_of_,
                                                            {1, 2, 11, 40});
}

/// The determinant of a matrix with one entry is that entry: exactly if the entry has few digits,
/// otherwise to within two units in the last place.
TYPED_TEST(Conditions, DeterminantsOfOneEntryAreThatEntry) {
  using T = TypeParam;
  test::ConditionedSystem<T> s(generate("poisson2d 1"), this->backend_, this->plan_of_);
  const auto of = [&](T entry) {
    s.value = {entry};
    EXPECT_TRUE(refactorize<T>(s.factor, s.value).ok());
    return determinant(s.factor);
  };
  const auto eps = static_cast<double>(std::numeric_limits<T>::epsilon());
  std::mt19937_64 random(1);
  for (int k = 1; k < 2000; ++k) {
    const double whole = k < 200 ? std::ldexp(k, k - 100) : std::ldexp(k, 3 - k % 7);
    EXPECT_EQ(of(static_cast<T>(whole)), whole) << k;
    const auto any =
        static_cast<T>(std::exp(std::uniform_real_distribution<double>(-80, 80)(random)));
    EXPECT_LE(std::abs(of(any) / static_cast<double>(any) - 1), 2 * eps) << any;
  }
  for (const T edge : {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()})
    EXPECT_LE(std::abs(of(edge) / static_cast<double>(edge) - 1), 2 * eps) << edge;
}

}  // namespace
}  // namespace kauri
