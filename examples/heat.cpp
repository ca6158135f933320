// The heat equation u_t = u_xx + u_yy on the unit square, u = 0 on its sides, by Crank and Nicolson: one factor, many time steps. Two
// discrete eigenmodes are followed, whose decay is known.
// SPDX-License-Identifier: BSD-3-Clause
#include <kauri/kauri.hpp>

#include <cmath>
#include <cstdio>
#include <numbers>
#include <span>
#include <vector>

namespace {

constexpr int kCells = 150, kInside = kCells - 1, kSteps = 100;
constexpr double kWidth = 1.0 / kCells, kStep = 2e-4;
constexpr kauri::Index kPoints = kInside * kInside;

/// M = I + dt/2 A, with A the five-point stencil of -(u_xx + u_yy).
kauri::SymmetricMatrix<double> implicit_half_step() {
  const double coupling = kStep / 2 / (kWidth * kWidth);
  std::vector<kauri::Index> row, col;
  std::vector<double> value;
  const auto add = [&](kauri::Index i, kauri::Index j, double v) {
    row.push_back(i);
    col.push_back(j);
    value.push_back(v);
  };
  for (int y = 0; y < kInside; ++y)
    for (int x = 0; x < kInside; ++x) {
      const kauri::Index i = x + y * kInside;
      add(i, i, 1 + 4 * coupling);
      if (x > 0) add(i, i - 1, -coupling);
      if (y > 0) add(i, i - kInside, -coupling);
    }
  return kauri::SymmetricMatrix<double>::from_triplets(kPoints, row, col, value, kauri::Storage::lower);
}

struct Mode {
  int p, q;

  /// sin(p pi x) sin(q pi y) at the points inside: an eigenvector of A.
  [[nodiscard]] std::vector<double> at_points() const {
    std::vector<double> u;
    for (int y = 1; y < kCells; ++y)
      for (int x = 1; x < kCells; ++x)
        u.push_back(std::sin(p * std::numbers::pi * x * kWidth) * std::sin(q * std::numbers::pi * y * kWidth));
    return u;
  }
  /// What kSteps steps leave of it: the eigenvalue a of A gives (1 - a dt/2) / (1 + a dt/2) each.
  [[nodiscard]] double decay() const {
    const double sp = std::sin(p * std::numbers::pi * kWidth / 2), sq = std::sin(q * std::numbers::pi * kWidth / 2);
    const double half = kStep / 2 * 4 * (sp * sp + sq * sq) / (kWidth * kWidth);
    return std::pow((1 - half) / (1 + half), kSteps);
  }
};

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

int main() {
  const auto m = implicit_half_step();
  kauri::SolverOptions options;
  options.analyze.solves = kSteps;  // so an ordering that spares solves may take longer
  kauri::Solver<double> solver(options);
  if (const auto done = solver.compute(m.view()); !done) {
    std::printf("not positive definite: column %d\n", done.error().column);
    return 2;
  }

  const Mode slow{1, 1}, fast{3, 2};
  const std::vector<double> first = slow.at_points(), second = fast.at_points();
  std::vector<double> u(kPoints), w(kPoints);
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = first[i] + second[i] / 2;

  // (I + dt/2 A) u' = (I - dt/2 A) u is u' = 2 M^-1 u - u.
  for (int step = 0; step < kSteps; ++step) {
    w = u;
    solver.solve(kauri::column_view(std::span<double>(w)));
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = 2 * w[i] - u[i];
  }

  const double left_of_first = dot(u, first) / dot(first, first), left_of_second = dot(u, second) / dot(second, second) * 2;
  const double error = std::fmax(std::fabs(left_of_first / slow.decay() - 1), std::fabs(left_of_second / fast.decay() - 1));
  std::printf("%d points, %d steps of one factor\n", kPoints, kSteps);
  std::printf("mode (1,1): %.12f left, expected %.12f\n", left_of_first, slow.decay());
  std::printf("mode (3,2): %.12f left, expected %.12f\n", left_of_second, fast.decay());
  std::printf("largest relative error %.1e\n", error);
  return error < 1e-10 ? 0 : 1;
}
