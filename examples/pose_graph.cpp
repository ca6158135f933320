// Finds the path of a robot in the plane from measurements between its poses by Gauss-Newton: every
// iteration has the same pattern and new values, and all share one plan. The measurements are
// exact, so the error converges to zero.
// SPDX-License-Identifier: BSD-3-Clause
#include <kauri/kauri.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <random>
#include <vector>

namespace {

using kauri::Index;
using Pose = std::array<double, 3>;  // x, y, heading

struct Measurement {
  Index from, to;
  Pose seen;  // `to` as seen from `from`
};

Pose relative(const Pose& a, const Pose& b) {
  const double c = std::cos(a[2]), s = std::sin(a[2]), dx = b[0] - a[0], dy = b[1] - a[1];
  return {c * dx + s * dy, c * dy - s * dx, std::remainder(b[2] - a[2], 2 * std::numbers::pi)};
}

/// The path runs up and down in lanes, one pose per unit; poses of neighbouring lanes measure each
/// other.
constexpr Index kLanes = 40, kLane = 50, kPoses = kLanes * kLane;

std::vector<Pose> true_path() {
  std::vector<Pose> path;
  for (Index lane = 0; lane < kLanes; ++lane)
    for (Index k = 0; k < kLane; ++k) {
      const bool up = lane % 2 == 0;
      path.push_back(
          {double(lane), double(up ? k : kLane - 1 - k), (up ? 0.5 : -0.5) * std::numbers::pi});
    }
  return path;
}

std::vector<Measurement> measure(const std::vector<Pose>& path) {
  std::vector<Measurement> all;
  for (Index i = 0; i + 1 < kPoses; ++i) all.push_back({i, i + 1, relative(path[i], path[i + 1])});
  for (Index lane = 0; lane + 1 < kLanes; ++lane)
    for (Index k = 0; k + 1 < kLane; k += 5) {
      const Index i = lane * kLane + k, j = (lane + 2) * kLane - 1 - k;  // side by side
      all.push_back({i, j, relative(path[i], path[j])});
    }
  return all;
}

/// Normal equations, J^T J and -J^T e, of the errors e of all measurements, and of the first pose,
/// which stays fixed.
struct NormalEquations {
  std::vector<Index> row, col;
  std::vector<double> value, rhs = std::vector<double>(3 * kPoses, 0.0);
  double error = 0;  // |e|^2

  NormalEquations(const std::vector<Pose>& path, const std::vector<Measurement>& measurements) {
    for (Index d = 0; d < 3; ++d) add(d, d, 1);
    for (const auto& m : measurements) {
      const Pose now = relative(path[m.from], path[m.to]);
      const Pose e{now[0] - m.seen[0], now[1] - m.seen[1],
                   std::remainder(now[2] - m.seen[2], 2 * std::numbers::pi)};
      const double c = std::cos(path[m.from][2]), s = std::sin(path[m.from][2]);
      const double jacobian[3][6] = {
          {-c, -s, now[1], c, s, 0}, {s, -c, -now[0], -s, c, 0}, {0, 0, -1, 0, 0, 1}};
      const auto unknown = [&](int k) { return k < 3 ? 3 * m.from + k : 3 * m.to + k - 3; };
      for (int t = 0; t < 3; ++t) {
        error += e[t] * e[t];
        for (int i = 0; i < 6; ++i) rhs[unknown(i)] -= jacobian[t][i] * e[t];
      }
      for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j)
          if (unknown(i) >= unknown(j))
            add(unknown(i), unknown(j),
                jacobian[0][i] * jacobian[0][j] + jacobian[1][i] * jacobian[1][j] +
                    jacobian[2][i] * jacobian[2][j]);
    }
  }
  void add(Index i, Index j, double v) {
    row.push_back(i);
    col.push_back(j);
    value.push_back(v);
  }
  /// Returns the matrix. Repeated entries are summed and zeros are kept, so the pattern is always
  /// the same.
  [[nodiscard]] kauri::SymmetricMatrix<double> matrix() const {
    return kauri::SymmetricMatrix<double>::from_triplets(3 * kPoses, row, col, value,
                                                         kauri::Storage::lower);
  }
};

}  // namespace

int main() {
  const std::vector<Pose> truth = true_path();
  const std::vector<Measurement> measurements = measure(truth);
  std::mt19937 random(1);
  std::vector<Pose> path = truth;  // the first guess, which is wrong everywhere except at the start
  for (Index i = 1; i < kPoses; ++i)
    for (double& p : path[i]) p += 0.6 * (random() / 4294967296.0 - 0.5);

  kauri::Solver<double> solver;
  double error = 0;
  for (int iteration = 0; iteration < 20; ++iteration) {
    const NormalEquations equations(path, measurements);
    error = equations.error;
    std::printf("iteration %d: error %.3e\n", iteration, error);
    if (error < 1e-18) break;
    const auto a = equations.matrix();
    if (const auto done = iteration == 0 ? solver.compute(a.view()) : solver.refactorize(a.value());
        !done) {
      std::printf("%s\n", kauri::describe(done.error()).c_str());
      return 2;
    }
    const std::vector<double> step = solver.solve(equations.rhs);
    for (Index i = 0; i < kPoses; ++i)
      for (Index d = 0; d < 3; ++d) path[i][d] += step[3 * i + d];
  }
  double off = 0;
  for (Index i = 0; i < kPoses; ++i) {
    const double d = std::hypot(path[i][0] - truth[i][0], path[i][1] - truth[i][1]);
    if (!(d <= off)) off = d;  // keeps a NaN
  }
  std::printf("%d poses, %zu measurements; farthest from the truth %.1e\n", kPoses,
              measurements.size(), off);
  return error < 1e-18 && off < 1e-6 ? 0 : 1;
}
