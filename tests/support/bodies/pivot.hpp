// Bodies of tests that hold for every backend: the least ratio of a pivot to A's diagonal, against
// dense elimination in long double.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kauri/kauri.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/systems/dense_reference.hpp"
#include "tests/support/systems/patterns.hpp"
#include "tests/support/systems/plan_of.hpp"

namespace kauri::test {

inline SymmetricMatrix<double> hilbert(Index n) {
  std::vector<Index> row, col;
  std::vector<double> value;
  for (Index j = 0; j < n; ++j)
    for (Index i = j; i < n; ++i)
      row.push_back(i), col.push_back(j), value.push_back(1.0 / (i + j + 1));
  return SymmetricMatrix<double>::from_triplets(n, row, col, value, Storage::lower);
}

/// Returns D A D with D(i,i) = 2^exponent[i].
inline SymmetricMatrix<double> in_units(SymmetricMatrix<double> a,
                                        const std::vector<int>& exponent) {
  for (Index j = 0; j < a.n(); ++j)
    for (Offset k = a.pattern().col_ptr[j]; k < a.pattern().col_ptr[j + 1]; ++k)
      a.value()[k] = std::ldexp(a.value()[k], exponent[j] + exponent[a.pattern().row[k]]);
  return a;
}

/// Returns exponents of n rows, from -most to most.
inline std::vector<int> random_units(Index n, int most, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<int> exponent(static_cast<std::size_t>(n));
  for (int& e : exponent) e = std::uniform_int_distribution<int>(-most, most)(random);
  return exponent;
}

/// Returns the ratios of pivots to A's diagonal, in the caller's numbering, by elimination in the
/// order of perm.
template <class T>
std::vector<double> pivot_ratios(const SymmetricView<T>& a, const Permutation& perm) {
  const auto n = static_cast<std::size_t>(a.pattern.n);
  const std::vector<T> given = dense(a, perm);
  std::vector<long double> d(given.begin(), given.end());
  std::vector<double> ratio(n);
  for (std::size_t k = 0; k < n; ++k) {
    ratio[perm.old_of(static_cast<Index>(k))] =
        static_cast<double>(d[k * n + k] / static_cast<long double>(given[k * n + k]));
    for (std::size_t i = k + 1; i < n; ++i)
      for (std::size_t j = k + 1; j <= i; ++j)
        d[i * n + j] -= d[i * n + k] * d[j * n + k] / d[k * n + k];
  }
  return ratio;
}

template <class T>
struct PivotSystem {
  std::vector<T> value;
  Factor<T> factor;
  SymmetricView<T> a;
  PivotSystem(const SymmetricMatrix<double>& matrix, Backend& backend, const PlanOf& plan_of)
      : value(matrix.value().begin(), matrix.value().end()),
        factor(Factor<T>::create(plan_of(matrix.pattern()), backend)),
        a{matrix.pattern(), value} {
    EXPECT_TRUE(refactorize<T>(factor, value).ok());
  }
  [[nodiscard]] PivotLoss worst() const { return worst_pivot<T>(a, factor); }
};

/// Returns a matrix of random pattern, dominant except in some rows, which are nearly sums of
/// others.
inline SymmetricMatrix<double> weak_rows(Index n, std::uint64_t seed) {
  const auto pattern = random_pattern(n, 3, seed);
  const std::vector<double> number = random_dominant<double>(pattern.view(), seed);
  SymmetricMatrix<double> a = SymmetricMatrix<double>::from_csc(
      n, pattern.view().col_ptr, pattern.view().row, number, Storage::lower);
  for (Index j = 0; j < n; j += 5) a.value()[a.pattern().col_ptr[j]] *= 0.8;
  return a;
}

template <class T>
void worst_pivots_are_those_of_elimination(Backend& backend, const PlanOf& plan_of,
                                           std::uint64_t seeds) {
  constexpr double kEps = std::numeric_limits<T>::epsilon();
  int elsewhere = 0;  // counts worst ratios outside the column of the smallest pivot
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const auto n = static_cast<Index>(1 + 2 * seed);
    const auto plain = weak_rows(n, seed);
    for (const int most : {0, sizeof(T) == 4 ? 20 : 150}) {
      const auto matrix = in_units(plain, random_units(n, most, seed));
      PivotSystem<T> s(matrix, backend, plan_of);
      const PivotLoss found = s.worst();
      const std::vector<double> exact = pivot_ratios(s.a, s.factor.plan().perm);
      ASSERT_NE(found.column, kNone);
      const double tolerance = 4 * n * kEps;
      EXPECT_NEAR(found.ratio(), exact[found.column], tolerance) << seed;
      EXPECT_NEAR(found.ratio(), *std::min_element(exact.begin(), exact.end()), tolerance) << seed;
      EXPECT_EQ(found.diagonal,
                static_cast<double>(s.value[matrix.pattern().col_ptr[found.column]]));
      EXPECT_FALSE(found.nearly_singular()) << seed << ": " << found.ratio();
      elsewhere += found.column != s.factor.verdict().smallest_column ? 1 : 0;
    }
  }
  EXPECT_GT(elsewhere, 0);
}

/// Scaling rows and columns by powers of two changes no bit of a ratio.
template <class T>
void units_change_no_ratio(Backend& backend, const PlanOf& plan_of) {
  const int most = sizeof(T) == 4 ? 50 : 450;
  for (const char* spec : {"poisson2d 12", "elast3d 3", "tree 300 1", "blockdiag 60 7"}) {
    const auto a = generate(spec);
    const PivotLoss plain = PivotSystem<T>(a, backend, plan_of).worst();
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const PivotLoss other =
          PivotSystem<T>(in_units(a, random_units(a.n(), most, seed)), backend, plan_of).worst();
      EXPECT_EQ(other.column, plain.column) << spec;
      EXPECT_EQ(other.ratio(), plain.ratio()) << spec;
      EXPECT_FALSE(other.nearly_singular()) << spec;
    }
  }
}

template <class T>
void worst_pivots_of_nothing_and_of_another_pattern(Backend& backend, const PlanOf& plan_of) {
  const PivotLoss none = PivotSystem<T>(SymmetricMatrix<double>(), backend, plan_of).worst();
  EXPECT_EQ(none.column, kNone);
  EXPECT_FALSE(none.nearly_singular());
  const auto a = generate("poisson2d 4"), other = generate("tree 16 1");
  const std::vector<T> value(other.value().begin(), other.value().end());
  const PivotSystem<T> s(a, backend, plan_of);
  EXPECT_NE(error_text(ErrorKind::usage,
                       [&] {
                         (void)worst_pivot<T>({other.pattern(), value}, s.factor);
                       })
                .find("another pattern"),
            std::string::npos);
  const auto empty = Factor<T>::create(plan_of(a.pattern()), backend);
  EXPECT_NE(
      error_text(ErrorKind::usage, [&] { (void)worst_pivot<T>(s.a, empty); }).find("not valid"),
      std::string::npos);
}

}  // namespace kauri::test
