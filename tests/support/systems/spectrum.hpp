// Eigenvalues of small matrices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Dense>

#include "kauri/core/matrix.hpp"
#include "tests/support/systems/dense_reference.hpp"

namespace kauri::test {

struct Spectrum {
  double least, greatest;
};

inline Spectrum spectrum(const SymmetricMatrix<double>& a) {
  const auto d = dense(a.view(), Permutation::identity(a.n()));
  const Eigen::Map<const Eigen::MatrixXd> m(d.data(), a.n(), a.n());
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(m, Eigen::EigenvaluesOnly);
  return {solver.eigenvalues().minCoeff(), solver.eigenvalues().maxCoeff()};
}

}  // namespace kauri::test
