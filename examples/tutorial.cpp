// The C++ of the tutorial (docs/site/tutorial.md), step by step; the tutorial shows the parts
// between [name] and [end].
// SPDX-License-Identifier: BSD-3-Clause
#include <kauri/kauri.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <span>
#include <vector>

namespace {

// [plate]
/// The Laplacian of a plate of k x k points, plus `loss` on the diagonal: its lower triangle.
kauri::SymmetricMatrix<double> plate(kauri::Index k, double loss) {
  std::vector<kauri::Index> row, col;
  std::vector<double> value;
  const auto add = [&](kauri::Index i, kauri::Index j, double v) {
    row.push_back(i), col.push_back(j), value.push_back(v);
  };
  for (kauri::Index y = 0; y < k; ++y)
    for (kauri::Index x = 0; x < k; ++x) {
      const kauri::Index i = x + y * k;
      add(i, i, 4 + loss);
      if (x > 0) add(i, i - 1, -1);
      if (y > 0) add(i, i - k, -1);
    }
  return kauri::SymmetricMatrix<double>::from_triplets(k * k, row, col, value,
                                                       kauri::Storage::lower);
}
// [end]

constexpr kauri::Index kSide = 100, kRows = kSide * kSide;

bool small(double error) { return error < 1e-15; }

// Solves for one right-hand side, and prints the report and the accuracy.
bool solve_one() {
  // [one]
  const auto a = plate(kSide, 0.01);
  const std::vector<double> b(kRows, 1.0);
  kauri::Solver<double> solver;
  if (const auto done = solver.compute(a.view()); !done) return false;
  const std::vector<double> x = solver.solve(b);
  std::cout << "backward error " << solver.report().refinement.final_error.componentwise << '\n';
  std::cout << kauri::to_text(solver.report());
  // [end]
  return x.size() == b.size() && small(solver.report().refinement.final_error.componentwise);
}

// Solves for many right-hand sides, and factorises new values.
bool solve_many() {
  const auto a = plate(kSide, 0.01);
  // [many]
  kauri::SolverOptions options;
  options.analyze.solves = 64;  // the size of the job: weighs in the choice of the ordering
  kauri::Solver<double> solver(options);
  if (const auto done = solver.compute(a.view()); !done) return false;
  std::vector<double> x(64 * kRows);  // 64 columns: B on entry, X on return
  for (kauri::Index j = 0; j < 64; ++j) x[j * kRows + j] = 1;
  solver.solve(kauri::MatrixView<double>{x.data(), kRows, 64, kRows});
  // [end]
  bool good = small(solver.report().refinement.final_error.componentwise);
  // [values]
  for (const double loss : {0.1, 0.2, 0.4}) {
    const auto next = plate(kSide, loss);  // the same pattern
    if (const auto done = solver.refactorize(next.value()); !done) return false;
    const std::vector<double> y = solver.solve(std::vector<double>(kRows, 1.0));
    std::cout << "loss " << loss << ": at the centre " << y[kRows / 2 + kSide / 2] << '\n';
  }
  // [end]
  good = good && small(solver.report().refinement.final_error.componentwise);
  return good;
}

// Factorises a matrix that is not positive definite, then a shifted one that is.
bool shift() {
  // [shift]
  const auto a = plate(kSide, -0.5);  // more gain than loss
  kauri::Solver<double> solver;
  auto done = solver.compute(a.view());
  if (!done)
    std::cout << "column " << done.error().column << " met the pivot " << done.error().pivot
              << '\n';
  for (double by = 0.125; !done && by <= 8; by *= 2)
    done = solver.refactorize_shifted(by);  // (A + by I) x = b from now on
  // [end]
  return static_cast<bool>(done);
}

// Calls the phases one by one, on a device if there is one.
bool on_device() {
  const auto a = plate(kSide, 0.01);
  const std::vector<double> b(kRows, 1.0);
  // [device]
  kauri::SolverOptions options;
  options.backend =
      kauri::cuda_available() ? kauri::BackendChoice::cuda : kauri::BackendChoice::cpu;
  kauri::Solver<double> solver(options);
  if (const auto done = solver.compute(a.view()); !done) return false;
  const std::vector<double> x = solver.solve(b);  // from and to the host
  // [end]
  const bool good =
      small(solver.report().refinement.final_error.componentwise) && x.size() == b.size();
  // [phases]
  kauri::Backend backend = kauri::cuda_available() ? kauri::cuda_backend() : kauri::cpu_backend();
  kauri::AnalyzeOptions job;
  job.target = backend.target();
  const auto plan = kauri::analyze(a.pattern(), job);  // once a pattern; on the host
  auto factor =
      kauri::Factor<double>::create(plan, backend);  // all memory that a factorisation takes
  auto workspace = kauri::Workspace<double>::create(factor, 32);  // and 32 columns of a solve
  if (const auto filled = kauri::refactorize(factor, a.view()); !filled) return false;
  std::vector<double> y(b);
  const auto columns = kauri::column_view(std::span<double>(y));
  factor.solve(columns, columns,
               workspace);  // no allocation, no analysis: this is what a loop repeats
  // [end]
  double distance = 0;
  for (kauri::Index i = 0; i < kRows; ++i)
    distance = std::max(distance, std::abs(x[i] - y[i]) / std::abs(x[i]));
  return good && distance < 1e-10;
}

}  // namespace

int main() { return solve_one() && solve_many() && shift() && on_device() ? 0 : 1; }
