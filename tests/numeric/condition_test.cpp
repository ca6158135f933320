// Estimates of the condition against the inverse by dense columns; determinants against products of known eigenvalues.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "kauri/kauri.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/near_singular.hpp"
#include "tests/support/patterns.hpp"

namespace kauri {
namespace {

template <class T>
class Conditions : public ::testing::Test {
 protected:
  Backend backend_ = cpu_backend(1);

  struct System {
    Factor<T> factor;
    Workspace<T> workspace;
    std::vector<T> value;
  };
  System made_of(const SymmetricMatrix<double>& a) {
    std::vector<T> value(a.value().begin(), a.value().end());
    auto factor = Factor<T>::create(analyze(a.pattern()), backend_);
    EXPECT_TRUE(refactorize<T>(factor, value).ok());
    auto workspace = Workspace<T>::create(factor, 1);
    return {std::move(factor), std::move(workspace), std::move(value)};
  }
  /// Column after column of the inverse.
  static double inverse_norm(System& s) {
    const Index n = s.factor.plan().n;
    double largest = 0;
    for (Index j = 0; j < n; ++j) {
      std::vector<T> x(static_cast<std::size_t>(n), T(0));
      x[j] = T(1);
      s.factor.solve({x.data(), n, 1, n}, s.workspace);
      double sum = 0;
      for (const T v : x) sum += std::abs(static_cast<double>(v));
      largest = std::max(largest, sum);
    }
    return largest;
  }
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Conditions, Scalars);

TYPED_TEST(Conditions, AreThoseOfTheInverse) {
  for (const char* spec : {"poisson2d 1", "poisson2d 2", "poisson2d 9", "poisson3d 5", "elast3d 3", "tree 200 1", "blockdiag 5 7"}) {
    const auto a = generate(spec);
    auto s = this->made_of(a);
    const ConditionEstimate found = estimate_condition<TypeParam>({a.pattern(), s.value}, s.factor, s.workspace);
    const double exact = this->inverse_norm(s), slack = 1e-3;
    EXPECT_LE(found.inverse_norm, exact * (1 + slack)) << spec;
    EXPECT_GE(found.inverse_norm, exact * (1 - slack)) << spec;  // inverses of M-matrices have no sign to hide behind
    EXPECT_LE(found.solves, 11) << spec;
    EXPECT_EQ(found.condition(), found.norm * found.inverse_norm);
  }
}

TYPED_TEST(Conditions, AreWithinAFactorOfThreeOnRandomMatrices) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto pattern = test::random_pattern(static_cast<Index>(2 + seed), 3, seed);
    std::vector<double> value = test::random_dominant<double>(pattern.view(), seed);
    const std::vector<TypeParam> cast(value.begin(), value.end());
    auto factor = Factor<TypeParam>::create(analyze(pattern.view()), this->backend_);
    ASSERT_TRUE(refactorize<TypeParam>(factor, cast).ok());
    auto workspace = Workspace<TypeParam>::create(factor, 1);
    typename TestFixture::System s{std::move(factor), std::move(workspace), cast};
    const double exact = this->inverse_norm(s);
    const ConditionEstimate found = estimate_condition<TypeParam>({pattern.view(), s.value}, s.factor, s.workspace);
    EXPECT_LE(found.inverse_norm, exact * 1.001) << seed;
    EXPECT_GE(found.inverse_norm, exact / 3) << seed;
  }
}

TYPED_TEST(Conditions, NormsAreSumsOfColumns) {
  const auto a = SymmetricMatrix<double>::from_triplets(3, std::vector<Index>{0, 1, 1, 2, 2}, std::vector<Index>{0, 0, 1, 1, 2},
                                                        std::vector<double>{4, -1, 5, -2, 6}, Storage::lower);
  auto s = this->made_of(a);
  EXPECT_EQ(estimate_condition<TypeParam>({a.pattern(), s.value}, s.factor, s.workspace).norm, 8);
}

TYPED_TEST(Conditions, OfNothingAreZeroAndOfAnotherPatternRefused) {
  const SymmetricMatrix<double> nothing;
  auto none = this->made_of(nothing);
  EXPECT_EQ(estimate_condition<TypeParam>({nothing.pattern(), none.value}, none.factor, none.workspace).condition(), 0);
  const auto a = generate("poisson2d 4"), other = generate("tree 16 1");
  auto s = this->made_of(a);
  const std::vector<TypeParam> value(other.value().begin(), other.value().end());
  EXPECT_NE(test::error_text(ErrorKind::usage,
                             [&] {
                               estimate_condition<TypeParam>({other.pattern(), value}, s.factor, s.workspace);
                             })
                .find("another pattern"),
            std::string::npos);
}

/// Nearly singular: the condition of the shift.
TEST(ConditionsOfNearlySingularSystems, AreSeen) {
  const auto a = test::near_singular({"", {96}}, 1);
  Backend backend = cpu_backend(1);
  auto factor = Factor<double>::create(analyze(a.pattern()), backend);
  ASSERT_TRUE(refactorize<double>(factor, a.value()).ok());
  auto workspace = Workspace<double>::create(factor, 1);
  EXPECT_GT(estimate_condition<double>(a.view(), factor, workspace).condition(), 1e10);
}

/// Eigenvalues of the five-point grid are 4 - 2 cos(i pi / (k + 1)) - 2 cos(j pi / (k + 1)).
TYPED_TEST(Conditions, DeterminantsAreProductsOfEigenvalues) {
  for (const Index k : {1, 2, 11, 40}) {
    const auto a = generate("poisson2d " + std::to_string(k));
    auto s = this->made_of(a);
    double expected = 0;
    for (Index i = 1; i <= k; ++i)
      for (Index j = 1; j <= k; ++j)
        expected += std::log(4 - 2 * std::cos(i * std::numbers::pi / (k + 1)) - 2 * std::cos(j * std::numbers::pi / (k + 1)));
    EXPECT_NEAR(log_determinant(s.factor), expected, (sizeof(TypeParam) == 4 ? 1e-5 : 1e-13) * k * k) << k;
  }
  EXPECT_EQ(log_determinant(this->made_of(SymmetricMatrix<double>()).factor), 0);
}

}  // namespace
}  // namespace kauri
