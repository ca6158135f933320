// Systems of three families whose condition, scaled, is as asked for: what a solve in mixed
// precision has to go through.
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

/// Of S A S: what counts for a factor in float.
inline double scaled_condition(const SymmetricMatrix<double>& a) {
  SymmetricMatrix<double> scaled = a;
  SymmetricScaling(a.view()).apply(a.view(), scaled.value());
  const Spectrum s = spectrum(scaled);
  return s.greatest / s.least;
}

/// Q D Q^T with a random orthogonal Q and eigenvalues D that fall by the same factor each: dense.
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
