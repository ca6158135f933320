// Requirements of Eigen on its sparse solvers, applied to kauri::eigen::LLT: every way to pass a
// matrix and a right-hand side, against dense LLT.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "tests/eigen/systems.hpp"

namespace kauri::test {
namespace {

constexpr int kBoth = Eigen::Lower | Eigen::Upper;

template <class Case>
class EigenSolving : public ::testing::Test {
 protected:
  using Scalar = typename Case::Scalar;
  using Matrix = typename Case::Matrix;
  using Dense = typename Case::Dense;
  using Vector = typename Case::Vector;
  using Solver = typename Case::Solver;
  using RowMajorDense = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using SparseColumns = Eigen::SparseMatrix<Scalar, Eigen::ColMajor, typename Matrix::StorageIndex>;

  /// Returns the bound of errors: the condition is below about 100, and errors grow less than
  /// proportionally to n.
  double bound() const {
    return 16.0 * static_cast<double>(n()) * std::numeric_limits<Scalar>::epsilon();
  }
  Eigen::Index n() const { return a.rows(); }

  void make(Eigen::Index size, int columns) {
    a = dominant_matrix<Matrix>(size, 4, random);
    half = Case::half_of(a);
    b = Dense::Random(size, columns);
    sparse_b = b.sparseView(Scalar(1), Scalar(0.5));
    inverse_of(a);
  }
  void inverse_of(const Matrix& matrix) {
    const Eigen::MatrixXd wide = Dense(matrix).template cast<double>();
    inverse = wide.llt().solve(Eigen::MatrixXd::Identity(n(), n()));
  }
  template <class B>
  Dense exact(const B& rhs) const {
    return (inverse * rhs.template cast<double>()).template cast<Scalar>();
  }

  /// Solves with all kinds of right-hand sides.
  void expect_solutions(const Solver& solver) {
    ASSERT_EQ(solver.info(), Eigen::Success) << solver.lastErrorMessage();
    ASSERT_EQ(solver.rows(), n());
    ASSERT_EQ(solver.cols(), n());
    const Dense kept = b, x_exact = exact(b);
    const Dense x = solver.solve(b);
    EXPECT_EQ(difference(x, x_exact, bound()), "") << "dense matrix";
    const Vector first = solver.solve(b.col(0));
    EXPECT_EQ(difference(first, x_exact.col(0), bound()), "") << "dense vector";
    const RowMajorDense by_rows = solver.solve(RowMajorDense(b));
    EXPECT_EQ(difference(by_rows, x_exact, bound()), "") << "by rows";
    const Dense sum = solver.solve(b + Scalar(2) * b) - Scalar(2) * solver.solve(b);
    EXPECT_EQ(difference(sum, x_exact, 8 * bound()), "") << "expressions";
    EXPECT_EQ(difference(Dense(solver.solve(a * b)), b, 8 * bound()), "") << "products";
    expect_places(solver, x_exact);
    expect_sparse(solver);
    EXPECT_TRUE(kept == b) << "the right-hand side is as it was";
  }
  /// Solves with blocks, maps and strides, and with x in place of b.
  void expect_places(const Solver& solver, const Dense& x_exact) {
    Dense room = Dense::Constant(n() + 3, b.cols() + 2, Scalar(7));
    room.block(1, 1, n(), b.cols()) = solver.solve(b.block(0, 0, n(), b.cols()));
    EXPECT_EQ(difference(room.block(1, 1, n(), b.cols()), x_exact, bound()), "") << "blocks";
    EXPECT_TRUE((room.row(0).array() == 7).all() && (room.bottomRows(2).array() == 7).all() &&
                (room.col(0).array() == 7).all());
    Dense x = b;
    x = solver.solve(x);
    EXPECT_EQ(difference(x, x_exact, bound()), "") << "in place";
    Eigen::Map<const Dense> mapped_b(b.data(), b.rows(), b.cols());
    Dense storage(n(), b.cols());
    Eigen::Map<Dense> mapped_x(storage.data(), n(), b.cols());
    mapped_x = solver.solve(mapped_b);
    EXPECT_EQ(difference(mapped_x, x_exact, bound()), "") << "maps";
    std::vector<Scalar> apart(static_cast<std::size_t>(2 * n()), Scalar(7));
    Eigen::Map<Vector, 0, Eigen::InnerStride<2>> strided(apart.data(), n());
    strided = b.col(0);
    strided = solver.solve(strided);
    EXPECT_EQ(difference(strided, x_exact.col(0), bound()), "") << "strides";
    for (std::size_t k = 1; k < apart.size(); k += 2) ASSERT_EQ(apart[k], Scalar(7));
    Vector added = x_exact.col(0);
    added.noalias() += solver.solve(b.col(0));
    EXPECT_EQ(difference(added, Scalar(2) * x_exact.col(0), bound()), "") << "added";
  }
  void expect_sparse(const Solver& solver) {
    const Dense x_exact = exact(Dense(sparse_b));
    const SparseColumns x = solver.solve(sparse_b);
    EXPECT_EQ(difference(Dense(x), x_exact, bound()), "") << "sparse matrix";
    const Eigen::SparseVector<Scalar, 0, typename Matrix::StorageIndex> first_b = sparse_b.col(0);
    const Eigen::SparseVector<Scalar, 0, typename Matrix::StorageIndex> first =
        solver.solve(first_b);
    EXPECT_EQ(difference(Vector(first), x_exact.col(0), bound()), "") << "sparse vector";
    const Matrix other = Matrix(sparse_b);
    const Matrix in_its_order = solver.solve(other);
    EXPECT_EQ(difference(Dense(in_its_order), x_exact, bound()), "") << "sparse, in the order of A";
    const SparseColumns twice = solver.solve(sparse_b + sparse_b);
    EXPECT_EQ(difference(Dense(twice), Scalar(2) * x_exact, bound()), "") << "sparse expressions";
  }

  std::mt19937_64 random{5};
  Matrix a, half;
  Dense b;
  SparseColumns sparse_b;
  Eigen::MatrixXd inverse;
};

#ifdef KAURI_LONG_TESTS
using Cases = ::testing::Types<EigenCase<double, int, Eigen::ColMajor, Eigen::Lower>,
                               EigenCase<double, int, Eigen::ColMajor, Eigen::Upper>,
                               EigenCase<double, int, Eigen::RowMajor, Eigen::Lower>,
                               EigenCase<double, int, Eigen::RowMajor, Eigen::Upper>,
                               EigenCase<double, long, Eigen::ColMajor, Eigen::Lower>,
                               EigenCase<double, long, Eigen::ColMajor, Eigen::Upper>,
                               EigenCase<double, long, Eigen::RowMajor, Eigen::Lower>,
                               EigenCase<double, long, Eigen::RowMajor, Eigen::Upper>,
                               EigenCase<float, int, Eigen::ColMajor, Eigen::Lower>,
                               EigenCase<float, int, Eigen::ColMajor, Eigen::Upper>,
                               EigenCase<float, int, Eigen::RowMajor, Eigen::Lower>,
                               EigenCase<float, int, Eigen::RowMajor, Eigen::Upper>,
                               EigenCase<float, long, Eigen::ColMajor, Eigen::Lower>,
                               EigenCase<float, long, Eigen::ColMajor, Eigen::Upper>,
                               EigenCase<float, long, Eigen::RowMajor, Eigen::Lower>,
                               EigenCase<float, long, Eigen::RowMajor, Eigen::Upper>,
                               EigenCase<double, int, Eigen::ColMajor, kBoth>,
                               EigenCase<double, int, Eigen::RowMajor, kBoth>>;
#else  // covers all pairs of scalar, index, order and half
using Cases = ::testing::Types<EigenCase<double, int, Eigen::ColMajor, Eigen::Lower>,
                               EigenCase<double, long, Eigen::RowMajor, Eigen::Upper>,
                               EigenCase<float, int, Eigen::RowMajor, Eigen::Upper>,
                               EigenCase<float, long, Eigen::ColMajor, Eigen::Upper>,
                               EigenCase<float, long, Eigen::RowMajor, Eigen::Lower>,
                               EigenCase<double, int, Eigen::ColMajor, kBoth>>;
#endif
TYPED_TEST_SUITE(EigenSolving, Cases);

TYPED_TEST(EigenSolving, EveryRightHandSide) {
  typename TypeParam::Solver solver;
  for (const Eigen::Index n : {1, 2, 7, 40, 90})
    for (const int columns : {1, 5, 33}) {
      SCOPED_TRACE("n = " + std::to_string(n) + ", columns = " + std::to_string(columns));
      this->make(n, columns);
      this->expect_solutions(solver.compute(this->a));
      this->expect_solutions(solver.compute(this->half));
      if (this->HasFatalFailure()) return;
    }
}

TYPED_TEST(EigenSolving, EveryWayToGiveTheMatrix) {
  using M = typename TypeParam::Matrix;
  using S = typename TypeParam::Scalar;
  this->make(60, 2);
  typename TypeParam::Solver constructed(this->half);
  this->expect_solutions(constructed);
  typename TypeParam::Solver solver;
  solver.analyzePattern(this->a);
  EXPECT_EQ(solver.info(), Eigen::Success);
  solver.factorize(this->a);
  this->expect_solutions(solver);

  const M& whole = this->a;
  const Eigen::Map<const M> map(whole.rows(), whole.cols(), whole.nonZeros(), whole.outerIndexPtr(),
                                whole.innerIndexPtr(), whole.valuePtr());
  this->expect_solutions(solver.compute(map));
  this->expect_solutions(solver.compute(S(0.5) * (whole + whole)));
  const typename TypeParam::Solver of_map(map), of_expression(S(0.5) * (whole + whole)),
      of_product(whole * S(1));
  this->expect_solutions(of_map);
  this->expect_solutions(of_expression);
  this->expect_solutions(of_product);
  M loose = whole;
  loose.reserve(Eigen::Array<int, Eigen::Dynamic, 1>::Constant(whole.outerSize(), 3));
  ASSERT_FALSE(loose.isCompressed());
  this->expect_solutions(solver.compute(loose));
  const Eigen::SparseMatrix<S, M::IsRowMajor ? Eigen::ColMajor : Eigen::RowMajor,
                            typename M::StorageIndex>
      turned = whole;
  this->expect_solutions(solver.compute(turned));
}

/// Solvers of maps, also of uncompressed matrices, which are not copied.
TYPED_TEST(EigenSolving, MapsAsTheMatrix) {
  using M = typename TypeParam::Matrix;
  this->make(40, 3);
  M& whole = this->a;
  using Map = Eigen::Map<M>;
  kauri::eigen::LLT<Map, TypeParam::UpLo> solver;
  const auto expect_solved = [&](const Map& map) {
    ASSERT_EQ(solver.compute(map).info(), Eigen::Success) << solver.lastErrorMessage();
    EXPECT_EQ(difference(typename TypeParam::Dense(solver.solve(this->b)), this->exact(this->b),
                         this->bound()),
              "");
    EXPECT_EQ(solver.factorize(map).info(), Eigen::Success);
  };
  expect_solved(Map(whole.rows(), whole.cols(), whole.nonZeros(), whole.outerIndexPtr(),
                    whole.innerIndexPtr(), whole.valuePtr()));
  M loose = whole;
  loose.reserve(Eigen::Array<int, Eigen::Dynamic, 1>::Constant(whole.outerSize(), 3));
  expect_solved(Map(loose.rows(), loose.cols(), loose.nonZeros(), loose.outerIndexPtr(),
                    loose.innerIndexPtr(), loose.valuePtr(), loose.innerNonZeroPtr()));
}

TYPED_TEST(EigenSolving, ZeroAsTheRightHandSide) {
  this->make(40, 3);
  typename TypeParam::Solver solver(this->a);
  this->b.setZero();
  this->sparse_b.setZero();
  this->expect_solutions(solver);
  EXPECT_TRUE((typename TypeParam::Dense(solver.solve(this->b)).array() == 0).all());
  EXPECT_EQ(typename TypeParam::Matrix(solver.solve(this->sparse_b)).nonZeros(), 0)
      << "not even stored";
}

/// The contents of the half that is not read do not matter; Lower | Upper reads the lower one.
TYPED_TEST(EigenSolving, OneHalfIsRead) {
  this->make(30, 2);
  auto other = this->a;
  for (Eigen::Index k = 0; k < other.outerSize(); ++k)
    for (typename TypeParam::Matrix::InnerIterator it(other, k); it; ++it)
      if ((TypeParam::UpLo & Eigen::Lower) != 0 ? it.row() < it.col() : it.row() > it.col())
        it.valueRef() = 1000;
  typename TypeParam::Solver solver(other);
  this->expect_sparse(solver);
}

TYPED_TEST(EigenSolving, NewValuesOnThePlan) {
  this->make(50, 3);
  typename TypeParam::Solver solver;
  solver.analyzePattern(this->half);
  const auto plan = solver.analysis().plan;
  for (int round = 1; round < 4; ++round) {
    for (Eigen::Index k = 0; k < this->a.outerSize(); ++k)
      for (typename TypeParam::Matrix::InnerIterator it(this->a, k); it; ++it)
        if (it.row() == it.col()) it.valueRef() *= static_cast<typename TypeParam::Scalar>(1.25);
    this->inverse_of(this->a);
    this->expect_solutions(solver.factorize(round % 2 ? this->a : TypeParam::half_of(this->a)));
    EXPECT_EQ(solver.analysis().plan, plan);
  }
}

TYPED_TEST(EigenSolving, DeterminantsAndL) {
  using D = typename TypeParam::Dense;
  for (const Eigen::Index n : {1, 6, 20}) {
    this->make(n, 1);
    typename TypeParam::Solver solver(this->half);
    const D dense(this->a);
    const Eigen::MatrixXd dense_l = dense.template cast<double>().llt().matrixL();
    const double log_determinant = 2 * dense_l.diagonal().array().log().sum();
    EXPECT_NEAR(static_cast<double>(solver.logDeterminant()), log_determinant,
                this->bound() * (1 + std::abs(log_determinant)));
    EXPECT_NEAR(static_cast<double>(solver.determinant()) / std::exp(log_determinant), 1,
                4 * this->bound());

    const D l = D(typename TypeParam::Solver::CholMatrixType(solver.matrixL())),
            u = solver.matrixU() * D::Identity(n, n);
    EXPECT_TRUE(u == l.transpose());
    EXPECT_TRUE(l.isLowerTriangular(0));
    EXPECT_EQ(difference(D(l * u), D(solver.permutationP() * dense * solver.permutationPinv()),
                         this->bound()),
              "");
    for (Eigen::Index k = 0; k < n; ++k)
      EXPECT_EQ(solver.permutationPinv().indices()(solver.permutationP().indices()(k)), k);
    // x = P^-1 U^-1 L^-1 P b, the way Eigen's programs use both.
    typename TypeParam::Vector x = solver.permutationP() * this->b.col(0);
    solver.matrixL().solveInPlace(x);
    solver.matrixU().solveInPlace(x);
    x = solver.permutationPinv() * x;
    EXPECT_EQ(difference(x, this->exact(this->b).col(0), this->bound()), "");
    EXPECT_TRUE(l == D(typename TypeParam::Solver::CholMatrixType(solver.matrixL())))
        << "once more, the same";
  }
}

TYPED_TEST(EigenSolving, NoRows) {
  const typename TypeParam::Matrix none(0, 0);
  typename TypeParam::Solver solver(none);
  ASSERT_EQ(solver.info(), Eigen::Success) << solver.lastErrorMessage();
  EXPECT_EQ(solver.rows(), 0);
  EXPECT_EQ(solver.determinant(), 1);
  EXPECT_EQ(solver.logDeterminant(), 0);
  EXPECT_EQ(solver.permutationP().size(), 0);
  const typename TypeParam::Dense x = solver.solve(typename TypeParam::Dense(0, 3));
  EXPECT_EQ(x.rows(), 0);
  EXPECT_EQ(x.cols(), 3);
}

}  // namespace
}  // namespace kauri::test
