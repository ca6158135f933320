// One program for Eigen::SimplicialLLT, with the solver's type as its template parameter: kauri
// gives the same results.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Eigen/SparseCholesky>

#include <random>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "kauri/extras/generate.hpp"
#include "tests/eigen/systems.hpp"

namespace kauri::test {
namespace {

/// Returns both halves of a generated system.
template <class Matrix>
Matrix generated(const std::string& spec) {
  const auto a = generate(spec);
  std::vector<Eigen::Triplet<double>> entry;
  for (Index j = 0; j < a.n(); ++j)
    for (Offset k = a.pattern().col_ptr[j]; k < a.pattern().col_ptr[j + 1]; ++k) {
      entry.emplace_back(a.pattern().row[k], j, a.value()[k]);
      if (a.pattern().row[k] != j) entry.emplace_back(j, a.pattern().row[k], a.value()[k]);
    }
  Matrix both(a.n(), a.n());
  both.setFromTriplets(entry.begin(), entry.end());
  return both;
}

/// Returns P^-1 L L^T P. With NaturalOrdering, Eigen's P has no rows.
template <class Solver>
Eigen::MatrixXd product_of(const Solver& solver) {
  const Eigen::MatrixXd l = typename Solver::CholMatrixType(solver.matrixL());
  const Eigen::MatrixXd product = l * l.transpose();
  if (solver.permutationP().size() == 0) return product;
  return solver.permutationPinv() * product * solver.permutationP();
}

/// Returns x = P^-1 U^-1 L^-1 P b.
template <class Solver>
typename Solver::VectorType solved_by_parts(const Solver& solver, typename Solver::VectorType x) {
  if (solver.permutationP().size() > 0) x = solver.permutationP() * x;
  solver.matrixL().solveInPlace(x);
  solver.matrixU().solveInPlace(x);
  if (solver.permutationPinv().size() > 0) x = solver.permutationPinv() * x;
  return x;
}

/// Checks the types that a program may name.
template <class Solver>
void types_are_eigens() {
  using Matrix = typename Solver::MatrixType;
  using Scalar = typename Matrix::Scalar;
  static_assert(std::is_same_v<typename Solver::Scalar, Scalar> &&
                std::is_same_v<typename Solver::RealScalar, Scalar>);
  static_assert(std::is_same_v<typename Solver::StorageIndex, typename Matrix::StorageIndex>);
  static_assert(
      std::is_same_v<typename Solver::VectorType, Eigen::Matrix<Scalar, Eigen::Dynamic, 1>>);
  static_assert(std::is_same_v<typename Solver::VectorI,
                               Eigen::Matrix<typename Matrix::StorageIndex, Eigen::Dynamic, 1>>);
  static_assert(std::is_constructible_v<typename Solver::CholMatrixType, typename Solver::MatrixL>);
  static_assert(std::is_constructible_v<typename Solver::CholMatrixType, typename Solver::MatrixU>);
  static_assert(std::is_default_constructible_v<typename Solver::OrderingType>);
  static_assert(int{Solver::ColsAtCompileTime} == Eigen::Dynamic &&
                int{Solver::MaxColsAtCompileTime} == Eigen::Dynamic);
}

/// Makes calls of Eigen's interface only, and returns all results.
template <class Solver>
std::vector<Eigen::MatrixXd> program(const typename Solver::MatrixType& a) {
  using Matrix = typename Solver::MatrixType;
  types_are_eigens<Solver>();
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
  out.emplace_back(b.transpose() * solver.solve(b));

  Eigen::SparseMatrix<double, Eigen::ColMajor, typename Matrix::StorageIndex> sparse_b(n, 5);
  for (int j = 0; j < 5; ++j) sparse_b.insert((j * 11) % n, j) = 1 + j;
  const decltype(sparse_b) sparse_x = solver.solve(sparse_b);
  out.emplace_back(sparse_x);

  solver.analyzePattern(a);
  for (const double shift : {0.0, 0.5, 2.0}) {
    solver.setShift(shift, 1 + shift);
    solver.factorize(a);
    say(solver.info());
    out.emplace_back(solver.solve(b));
    out.push_back(product_of(solver));
    if (n <= 30) say(solver.determinant());
  }
  solver.setShift(0);

  Matrix scaled = 3 * a;
  solver.factorize(scaled);
  Eigen::VectorXd x = b.col(2);
  x = solver.solve(x);
  out.emplace_back(x);
  out.push_back(product_of(solver));
  out.emplace_back(solved_by_parts(solver, b.col(3)));
  out.emplace_back(solver.derived().solve(Eigen::MatrixXd::Zero(n, 2)));
  std::ostringstream memory;
  solver.dumpMemory(memory);
  say(memory.str().find("TOTAL:") != std::string::npos);

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
class EigenDropIn : public ::testing::Test {};
#ifdef KAURI_LONG_TESTS
using DoubleCases = ::testing::Types<EigenCase<double, int, Eigen::ColMajor, Eigen::Lower>,
                                     EigenCase<double, int, Eigen::ColMajor, Eigen::Upper>,
                                     EigenCase<double, int, Eigen::RowMajor, Eigen::Lower>,
                                     EigenCase<double, int, Eigen::RowMajor, Eigen::Upper>,
                                     EigenCase<double, long, Eigen::ColMajor, Eigen::Lower>>;
#else
using DoubleCases = ::testing::Types<EigenCase<double, int, Eigen::RowMajor, Eigen::Upper>,
                                     EigenCase<double, long, Eigen::ColMajor, Eigen::Lower>>;
#endif
TYPED_TEST_SUITE(EigenDropIn, DoubleCases);

template <class Matrix>
std::vector<Matrix> systems_of() {
  std::mt19937_64 random(9);
  std::vector<Matrix> systems{generated<Matrix>("poisson2d 12"), generated<Matrix>("poisson3d 6")};
  for (const int n : {1, 3, 25, 80}) systems.push_back(dominant_matrix<Matrix>(n, 3, random));
  return systems;
}

/// Expects equal results of both solvers' programs for a.
template <class Own, class Eigens>
void expect_same(const typename Own::MatrixType& a) {
  const auto expected = program<Eigens>(a), said = program<Own>(a);
  ASSERT_EQ(said.size(), expected.size());
  for (std::size_t k = 0; k < said.size(); ++k)
    EXPECT_EQ(difference(said[k], expected[k], 1e-12), "") << "result " << k << ", n " << a.rows();
}

TYPED_TEST(EigenDropIn, SaysWhatSimplicialLltSays) {
  using Matrix = typename TypeParam::Matrix;
  for (const Matrix& a : systems_of<Matrix>())
    expect_same<kauri::eigen::LLT<Matrix, TypeParam::UpLo>,
                Eigen::SimplicialLLT<Matrix, TypeParam::UpLo>>(a);
}

/// With the natural ordering as third template argument, L in the caller's order equals Eigen's L,
/// entry by entry, after undoing the postorder.
TYPED_TEST(EigenDropIn, TakesItsOrderings) {
  using Matrix = typename TypeParam::Matrix;
  using Natural = Eigen::NaturalOrdering<typename Matrix::StorageIndex>;
  using Amd = Eigen::AMDOrdering<typename Matrix::StorageIndex>;
  using Own = kauri::eigen::LLT<Matrix, TypeParam::UpLo, Natural>;
  using Eigens = Eigen::SimplicialLLT<Matrix, TypeParam::UpLo, Natural>;
  static_assert(std::is_same_v<typename Own::OrderingType, Natural>);
  static_assert(std::is_same_v<kauri::eigen::LLT<Matrix, TypeParam::UpLo, Amd>,
                               kauri::eigen::LLT<Matrix, TypeParam::UpLo>>);
  for (const Matrix& a : systems_of<Matrix>()) {
    expect_same<Own, Eigens>(a);
    Own own(a);
    const Eigens eigens(a);
    EXPECT_EQ(own.analysis().plan->ordering, OrderingMethod::natural);
    const Eigen::MatrixXd l = typename Own::CholMatrixType(own.matrixL()),
                          in_order = own.permutationPinv() * l * own.permutationP();
    EXPECT_EQ(difference(in_order, Eigen::MatrixXd(typename Own::CholMatrixType(eigens.matrixL())),
                         1e-12),
              "");
    own.setOrdering(OrderingMethod::amd).compute(a);
    EXPECT_EQ(own.analysis().plan->ordering, OrderingMethod::amd) << "a setter has the last word";
  }
}

}  // namespace
}  // namespace kauri::test
