// Smooths a noisy sphere of triangles by one implicit step of diffusion, (I + t L) X = X0, with L
// the Laplacian of the mesh's graph: one factor, and x, y and z of all vertices as three right-hand
// sides at once.
// SPDX-License-Identifier: BSD-3-Clause
#include <kauri/kauri.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace {

using kauri::Index;
using Point = std::array<double, 3>;

struct Mesh {
  std::vector<Point> vertex;
  std::vector<std::array<Index, 3>> triangle;
};

Point on_sphere(const Point& p) {
  const double r = std::hypot(p[0], p[1], p[2]);
  return {p[0] / r, p[1] / r, p[2] / r};
}

Mesh octahedron() {
  return {{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}},
          {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}};
}

/// Returns the mesh with each triangle split into four; the new vertices lie on the unit sphere.
Mesh finer(Mesh mesh) {
  std::map<std::pair<Index, Index>, Index> middle;
  const auto between = [&](Index a, Index b) {
    const auto [found, is_new] =
        middle.try_emplace(std::minmax(a, b), static_cast<Index>(mesh.vertex.size()));
    const Point p = mesh.vertex[a], q = mesh.vertex[b];
    if (is_new) mesh.vertex.push_back(on_sphere({p[0] + q[0], p[1] + q[1], p[2] + q[2]}));
    return found->second;
  };
  std::vector<std::array<Index, 3>> fine;
  for (const auto& [a, b, c] : mesh.triangle) {
    const Index ab = between(a, b), bc = between(b, c), ca = between(c, a);
    fine.insert(fine.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
  }
  mesh.triangle = std::move(fine);
  return mesh;
}

/// Returns I + t L: 1 + t times the number of neighbours on the diagonal, -t for each edge.
kauri::SymmetricMatrix<double> diffusion(const Mesh& mesh, double t) {
  std::set<std::pair<Index, Index>> edges;
  for (const auto& [a, b, c] : mesh.triangle)
    edges.insert({std::minmax(a, b), std::minmax(b, c), std::minmax(c, a)});
  std::vector<Index> row, col;
  std::vector<double> value;
  const auto add = [&](Index i, Index j, double v) {
    row.push_back(i);
    col.push_back(j);
    value.push_back(v);
  };
  const auto n = static_cast<Index>(mesh.vertex.size());
  for (Index v = 0; v < n; ++v) add(v, v, 1);
  for (const auto& [low, high] : edges) {
    add(low, low, t);
    add(high, high, t);
    add(high, low, -t);
  }
  return kauri::SymmetricMatrix<double>::from_triplets(n, row, col, value, kauri::Storage::lower);
}

/// Returns the root mean square deviation of the vertices' distances from their mean radius; x
/// holds x, y and z of all vertices one after another.
double roughness(const std::vector<double>& x) {
  const std::size_t n = x.size() / 3;
  double sum = 0, squares = 0;
  for (std::size_t v = 0; v < n; ++v) {
    const double r = std::hypot(x[v], x[v + n], x[v + 2 * n]);
    sum += r;
    squares += r * r;
  }
  return std::sqrt(std::max(0.0, squares / n - sum / n * (sum / n)));
}

}  // namespace

int main() {
  Mesh mesh = octahedron();
  for (int level = 0; level < 6; ++level) mesh = finer(std::move(mesh));
  const auto n = static_cast<Index>(mesh.vertex.size());

  std::mt19937 random(1);
  std::vector<double> x(3 * mesh.vertex.size());
  for (Index v = 0; v < n; ++v) {
    const double radius = 1 + 0.1 * (random() / 4294967296.0 - 0.5);
    for (Index d = 0; d < 3; ++d) x[v + d * n] = radius * mesh.vertex[v][d];
  }
  const double before = roughness(x), sum_before = std::accumulate(x.begin(), x.end(), 0.0);

  const auto a = diffusion(mesh, 4);
  kauri::Solver<double> solver;
  if (const auto done = solver.compute(a.view()); !done) {
    std::printf("%s\n", kauri::describe(done.error()).c_str());
    return 2;
  }
  solver.solve(kauri::MatrixView<double>{x.data(), n, 3, n});

  // The columns of L add up to zero, so no step moves the centroid of the vertices.
  const double after = roughness(x),
               drift = std::fabs(std::accumulate(x.begin(), x.end(), 0.0) - sum_before) / n;
  std::printf("%d vertices, %zu triangles\n", n, mesh.triangle.size());
  std::printf("roughness %.5f before, %.5f after; the centre moved by %.1e\n", before, after,
              drift);
  return after < before / 5 && drift < 1e-12 ? 0 : 1;
}
