// A cantilever in plane stress by bilinear quadrilaterals, loaded at its tip: compares the
// deflection with Timoshenko's beam.
// SPDX-License-Identifier: BSD-3-Clause
#include <kauri/kauri.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

namespace {

constexpr int kAlong = 400, kAcross = 40;  // square elements
constexpr double kLength = 10, kHeight = 1, kYoung = 1000, kPoisson = 0.3, kLoad = 1;

/// Returns the unknown of a node in x or y; kNone at the clamped end (x = 0).
kauri::Index unknown(int x, int y, int direction) {
  return x == 0 ? kauri::kNone : 2 * ((x - 1) * (kAcross + 1) + y) + direction;
}

using Element = std::array<std::array<double, 8>, 8>;

/// Returns the stiffness of a square, B^T D B at 2 x 2 Gauss points, nodes counterclockwise. In two
/// dimensions it does not depend on the size of the square.
Element stiffness() {
  const double factor = kYoung / (1 - kPoisson * kPoisson);
  const double d[3][3] = {{factor, factor * kPoisson, 0},
                          {factor * kPoisson, factor, 0},
                          {0, 0, factor * (1 - kPoisson) / 2}};
  constexpr int kX[4] = {-1, 1, 1, -1}, kY[4] = {-1, -1, 1, 1};
  const double g = 1 / std::sqrt(3.0);
  Element k{};
  for (int point = 0; point < 4; ++point) {
    double b[3][8] = {};  // strains xx, yy, xy; on the square [-1, 1]^2, the determinant is 1
    for (int a = 0; a < 4; ++a) {
      const double dx = kX[a] * (1 + kY[a] * kY[point] * g) / 4,
                   dy = kY[a] * (1 + kX[a] * kX[point] * g) / 4;
      b[0][2 * a] = b[2][2 * a + 1] = dx;
      b[1][2 * a + 1] = b[2][2 * a] = dy;
    }
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 8; ++j)
        for (int s = 0; s < 3; ++s)
          for (int t = 0; t < 3; ++t) k[i][j] += b[s][i] * d[s][t] * b[t][j];
  }
  return k;
}

kauri::SymmetricMatrix<double> assemble(kauri::Index n) {
  const Element k = stiffness();
  std::vector<kauri::Index> row, col;
  std::vector<double> value;
  for (int x = 0; x < kAlong; ++x)
    for (int y = 0; y < kAcross; ++y) {
      const int node_x[4] = {x, x + 1, x + 1, x}, node_y[4] = {y, y, y + 1, y + 1};
      for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j) {
          const kauri::Index r = unknown(node_x[i / 2], node_y[i / 2], i % 2),
                             c = unknown(node_x[j / 2], node_y[j / 2], j % 2);
          if (c == kauri::kNone || r < c) continue;  // clamped, or in the upper half
          row.push_back(r);
          col.push_back(c);
          value.push_back(k[i][j]);
        }
    }
  return kauri::SymmetricMatrix<double>::from_triplets(
      n, row, col, value, kauri::Storage::lower);  // sums the entries that elements share
}

/// Returns P L^3 / (3 E I) for bending plus 6/5 P L / (G A) for shear, with thickness 1.
double beam_deflection() {
  const double inertia = kHeight * kHeight * kHeight / 12,
               shear_modulus = kYoung / (2 * (1 + kPoisson));
  return kLoad * kLength * kLength * kLength / (3 * kYoung * inertia) +
         1.2 * kLoad * kLength / (shear_modulus * kHeight);
}

}  // namespace

int main() {
  const kauri::Index n = 2 * kAlong * (kAcross + 1);
  const auto a = assemble(n);
  kauri::Solver<double> solver;
  if (const auto done = solver.compute(a.view()); !done) {
    std::printf("%s\n", kauri::describe(done.error()).c_str());
    return 2;
  }

  std::vector<double> load(n, 0.0);  // downwards, uniform over the height of the tip
  for (int y = 0; y <= kAcross; ++y)
    load[unknown(kAlong, y, 1)] = -kLoad / kAcross * (y == 0 || y == kAcross ? 0.5 : 1);
  const std::vector<double> u = solver.solve(load);

  const double tip = -u[unknown(kAlong, kAcross / 2, 1)], beam = beam_deflection(),
               backward = solver.report().refinement.final_error.normwise;
  std::printf("%d elements, %d unknowns\n", kAlong * kAcross, n);
  std::printf("deflection of the tip %.5f, of the beam %.5f: %.2f %% apart\n", tip, beam,
              100 * std::fabs(tip / beam - 1));
  std::printf("backward error %.1e\n", backward);
  return std::fabs(tip / beam - 1) < 0.01 && backward < 1e-15 ? 0 : 1;
}
