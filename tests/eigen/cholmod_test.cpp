// One program for Eigen::CholmodSupernodalLLT, with the solver's type as its template parameter:
// kauri gives the same results.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Eigen/CholmodSupport>

#include <random>
#include <sstream>
#include <vector>

#include "tests/eigen/systems.hpp"

namespace kauri::test {
namespace {

/// Makes calls of Eigen's interface only, and returns all results.
template <class Solver>
std::vector<Eigen::MatrixXd> program(const typename Solver::MatrixType& a) {
  using Matrix = typename Solver::MatrixType;
  std::vector<Eigen::MatrixXd> out;
  const auto say = [&](double number) { out.push_back(Eigen::MatrixXd::Constant(1, 1, number)); };
  const Eigen::Index n = a.rows();
  Eigen::MatrixXd b(n, 6);
  for (Eigen::Index j = 0; j < b.cols(); ++j)
    for (Eigen::Index i = 0; i < n; ++i) b(i, j) = 1 + static_cast<double>((i * (j + 3)) % 7);

  Solver solver;
  solver.compute(a);
  say(solver.info());
  say(static_cast<double>(solver.rows() + solver.cols()));
  out.emplace_back(solver.solve(b));
  out.emplace_back(solver.solve(Eigen::VectorXd(b.col(1))));
  say(solver.logDeterminant());

  Eigen::SparseMatrix<double, Eigen::ColMajor, typename Matrix::StorageIndex> sparse_b(n, 5);
  for (int j = 0; j < 5; ++j) sparse_b.insert((j * 11) % n, j) = 1 + j;
  const decltype(sparse_b) sparse_x = solver.solve(sparse_b);
  out.emplace_back(sparse_x);

  solver.analyzePattern(a);
  for (const double shift : {0.0, 0.5, 2.0}) {
    solver.setShift(shift);
    solver.factorize(a);
    say(solver.info());
    out.emplace_back(solver.solve(b));
    say(solver.logDeterminant());
    if (n <= 30) say(solver.determinant());
  }
  solver.setShift(0);
  std::ostringstream memory;
  solver.dumpMemory(memory);
  const Matrix scaled = 3 * a;
  solver.factorize(scaled);
  Eigen::VectorXd x = b.col(2);
  x = solver.solve(x);
  out.emplace_back(x);

  Matrix indefinite = a;
  indefinite.coeffRef(n / 2, n / 2) = -1;
  Solver of_expression(0.5 * (a + a));
  out.emplace_back(of_expression.solve(b));
  Solver second(indefinite);
  say(second.info());
  second.compute(a);
  say(second.info());
  out.emplace_back(second.solve(b));
  return out;
}

template <class Case>
class CholmodDropIn : public ::testing::Test {};
using CholmodCases = ::testing::Types<EigenCase<double, int, Eigen::ColMajor, Eigen::Lower>,
                                      EigenCase<double, int, Eigen::ColMajor, Eigen::Upper>,
                                      EigenCase<double, int, Eigen::RowMajor, Eigen::Lower>,
                                      EigenCase<double, int, Eigen::RowMajor, Eigen::Upper>>;
TYPED_TEST_SUITE(CholmodDropIn, CholmodCases);

TYPED_TEST(CholmodDropIn, SaysWhatCholmodSupernodalLltSays) {
  using Matrix = typename TypeParam::Matrix;
  std::mt19937_64 random(9);
  for (const int n : {1, 3, 25, 80, 600}) {
    const auto a = dominant_matrix<Matrix>(n, 3, random);
    const auto expected = program<Eigen::CholmodSupernodalLLT<Matrix, TypeParam::UpLo>>(a);
    const auto said = program<kauri::eigen::LLT<Matrix, TypeParam::UpLo>>(a);
    ASSERT_EQ(said.size(), expected.size());
    for (std::size_t k = 0; k < said.size(); ++k)
      EXPECT_EQ(difference(said[k], expected[k], 1e-12), "") << "result " << k << ", n " << n;
  }
}

}  // namespace
}  // namespace kauri::test
