// Verdicts near and beyond singularity: the column and the sign of a naive column Cholesky in the same ordering.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <vector>

#include "kauri/kauri.hpp"
#include "tests/support/dense_reference.hpp"
#include "tests/support/exact.hpp"
#include "tests/support/many_threads.hpp"

namespace kauri {
namespace {

/// The least and the greatest eigenvalue of A.
std::pair<double, double> spectrum(const SymmetricMatrix<double>& a) {
  const auto d = test::dense(a.view(), Permutation::identity(a.n()));
  const Eigen::Map<const Eigen::MatrixXd> m(d.data(), a.n(), a.n());
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(m, Eigen::EigenvaluesOnly);
  return {solver.eigenvalues().minCoeff(), solver.eigenvalues().maxCoeff()};
}

TEST(Indefinite, ShiftsAroundTheLeastEigenvalue) {
  const test::ManyThreads many;
  for (const char* spec : {"poisson2d 12", "elast3d 3", "rgg3d 200 8 1", "shell2d 11", "blockdiag 120 16"}) {
    const auto a = generate(spec);
    const auto [least, greatest] = spectrum(a);
    const double margin = 100 * a.n() * std::numeric_limits<double>::epsilon() * greatest;
    for (const auto method : {OrderingMethod::natural, OrderingMethod::amd, OrderingMethod::minimum_degree}) {
      AnalyzeOptions options;
      options.ordering.method = method;
      const auto plan = analyze(a.pattern(), options);
      for (const int threads : {1, 2, 8}) {
        Backend backend = cpu_backend(threads);
        auto factor = Factor<double>::create(plan, backend);
        EXPECT_TRUE(refactorize<double>(factor, a.value(), -(least - margin)).ok()) << spec << ' ' << name_of(method);
        const double shift = -(least + margin);
        const auto verdict = refactorize<double>(factor, a.value(), shift);
        const auto naive = test::naive_breakdown<double>(a.view(), plan->perm, shift);
        ASSERT_FALSE(verdict.ok()) << spec << ' ' << name_of(method);
        ASSERT_TRUE(naive.has_value());
        EXPECT_EQ(verdict.error().column, naive->column) << spec << ' ' << name_of(method);
        EXPECT_LE(verdict.error().pivot, 0);
      }
    }
  }
}

TEST(Indefinite, KktSystemsFailAtTheColumnANaiveFactorisationNames) {
  const test::ManyThreads many;
  // [H B^T; B 0]: H a grid Laplacian, one constraint per grid row.
  const auto h = generate("poisson2d 10");
  std::vector<Index> row, col;
  std::vector<double> value;
  for (Index j = 0; j < 100; ++j)
    for (Offset k = h.pattern().col_ptr[j]; k < h.pattern().col_ptr[j + 1]; ++k)
      row.push_back(h.pattern().row[k]), col.push_back(j), value.push_back(h.value()[k]);
  for (Index c = 0; c < 10; ++c)
    for (Index i = 0; i < 10; ++i) row.push_back(100 + c), col.push_back(10 * c + i), value.push_back(i % 2 ? 1.0 : -0.5);
  const auto kkt = SymmetricMatrix<double>::from_triplets(110, row, col, value, Storage::lower);
  for (const auto method : {OrderingMethod::natural, OrderingMethod::rcm, OrderingMethod::amd, OrderingMethod::minimum_degree}) {
    AnalyzeOptions options;
    options.ordering.method = method;
    const auto plan = analyze(kkt.pattern(), options);
    const auto naive = test::naive_breakdown<double>(kkt.view(), plan->perm);
    ASSERT_TRUE(naive.has_value());
    for (const int threads : {1, 2, 8}) {
      Backend backend = cpu_backend(threads);
      const auto factor = factorize<double>(plan, kkt.value(), backend);
      ASSERT_FALSE(factor.ok());
      EXPECT_EQ(factor.error().column, naive->column) << name_of(method);
      EXPECT_NEAR(factor.error().pivot, naive->pivot, 1e-10) << name_of(method);
    }
  }
}

TEST(Indefinite, AMissingDiagonalEntryIsAZeroPivot) {
  const std::vector<Index> row{0, 2}, col{0, 2};
  const std::vector<double> value{1, 1};
  const auto a = SymmetricMatrix<double>::from_triplets(3, row, col, value, Storage::lower);
  Backend backend = cpu_backend(1);
  const auto factor = factorize<double>(analyze(a.pattern()), a.value(), backend);
  ASSERT_FALSE(factor.ok());
  EXPECT_EQ(factor.error().column, 1);
  EXPECT_EQ(factor.error().pivot, 0);
}

}  // namespace
}  // namespace kauri
