// Positive definite systems whose 16 x 16 diagonal blocks are nearly singular, and errors of their
// factors.
//
// Points lie in clusters of 16, and entry (i,j) is a smooth kernel of points i and j. A block of
// one cluster has a numerical rank of less than half its order, and the shift makes its condition
// 10^12; updates by the blocks of other clusters do not change that.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kauri/kauri.hpp"
#include "tests/support/systems/dense_reference.hpp"

namespace kauri::test {

enum class Kernel {
  gaussian,  ///< exp(-|x - y|^2)
  cauchy,    ///< 1 / (x + y), as in Hilbert's matrix, with x from 1 to 4^clusters: graded rows
};

/// Unknowns in parts of the given sizes; each part is coupled with itself and with the last part.
/// Several parts give leaves and their separator, one part a dense block.
struct NearSingularCase {
  std::string name;
  std::vector<Index> parts;
  Kernel kernel = Kernel::gaussian;
  double shift = 1e-12;          ///< relative to the diagonal
  bool scaled = false;           ///< rows and columns are scaled by powers of two
  bool needs_correction = true;  ///< products with inverses alone lose digits of L
};

inline const std::vector<NearSingularCase>& near_singular_cases() {
  static const std::vector<NearSingularCase> cases{
      {"dense 30", {30}, Kernel::gaussian, 1e-12, false, false},
      {"dense 50", {50}},
      {"dense 64", {64}},
      {"dense 64 graded", {64}, Kernel::cauchy, 1e-12, false, false},
      {"small, 40 of 60 rows", {40, 40, 40, 20}},
      {"small, 24 of 44 rows", {24, 24, 20}},
      {"small, 35 of 64 rows, scaled", {35, 35, 29}, Kernel::gaussian, 1e-12, true},
      {"dense 128", {128}},
      {"dense 200", {200}},
      {"dense 330", {330}},
      {"dense 330 scaled", {330}, Kernel::gaussian, 1e-12, true},
      {"dense 330 graded", {330}, Kernel::cauchy, 1e-12, false, false},
      {"dense 330, a condition of 10^9", {330}, Kernel::gaussian, 1e-9},
      {"tiled, 8 pivots in the last tile", {200, 200, 100}},
      {"tiled, 88 pivots", {88, 88, 150}},
      {"tiled, 16 pivots", {16, 16, 200}},
  };
  return cases;
}

/// Returns the kernel of all pairs of points; clusters of 16 begin anew in each part.
inline std::vector<double> kernel_values(const NearSingularCase& what, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<double> x, y, z;
  for (const Index part : what.parts) {
    double center[3] = {};
    for (Index i = 0; i < part; ++i) {
      if (i % 16 == 0)
        for (double& c : center) c = 2.0 * unit(random);
      const double offset = 0.5 * unit(random);
      const bool graded = what.kernel == Kernel::cauchy;
      x.push_back(graded ? std::ldexp(2.0 + offset, static_cast<int>(x.size()) / 16 * 2)
                         : center[0] + offset);
      y.push_back(center[1]), z.push_back(center[2]);
    }
  }
  const std::size_t n = x.size();
  const auto square = [](double t) { return t * t; };
  std::vector<double> value(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      value[i * n + j] =
          what.kernel == Kernel::cauchy
              ? 1.0 / (x[i] + x[j])
              : std::exp(-square(x[i] - x[j]) - square(y[i] - y[j]) - square(z[i] - z[j]));
  return value;
}

inline SymmetricMatrix<double> near_singular(const NearSingularCase& what, std::uint64_t seed) {
  const std::vector<double> kernel = kernel_values(what, seed);
  std::vector<std::size_t> part_of;
  for (std::size_t p = 0; p < what.parts.size(); ++p)
    part_of.insert(part_of.end(), static_cast<std::size_t>(what.parts[p]), p);
  const std::size_t n = part_of.size(), last = what.parts.size() - 1;
  std::mt19937_64 random(seed + 1);
  std::vector<int> exponent(n);
  for (int& e : exponent) e = what.scaled ? static_cast<int>(random() % 41) - 20 : 0;
  std::vector<Index> row, col;
  std::vector<double> value;
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = j; i < n; ++i) {
      if (part_of[i] != part_of[j] && part_of[i] != last) continue;
      // The separator's block is a sum of one kernel for each leaf.
      const double times =
          part_of[j] == last ? static_cast<double>(std::max<std::size_t>(last, 1)) : 1.0;
      const double entry = times * kernel[i * n + j] * (i == j ? 1.0 + what.shift : 1.0);
      row.push_back(static_cast<Index>(i)), col.push_back(static_cast<Index>(j));
      value.push_back(std::ldexp(entry, exponent[i] + exponent[j]));
    }
  return SymmetricMatrix<double>::from_triplets(static_cast<Index>(n), row, col, value,
                                                Storage::lower);
}

/// Returns the largest entry of |A - L L^T| with rows and columns scaled to a unit diagonal of A,
/// in long double. a, l: n x n by rows, in the order of elimination, lower triangles. For
/// substitution it is a small multiple of n eps (N. J. Higham, Accuracy and Stability of Numerical
/// Algorithms, theorem 10.3).
inline double factor_error(const std::vector<double>& a, const std::vector<double>& l,
                           std::size_t n) {
  long double largest = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      long double rest = a[i * n + j];
      for (std::size_t k = 0; k <= j; ++k)
        rest -= static_cast<long double>(l[i * n + k]) * l[j * n + k];
      const long double error =
          std::abs(rest) / std::sqrt(static_cast<long double>(a[i * n + i]) * a[j * n + j]);
      if (!(error <= largest)) largest = error;  // keeps a NaN
    }
  return static_cast<double>(largest);
}

/// Returns L of a factor, n x n by rows.
inline std::vector<double> dense_factor(const Factor<double>& factor) {
  const Index n = factor.plan().n;
  std::vector<double> l(static_cast<std::size_t>(n) * n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) l[static_cast<std::size_t>(i) * n + j] = factor.entry(i, j);
  return l;
}

/// Returns the allowed error of another factor if substitution's is `error`.
inline double factor_error_bound(double error) {
  return 4 * error + 8 * std::numeric_limits<double>::epsilon();
}

inline AnalyzeOptions natural_order(Index n) {
  AnalyzeOptions options;
  options.permutation = Permutation::identity(n);
  return options;
}

struct NearSingularErrors {
  double factor;  ///< factor_error()
  double solve;   ///< componentwise backward error of 3 right-hand sides, without refinement
};

/// Returns the errors of the factor of a, and of solves with it.
inline NearSingularErrors near_singular_errors(const SymmetricMatrix<double>& a,
                                               const std::shared_ptr<const Plan>& plan,
                                               Backend& backend) {
  auto factor = Factor<double>::create(plan, backend);
  if (!refactorize<double>(factor, a.value()).ok()) return {HUGE_VAL, HUGE_VAL};
  const Index n = a.n(), cols = 3;
  std::mt19937_64 random(5);
  std::vector<double> b(static_cast<std::size_t>(n) * cols);
  for (std::size_t k = 0; k < b.size(); ++k) {  // of the size of a column of A, whose rows may be
                                                // scaled
    const auto row = static_cast<Index>(k % static_cast<std::size_t>(n));
    b[k] = std::uniform_real_distribution<double>(-1, 1)(random) *
           std::sqrt(a.value()[a.pattern().col_ptr[row]]);
  }
  std::vector<double> x = b;
  auto workspace = Workspace<double>::create(factor, cols);
  factor.solve({x.data(), n, cols, n}, workspace);
  return {factor_error(dense(a.view(), plan->perm, 0.0), dense_factor(factor),
                       static_cast<std::size_t>(n)),
          backward_error<double>(a.view(), {x.data(), n, cols, n}, {b.data(), n, cols, n}, backend)
              .componentwise};
}

}  // namespace kauri::test
