// Systems of three families with a given condition after scaling, for tests of mixed precision.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <random>

#include "kauri/extras/scaling.hpp"
#include "src/generate/conditioned.hpp"
#include "tests/support/systems/spectrum.hpp"

namespace kauri::test {

using conditioned::bars;
using conditioned::moved_laplacian;
using conditioned::random_scaled;

/// Returns the condition of S A S, which determines the accuracy of a factor in float.
inline double scaled_condition(const SymmetricMatrix<double>& a) {
  SymmetricMatrix<double> scaled = a;
  SymmetricScaling(a.view()).apply(a.view(), scaled.value());
  const Spectrum s = spectrum(scaled);
  return s.greatest / s.least;
}

/// Returns the dense matrix Q D Q^T, with a random orthogonal Q and eigenvalues D that form a
/// geometric sequence.
inline SymmetricMatrix<double> spread_spectrum(Index n, double condition, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Eigen::MatrixXd g(n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) g(i, j) = std::normal_distribution<double>()(random);
  const Eigen::MatrixXd q = Eigen::HouseholderQR<Eigen::MatrixXd>(g).householderQ();
  Eigen::VectorXd d(n);
  for (Index i = 0; i < n; ++i)
    d(i) = std::pow(condition, -static_cast<double>(i) / std::max<Index>(n - 1, 1));
  const Eigen::MatrixXd a = q * d.asDiagonal() * q.transpose();
  conditioned::Entries entries;
  for (Index j = 0; j < n; ++j)
    for (Index i = j; i < n; ++i) entries.add(i, j, a(i, j));
  return entries.matrix(n);
}

}  // namespace kauri::test
