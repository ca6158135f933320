// A user's program, consumer FILE: solves the system of a gzipped Matrix Market file with the
// installed headers and library. It uses everything that they link: zlib to read, METIS (if built
// in) to order, oneTBB to factorise. The program computes the residual itself.
// SPDX-License-Identifier: BSD-3-Clause
#include <kauri/kauri.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <iostream>
#include <vector>

/// Returns max |b - A x|_i / (max_i sum_j |A_ij| max |x| + max |b|).
double backward_error(const kauri::SymmetricMatrix<double>& a, const std::vector<double>& x,
                      const std::vector<double>& b) {
  std::vector<double> residual = b, row_sum(x.size());
  const kauri::Pattern p = a.pattern();
  for (kauri::Index j = 0; j < p.n; ++j)
    for (kauri::Offset k = p.col_ptr[j]; k < p.col_ptr[j + 1]; ++k) {
      const kauri::Index i = p.row[k];
      residual[i] -= a.value()[k] * x[j];
      row_sum[i] += std::abs(a.value()[k]);
      if (i == j) continue;
      residual[j] -= a.value()[k] * x[i];
      row_sum[j] += std::abs(a.value()[k]);
    }
  const auto largest = [](const std::vector<double>& v) {
    double m = 0;
    for (const double e : v) m = e == e ? std::max(m, std::abs(e)) : HUGE_VAL;
    return m;
  };
  return largest(residual) / (largest(row_sum) * largest(x) + largest(b));
}

int main(int argc, char** argv) try {
  if (argc != 2) return 2;
  const auto a = kauri::read_matrix(argv[1]);
  kauri::SolverOptions options;
  const bool metis = kauri::ordering_available(kauri::OrderingMethod::metis);
  options.analyze.ordering.method =
      metis ? kauri::OrderingMethod::metis : kauri::OrderingMethod::amd;
  options.threads = 2;
  kauri::Solver<double> solver(options);
  std::vector<double> b;
  for (kauri::Index i = 0; i < a.n(); ++i) b.push_back(1 + i % 7);
  double error = HUGE_VAL;
  if (solver.compute(a.view()).ok()) error = backward_error(a, solver.solve(b), b);
  const bool ok = a.n() > 1000 && error < 1e-15;
  std::cout << "kauri " << kauri::version() << (ok ? ": ok" : ": wrong") << " with "
            << kauri::name_of(solver.plan().ordering) << ", n " << a.n() << ", backward error "
            << error << '\n';
  return ok ? 0 : 1;
} catch (const std::exception& e) {
  std::cout << e.what() << '\n';
  return 1;
}
