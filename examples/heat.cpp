// The heat equation u_t = u_xx + u_yy on the unit square, u = 0 on its sides, by Crank-Nicolson:
// one factor, 10,000 time steps. The program follows two discrete eigenmodes, whose decay is known.
// SPDX-License-Identifier: BSD-3-Clause
#include <kauri/kauri.hpp>

#include <cmath>
#include <cstdio>
#include <numbers>
#include <span>
#include <vector>

namespace {

constexpr int kCells = 40, kInside = kCells - 1;
constexpr int kFirstSteps = 100,
              kSteps = 10'000;  // the faster mode is measured after kFirstSteps, before it has
                                // decayed
constexpr double kWidth = 1.0 / kCells, kStep = 2e-4;
constexpr kauri::Index kPoints = kInside * kInside;

/// Returns M = I + dt/2 A, with A the five-point stencil of -(u_xx + u_yy).
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
  return kauri::SymmetricMatrix<double>::from_triplets(kPoints, row, col, value,
                                                       kauri::Storage::lower);
}

struct Mode {
  int p, q;

  /// Returns sin(p pi x) sin(q pi y) at the interior points: an eigenvector of A.
  [[nodiscard]] std::vector<double> at_points() const {
    std::vector<double> u;
    for (int y = 1; y < kCells; ++y)
      for (int x = 1; x < kCells; ++x)
        u.push_back(std::sin(p * std::numbers::pi * x * kWidth) *
                    std::sin(q * std::numbers::pi * y * kWidth));
    return u;
  }
  /// Returns the factor by which these steps reduce the mode: with its eigenvalue a, (1 - a dt/2) /
  /// (1 + a dt/2) per step.
  [[nodiscard]] double decay(int steps) const {
    const double sp = std::sin(p * std::numbers::pi * kWidth / 2),
                 sq = std::sin(q * std::numbers::pi * kWidth / 2);
    const double half = kStep / 2 * 4 * (sp * sp + sq * sq) / (kWidth * kWidth);
    return std::pow((1 - half) / (1 + half), steps);
  }
};

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Returns the relative error of the mode's remainder in u, which started with `amount` of it.
double error_of(const Mode& mode, double amount, const std::vector<double>& u, int steps) {
  const std::vector<double> shape = mode.at_points();
  const double left = dot(u, shape) / dot(shape, shape) / amount, expected = mode.decay(steps);
  std::printf("mode (%d,%d) after %5d steps: %.12e left, expected %.12e\n", mode.p, mode.q, steps,
              left, expected);
  return std::fabs(left / expected - 1);
}

}  // namespace

int main() {
  const auto m = implicit_half_step();
  kauri::SolverOptions options;
  options.analyze.solves = kSteps;  // the ordering may take longer if it makes solves faster
  options.refine.max_steps = 0;     // rounding errors of a step are far below its time-stepping
                                    // error
  kauri::Solver<double> solver(options);
  if (const auto done = solver.compute(m.view()); !done) {
    std::printf("%s\n", kauri::describe(done.error()).c_str());
    return 2;
  }

  const Mode slow{1, 1}, fast{3, 2};
  const std::vector<double> first = slow.at_points(), second = fast.at_points();
  std::vector<double> u(kPoints), w(kPoints);
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = first[i] + second[i] / 2;

  // Computes u' = 2 M^-1 u - u, which solves (I + dt/2 A) u' = (I - dt/2 A) u.
  const auto advance = [&](int steps) {
    for (int step = 0; step < steps; ++step) {
      w = u;
      solver.solve(kauri::column_view(std::span<double>(w)));
      for (std::size_t i = 0; i < u.size(); ++i) u[i] = 2 * w[i] - u[i];
    }
  };
  std::printf("%d points, %d steps of one factor\n", kPoints, kSteps);
  advance(kFirstSteps);
  double error = 0;
  const auto see = [&error](double e) {
    if (!(e <= error)) error = e;  // keeps a NaN
  };
  see(error_of(slow, 1, u, kFirstSteps));
  see(error_of(fast, 0.5, u, kFirstSteps));
  advance(kSteps - kFirstSteps);
  see(error_of(slow, 1, u, kSteps));
  std::printf("largest relative error %.1e\n", error);
  return error < 1e-10 ? 0 : 1;
}
