// The first program with kauri: A x = b with A = tridiag(-1, 2, -1), of order 5, by its lower
// triangle.
// SPDX-License-Identifier: BSD-3-Clause
#include <kauri/kauri.hpp>

#include <iostream>

int main() {
  const std::vector<kauri::Index> i{0, 1, 1, 2, 2, 3, 3, 4, 4}, j{0, 0, 1, 1, 2, 2, 3, 3, 4};
  const std::vector<double> v{2, -1, 2, -1, 2, -1, 2, -1, 2}, b{1, 0, 0, 0, 1};
  const auto a = kauri::SymmetricMatrix<double>::from_triplets(5, i, j, v, kauri::Storage::lower);
  kauri::Solver<double> solver;
  if (const auto done = solver.compute(a.view()); !done)
    std::cout << kauri::describe(done.error()) << '\n';
  else
    for (const double x : solver.solve(b)) std::cout << x << '\n';  // 1 five times
}
