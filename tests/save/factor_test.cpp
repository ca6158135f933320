// Saved and loaded factors: L has the same bits on any target, and solves and refactorisations have
// the same bits on the same target.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kauri/kauri.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/process/targets.hpp"
#include "tests/support/process/temp_file.hpp"
#include "tests/support/systems/patterns.hpp"

namespace kauri::test {
namespace {

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Returns a system of each kind: fronts of one column and large ones, padded, many roots, none.
std::vector<std::pair<std::string, OwnedPattern>> systems() {
  std::vector<std::pair<std::string, OwnedPattern>> all;
  all.emplace_back("none", diagonal_pattern(0));
  all.emplace_back("one", diagonal_pattern(1));
  all.emplace_back("diagonal", diagonal_pattern(50));
  all.emplace_back("dense", dense_pattern(150));
  all.emplace_back("chain", chain_pattern(3000));
  all.emplace_back("arrow", star_pattern(200, 0));
  all.emplace_back("grid", grid_pattern(30, 31, 1));
  all.emplace_back("cube", grid_pattern(11, 11, 11, true));
  return all;
}

template <class T>
class SavedFactors : public ::testing::Test {
 protected:
  static std::vector<T> values(const OwnedPattern& a, std::uint64_t seed = 7) {
    return random_dominant<T>(a.view(), seed);
  }

  static Factor<T> factor_of(const OwnedPattern& a, Backend& backend, const std::string& target) {
    AnalyzeOptions options;
    options.target = target;
    auto factor = factorize<T>(analyze(a.view(), options), values(a), backend);
    EXPECT_TRUE(factor.ok());
    return std::move(factor).value();
  }

  static std::vector<T> solved(const Factor<T>& factor, Index columns) {
    const Index n = factor.plan().n;
    auto workspace = Workspace<T>::create(factor, columns);
    std::vector<T> x(static_cast<std::size_t>(n) * static_cast<std::size_t>(columns));
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<T>(k * 7 % 16) - T(7.5);
    factor.solve({x.data(), n, columns, n}, workspace);
    return x;
  }

  /// Expects that all results visible to a caller are equal.
  static void expect_same(const Factor<T>& a, const Factor<T>& b) {
    ASSERT_TRUE(b.valid());
    ASSERT_EQ(a.verdict(), b.verdict());
    ASSERT_TRUE(same_bits(lower_factor(a).value, lower_factor(b).value));
    ASSERT_TRUE(same_bits(lower_diagonal(a), lower_diagonal(b)));
    ASSERT_EQ(log_determinant(a), log_determinant(b));
    for (const Index columns : {1, 5, 40})
      ASSERT_TRUE(same_bits(solved(a, columns), solved(b, columns)));
  }
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SavedFactors, Scalars);

TYPED_TEST(SavedFactors, OnTheSameTargetAllBitsAreThere) {
  using T = TypeParam;
  Backend one = cpu_backend(1), four = cpu_backend(4);
  for (const auto& [name, a] : systems())
    for (const std::string& target : targets()) {
      SCOPED_TRACE(name + ", " + target);
      const Factor<T> factor = this->factor_of(a, one, target);
      const std::vector<std::byte> bytes = save_factor(factor);
      Factor<T> loaded = load_factor<T>(bytes, four);
      EXPECT_EQ(loaded.plan().target, target);
      this->expect_same(factor, loaded);
      if (this->HasFatalFailure()) return;
      EXPECT_EQ(save_factor(loaded), bytes);
      // A loaded factor holds no values of A: a shifted refactorisation takes them from the caller.
      Factor<T> again = this->factor_of(a, one, target);
      const std::vector<T> value = this->values(a);
      ASSERT_TRUE(refactorize_shifted<T>(loaded, value, T(1)).ok());
      ASSERT_TRUE(refactorize<T>(again, value, T(1)).ok());
      this->expect_same(again, loaded);
      if (this->HasFatalFailure()) return;
    }
}

TYPED_TEST(SavedFactors, OnAnotherTargetLIsTheSame) {
  using T = TypeParam;
  Backend backend = cpu_backend(2);
  for (const auto& [name, a] : systems())
    for (const std::string& target : targets()) {
      SCOPED_TRACE(name + ", " + target);
      const Factor<T> factor = this->factor_of(a, backend, "cpu-generic");
      LoadOptions options;
      options.target = target;
      const Factor<T> loaded = load_factor<T>(save_factor(factor), backend, options);
      EXPECT_EQ(loaded.plan().target, target);
      ASSERT_TRUE(same_bits(lower_factor(factor).value, lower_factor(loaded).value));
      ASSERT_EQ(factor.verdict(), loaded.verdict());
      // Sums of n products in another order: A is dominant, with a condition number below 100.
      const std::vector<T> x = this->solved(factor, 3), y = this->solved(loaded, 3);
      T most = 0;
      for (const T v : x) most = std::max(most, std::abs(v));
      for (std::size_t k = 0; k < x.size(); ++k)
        ASSERT_NEAR(x[k], y[k], 1000 * std::numeric_limits<T>::epsilon() * most) << k;
    }
}

/// Loading for a device on a CPU backend is an error.
TYPED_TEST(SavedFactors, OfATargetThatTheBackendCannotRun) {
  using T = TypeParam;
  Backend backend = cpu_backend(1);
  const OwnedPattern a = grid_pattern(12, 12, 1);
  const Factor<T> factor = this->factor_of(a, backend, "cpu-generic");
  LoadOptions options;
  options.target = "sm_90";
  EXPECT_NE(
      error_text(ErrorKind::usage, [&] { load_factor<T>(save_factor(factor), backend, options); })
          .find("sm_90"),
      std::string::npos);
}

TYPED_TEST(SavedFactors, InFiles) {
  using T = TypeParam;
  Backend backend = cpu_backend(2);
  const TempFile file(".kauri");
  const Factor<T> factor = this->factor_of(grid_pattern(60, 60, 1), backend, "");
  save_factor(file.path(), factor);
  this->expect_same(factor, load_factor<T>(file.path(), backend));
  const SavedInfo info = saved_info(file.path());
  EXPECT_EQ(info.kind, SavedKind::factor);
  EXPECT_EQ(info.scalar_bytes, static_cast<int>(sizeof(T)));
  EXPECT_EQ(load_plan(file.path())->perm, factor.plan().perm);
}

TYPED_TEST(SavedFactors, WhatIsRefused) {
  using T = TypeParam;
  Backend backend = cpu_backend(1);
  const OwnedPattern a = chain_pattern(4);
  auto factor = Factor<T>::create(analyze(a.view()), backend);
  const char* const not_valid =
      "save_factor: the factor is not valid (no successful factorisation yet, or the last one "
      "broke down): call refactorize() first";
  EXPECT_EQ(error_text(ErrorKind::usage, [&] { save_factor(factor); }), not_valid);
  const std::vector<T> zeros(static_cast<std::size_t>(factor.plan().nnz));
  EXPECT_FALSE(refactorize<T>(factor, zeros).ok());
  EXPECT_EQ(error_text(ErrorKind::usage, [&] { save_factor(factor); }), not_valid);
  ASSERT_TRUE(refactorize<T>(factor, this->values(a)).ok());
  LoadOptions options;
  options.name = "f";
  using Other = std::conditional_t<sizeof(T) == 4, double, float>;
  const std::string mine = sizeof(T) == 4 ? "float" : "double",
                    other = sizeof(T) == 4 ? "double" : "float";
  EXPECT_EQ(error_text(ErrorKind::input,
                       [&] { load_factor<Other>(save_factor(factor), backend, options); }),
            "f: it holds a factor in " + mine + ", asked for " + other);
  EXPECT_EQ(error_text(ErrorKind::input,
                       [&] { load_factor<T>(save_plan(factor.plan()), backend, options); }),
            "f: it holds a plan, asked for a factor");
}

}  // namespace
}  // namespace kauri::test
