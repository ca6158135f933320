// Tests nearly singular diagonal blocks: a model of factorisation and solve with inverses of blocks
// shows that these need the correction step (numeric/cuda/factor/tiled/correction.cuh), and the
// CPU's factors have the expected accuracy.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "kauri/kauri.hpp"
#include "symbolic/device/front_cells.hpp"
#include "symbolic/plan/internals.hpp"
#include "tests/support/systems/dense_reference.hpp"
#include "tests/support/systems/near_singular.hpp"

namespace kauri {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr std::size_t kBlock = 16;
constexpr double kCorrected = 256;  // kLargestCondition of the kernels

enum class Means { substitution, inverse, corrected_inverse };

/// Holds the triangle T of order w at (s,s) of L, its inverse V, and its condition as the kernels
/// compute it.
struct Block {
  double t[kBlock][kBlock] = {}, v[kBlock][kBlock] = {};
  double condition = 0;
};

Block block_of(const std::vector<double>& l, std::size_t n, std::size_t s, std::size_t w) {
  Block b;
  for (std::size_t i = 0; i < w; ++i)
    for (std::size_t j = 0; j <= i; ++j) b.t[i][j] = l[(s + i) * n + s + j];
  for (std::size_t k = 0; k < w; ++k) {
    double row = 0, column = 0;
    for (std::size_t c = k; c < w; ++c) {
      double sum = c == k ? 1.0 : 0.0;
      for (std::size_t e = k; e < c; ++e) sum -= b.v[e][k] * b.t[c][e];
      b.v[c][k] = sum / b.t[c][c];
      column += std::abs(b.v[c][k]);
    }
    for (std::size_t c = 0; c <= k; ++c) row += b.t[k][c] * b.t[k][c];
    b.condition = std::max(b.condition, std::sqrt(row) * column);
  }
  return b;
}

/// Solves x T^T = c in place for a row c of w entries.
void solve_row(const Block& b, double* c, std::size_t w, Means means) {
  double x[kBlock] = {}, r[kBlock] = {};
  for (std::size_t k = 0; k < w; ++k) {
    double sum = means == Means::substitution ? c[k] : 0.0;
    for (std::size_t e = 0; e < (means == Means::substitution ? k : k + 1); ++e)
      sum += means == Means::substitution ? -x[e] * b.t[k][e] : c[e] * b.v[k][e];
    x[k] = means == Means::substitution ? sum / b.t[k][k] : sum;
  }
  if (means == Means::corrected_inverse && b.condition > kCorrected) {
    for (std::size_t k = 0; k < w; ++k) {
      r[k] = c[k];
      for (std::size_t e = 0; e <= k; ++e) r[k] -= x[e] * b.t[k][e];
    }
    for (std::size_t k = 0; k < w; ++k)
      for (std::size_t e = 0; e <= k; ++e) x[k] += r[e] * b.v[k][e];
  }
  for (std::size_t k = 0; k < w; ++k) c[k] = x[k];
}

/// Computes a dense Cholesky factor by blocks of 16 columns; returns nothing if a pivot is not
/// positive.
std::optional<std::vector<double>> factor_by_blocks(std::vector<double> a, std::size_t n,
                                                    Means means) {
  for (std::size_t s = 0; s < n; s += kBlock) {
    const std::size_t w = std::min(kBlock, n - s);
    for (std::size_t j = s; j < s + w; ++j) {
      if (!(a[j * n + j] > 0)) return std::nullopt;
      const double root = std::sqrt(a[j * n + j]);
      for (std::size_t i = j; i < s + w; ++i) a[i * n + j] = i == j ? root : a[i * n + j] / root;
      for (std::size_t k = j + 1; k < s + w; ++k)
        for (std::size_t i = k; i < s + w; ++i) a[i * n + k] -= a[i * n + j] * a[k * n + j];
    }
    const Block block = block_of(a, n, s, w);
    for (std::size_t i = s + w; i < n; ++i) solve_row(block, &a[i * n + s], w, means);
    for (std::size_t i = s + w; i < n; ++i)
      for (std::size_t j = s + w; j <= i; ++j)
        for (std::size_t k = s; k < s + w; ++k) a[i * n + j] -= a[i * n + k] * a[j * n + k];
  }
  return a;
}

/// Solves L y = b by blocks.
std::vector<double> forward_by_blocks(const std::vector<double>& l, std::size_t n,
                                      std::vector<double> b, Means means) {
  for (std::size_t s = 0; s < n; s += kBlock) {
    const std::size_t w = std::min(kBlock, n - s);
    for (std::size_t i = s; i < s + w; ++i)
      for (std::size_t k = 0; k < s; ++k) b[i] -= l[i * n + k] * b[k];
    solve_row(block_of(l, n, s, w), &b[s], w, means);
  }
  return b;
}

/// Returns the largest entry of |b - L y| over that of |L| |y|.
double forward_error(const std::vector<double>& l, std::size_t n, const std::vector<double>& b,
                     const std::vector<double>& y) {
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    long double rest = b[i], size = 0;
    for (std::size_t k = 0; k <= i; ++k)
      rest -= static_cast<long double>(l[i * n + k]) * y[k],
          size += std::abs(static_cast<long double>(l[i * n + k]) * y[k]);
    largest = std::max(largest, static_cast<double>(std::abs(rest) / size));
  }
  return largest;
}

/// With the correction, factors and solves are as accurate as by substitution. Without it they
/// exceed the bound that the device's results are tested against.
TEST(NearSingular, ProductsWithInversesNeedTheCorrection) {
  for (const test::NearSingularCase& what : test::near_singular_cases()) {
    double missed_by = 0, solve_error = 0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE(what.name + ", seed " + std::to_string(seed));
      const auto a = test::near_singular(what, seed);
      const auto n = static_cast<std::size_t>(a.n());
      const std::vector<double> dense = test::dense(a.view(), Permutation::identity(a.n()), 0.0);
      const auto good = factor_by_blocks(dense, n, Means::substitution);
      const auto corrected = factor_by_blocks(dense, n, Means::corrected_inverse);
      const auto plain = factor_by_blocks(dense, n, Means::inverse);
      ASSERT_TRUE(good.has_value() && corrected.has_value());
      const double bound = test::factor_error_bound(test::factor_error(dense, *good, n));
      EXPECT_LE(bound, 1.5e-14);
      EXPECT_LE(test::factor_error(dense, *corrected, n), bound);
      missed_by = std::max(
          missed_by, plain.has_value() ? test::factor_error(dense, *plain, n) / bound : HUGE_VAL);
      std::vector<double> b(n);
      for (std::size_t i = 0; i < n; ++i)
        b[i] = std::cos(static_cast<double>(i)) * std::sqrt(dense[i * n + i]);
      EXPECT_LE(
          forward_error(*good, n, b, forward_by_blocks(*good, n, b, Means::corrected_inverse)),
          4 * kEps);
      solve_error = std::max(
          solve_error, forward_error(*good, n, b, forward_by_blocks(*good, n, b, Means::inverse)));
    }
    if (what.needs_correction) {
      EXPECT_GE(missed_by, 4.0) << what.name;
      EXPECT_GE(solve_error, 8 * kEps) << what.name;
    }
  }
}

/// Returns the largest condition of the 16 x 16 diagonal blocks of a factor's fronts.
double largest_condition(const Factor<double>& factor) {
  const Supernodes& nodes = factor.plan().supernodes;
  double largest = 0;
  for (Index s = 0; s < nodes.count(); ++s)
    for (Index first = nodes.first[s]; first < nodes.first[s + 1]; first += kBlock) {
      const auto w = static_cast<std::size_t>(std::min<Index>(kBlock, nodes.first[s + 1] - first));
      std::vector<double> l(w * w);
      for (std::size_t i = 0; i < w; ++i)
        for (std::size_t j = 0; j <= i; ++j)
          l[i * w + j] = factor.entry(first + static_cast<Index>(i), first + static_cast<Index>(j));
      largest = std::max(largest, block_of(l, w, 0, w).condition);
    }
  return largest;
}

/// Blocks of meshes are far from the correction threshold: no bit of their factors depends on the
/// correction.
TEST(NearSingular, MeshesNeedNoCorrection) {
  Backend backend = cpu_backend(1);
  for (const char* spec : {"poisson2d 60", "poisson3d 12", "elast3d 7", "lap27 9", "shell2d 30",
                           "rgg3d 2000 12 1", "tree 3000 1"}) {
    const auto a = generate(spec);
    auto factor = Factor<double>::create(analyze(a.pattern()), backend);
    ASSERT_TRUE(refactorize<double>(factor, a.value()).ok());
    EXPECT_LE(largest_condition(factor), kCorrected / 16) << spec;
  }
}

TEST(NearSingular, FactorsOfTheCpuAreAccurate) {
  Backend backend = cpu_backend(2);
  for (const test::NearSingularCase& what : test::near_singular_cases()) {
    SCOPED_TRACE(what.name);
    const auto a = test::near_singular(what, 1);
    const test::NearSingularErrors errors =
        test::near_singular_errors(a, analyze(a.pattern(), test::natural_order(a.n())), backend);
    EXPECT_LE(errors.factor, 4e-15);
    EXPECT_LE(errors.solve, 1e-15);
  }
}

/// The cases reach every kernel: narrow fronts, small ones with products between blocks, and tiled
/// ones with panel tasks.
TEST(NearSingular, CasesHaveFrontsOfEveryKind) {
  int narrow = 0, small = 0, tiled = 0;
  for (const test::NearSingularCase& what : test::near_singular_cases()) {
    AnalyzeOptions options = test::natural_order(test::near_singular(what, 1).n());
    options.target = "sm_90";
    const auto plan = analyze(test::near_singular(what, 1).pattern(), options);
    const symbolic::DeviceSchedule& device = plan->internals->device;
    narrow += device.narrow_fronts > 0 ? 1 : 0;
    for (Index k = device.narrow_fronts; k < device.small_fronts; ++k)
      small += plan->supernodes.order(device.front[k]) > 32 ? 1 : 0;
    for (Index s = 0; s < plan->supernodes.count(); ++s)
      if (device.tiled[s] != kNone)
        tiled += symbolic::FrontCells{plan->supernodes.order(s), plan->supernodes.pivots(s)}
                             .row_tiles() > 2
                     ? 1
                     : 0;
  }
  EXPECT_GE(narrow, 1);
  EXPECT_GE(small, 8);
  EXPECT_GE(tiled, 8);
}

}  // namespace
}  // namespace kauri
