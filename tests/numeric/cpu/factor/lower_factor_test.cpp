// Tests copies of L out of factors on the CPU; emulator_test copies those on devices.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <random>

#include "kauri/kauri.hpp"
#include "tests/support/bodies/system.hpp"
#include "tests/support/oracles/lower_factor_oracle.hpp"
#include "tests/support/systems/patterns.hpp"

namespace kauri {
namespace {

template <class T>
class LowerFactors : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LowerFactors, Scalars);

SymmetricMatrix<double> system_of(const std::string& spec) {
  return spec.empty() ? SymmetricMatrix<double>() : generate(spec);
}

template <class T>
std::vector<T> values_of(const SymmetricMatrix<double>& a) {
  return {a.value().begin(), a.value().end()};
}

TYPED_TEST(LowerFactors, HoldTheEntries) {
  Backend backend = cpu_backend(2);
  for (const char* spec : {"", "poisson2d 1", "poisson2d 12", "elast3d 3", "poisson3d 7"})
    for (const bool amalgamate : {true, false}) {
      const auto a = system_of(spec);
      AnalyzeOptions options;
      options.amalgamate = amalgamate;
      const auto plan = analyze(a.pattern(), options);
      const auto factor = factorize<TypeParam>(plan, values_of<TypeParam>(a), backend);
      ASSERT_TRUE(factor.ok()) << spec;
      EXPECT_EQ(test::flaw_of_lower_factor(factor.value()), "") << spec;
      const auto l = lower_factor(factor.value());
      if (amalgamate) continue;
      for (Index j = 0; j < a.n(); ++j)
        ASSERT_EQ(l.col_ptr[j + 1] - l.col_ptr[j], plan->tree.column_count[j]) << spec << ": " << j;
    }
}

TYPED_TEST(LowerFactors, AreThoseOfValidFactorsAlone) {
  Backend backend = cpu_backend(1);
  const auto a = generate("poisson2d 4");
  auto factor = Factor<TypeParam>::create(analyze(a.pattern()), backend);
  EXPECT_THROW(lower_factor(factor), Error);
  EXPECT_THROW(lower_diagonal(factor), Error);
  ASSERT_FALSE(refactorize<TypeParam>(factor, values_of<TypeParam>(a), TypeParam(-100)).ok());
  EXPECT_THROW(lower_factor(factor), Error);
  ASSERT_TRUE(refactorize<TypeParam>(factor, values_of<TypeParam>(a)).ok());
  EXPECT_EQ(test::flaw_of_lower_factor(factor), "");
}

TYPED_TEST(LowerFactors, PartsOfSolvesAreThoseOfTheWhole) {
  Backend backend = cpu_backend(2);
  for (const char* spec :
       {"", "poisson2d 1", "poisson2d 30 --shuffle 3", "elast3d 4", "blockdiag 2 300"}) {
    SCOPED_TRACE(spec);
    const auto a = system_of(spec);
    const auto factor =
        factorize<TypeParam>(analyze(a.pattern()), values_of<TypeParam>(a), backend);
    ASSERT_TRUE(factor.ok());
    test::check_system_parts(factor.value());
  }
  const auto a = generate("poisson2d 4");
  auto factor = Factor<TypeParam>::create(analyze(a.pattern()), backend);
  auto workspace = Workspace<TypeParam>::create(factor, 1);
  std::vector<TypeParam> x(16, TypeParam(1));
  EXPECT_THROW(factor.solve(System::P, {x.data(), 16, 1, 16}, {x.data(), 16, 1, 16}, workspace),
               Error);  // the factor is not valid
  ASSERT_TRUE(refactorize<TypeParam>(factor, values_of<TypeParam>(a)).ok());
  EXPECT_THROW(
      factor.solve(static_cast<System>(6), {x.data(), 16, 1, 16}, {x.data(), 16, 1, 16}, workspace),
      Error);
}

}  // namespace
}  // namespace kauri
