// Systems for tests of kauri/eigen.hpp, and the solvers of these tests.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Dense>
#include <Eigen/SparseCore>

#include <random>
#include <string>
#include <vector>

#include "kauri/eigen.hpp"

namespace kauri::test {

/// A way to store a matrix, and the half that is read.
template <class Scalar_, class StorageIndex, int Order, int UpLo_>
struct EigenCase {
  using Scalar = Scalar_;
  static constexpr int UpLo = UpLo_;
  using Matrix = Eigen::SparseMatrix<Scalar, Order, StorageIndex>;
  using Dense = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  using Solver = kauri::eigen::LLT<Matrix, UpLo>;

  /// Returns the half that is read, alone.
  static Matrix half_of(const Matrix& a) {
    if constexpr (UpLo == (Eigen::Lower | Eigen::Upper))
      return a;
    else
      return Matrix(a.template triangularView<UpLo>());
  }
};

/// Returns a random, diagonally dominant and so well-conditioned matrix with about `per_row`
/// off-diagonal entries in each row.
template <class Matrix>
Matrix dominant_matrix(Eigen::Index n, int per_row, std::mt19937_64& random) {
  using Scalar = typename Matrix::Scalar;
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<Eigen::Triplet<Scalar>> entry;
  for (int i = 0; i < n; ++i) entry.emplace_back(i, i, static_cast<Scalar>(1 + value(random) / 2));
  for (int k = 0; k < n * per_row / 2; ++k) {
    const int i = static_cast<int>(random() % static_cast<std::uint64_t>(n)),
              j = static_cast<int>(random() % static_cast<std::uint64_t>(n));
    if (i == j) continue;
    const auto v = static_cast<Scalar>(value(random));
    entry.emplace_back(i, j, v);
    entry.emplace_back(j, i, v);
    entry.emplace_back(i, i, std::abs(v));
    entry.emplace_back(j, j, std::abs(v));
  }
  Matrix a(n, n);
  a.setFromTriplets(entry.begin(), entry.end());
  return a;
}

/// Returns an empty text if ||x - y|| <= bound * ||y|| and both have one shape; else what is wrong,
/// also for a NaN.
template <class X, class Y>
std::string difference(const X& x, const Y& y, double bound) {
  if (x.rows() != y.rows() || x.cols() != y.cols())
    return std::to_string(x.rows()) + " x " + std::to_string(x.cols()) + " in place of " +
           std::to_string(y.rows()) + " x " + std::to_string(y.cols());
  const auto error = static_cast<double>((x - y).norm()), size = static_cast<double>(y.norm());
  if (error <= bound * size) return "";
  return "off by " + std::to_string(error / bound) + " bounds of a norm of " + std::to_string(size);
}

}  // namespace kauri::test
