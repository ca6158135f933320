// A program written for Eigen's solver: the type in one line is all that kauri needs changed.
// SPDX-License-Identifier: BSD-3-Clause
#include <kauri/eigen.hpp>

#include <iostream>
#include <vector>

using Matrix = Eigen::SparseMatrix<double>;
using Solver = kauri::eigen::LLT<Matrix>;  // was: Eigen::SimplicialLLT<Matrix>

int main() {
  std::vector<Eigen::Triplet<double>> entries;  // tridiag(-1, 2, -1), of order 5
  for (int i = 0; i < 5; ++i) {
    entries.emplace_back(i, i, 2);
    if (i > 0) entries.emplace_back(i, i - 1, -1);
    if (i > 0) entries.emplace_back(i - 1, i, -1);
  }
  Matrix a(5, 5);
  a.setFromTriplets(entries.begin(), entries.end());
  const Eigen::VectorXd b{{1, 0, 0, 0, 1}};

  Solver solver(a);
  if (solver.info() != Eigen::Success) {
    std::cout << "not solved\n";
    return 2;
  }
  const Eigen::VectorXd x = solver.solve(b);
  std::cout << x << '\n';  // 1 five times
}
