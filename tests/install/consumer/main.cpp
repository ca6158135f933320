// A user's program: the second difference matrix of order 3, its graph and a permutation, through the installed headers and library.
// SPDX-License-Identifier: BSD-3-Clause
#include <kauri/kauri.hpp>

#include <iostream>
#include <vector>

int main() {
  const std::vector<kauri::Offset> col_ptr{0, 2, 4, 5};
  const std::vector<kauri::Index> row{0, 1, 1, 2, 2};
  const std::vector<double> value{2, -1, 2, -1, 2};
  const auto a = kauri::SymmetricMatrix<double>::from_csc(3, col_ptr, row, value, kauri::Storage::lower);
  const kauri::Graph graph(a.pattern());
  const auto reversed = kauri::Permutation::from_old_of({2, 1, 0});
  const bool ok = a.nnz() == 5 && graph.edges() == 4 && reversed.new_of(0) == 2;
  std::cout << "kauri " << kauri::version() << (ok ? ": ok" : ": wrong") << '\n';
  return ok ? 0 : 1;
}
