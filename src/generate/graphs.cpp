// Laplacians of random planar graphs: triangulations and near-trees.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/common/disjoint_sets.hpp"
#include "src/generate/kinds.hpp"
#include "src/generate/rng.hpp"

namespace kauri::gen {
namespace {

/// Points of a square grid, row by row; the last row may be cut short.
struct PlaneGrid {
  explicit PlaneGrid(Index count)
      : n(count),
        width(std::max<Index>(1, static_cast<Index>(std::sqrt(static_cast<double>(count))))) {}
  [[nodiscard]] bool has_right(Index i) const { return i % width + 1 < width && i + 1 < n; }
  [[nodiscard]] bool has_above(Index i) const { return i < n - width; }
  [[nodiscard]] bool has_diagonal(Index i) const { return has_right(i) && i < n - width - 1; }
  Index n;
  Index width;
};

}  // namespace

Columns tri2d(Index n, std::uint64_t seed, double shift) {
  const PlaneGrid grid(n);
  Rng rng(seed);
  std::vector<std::array<double, 2>> at(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    const Index column = i % grid.width, row = i / grid.width;
    at[i][0] = column + 0.7 * (rng.uniform() - 0.5);
    at[i][1] = row + 0.7 * (rng.uniform() - 0.5);
  }
  std::vector<Edge> edges;
  edges.reserve(3 * static_cast<std::size_t>(n));
  const auto join = [&](Index u, Index v) {
    edges.push_back({u, v, 1.0 / std::hypot(at[u][0] - at[v][0], at[u][1] - at[v][1])});
  };
  for (Index i = 0; i < n; ++i) {
    const Index above = grid.has_above(i) ? i + grid.width : kNone;
    if (grid.has_right(i)) join(i, i + 1);
    if (above != kNone) join(i, above);
    if (!grid.has_diagonal(i)) continue;
    if (rng.next() % 2 == 1)
      join(i, above + 1);
    else
      join(i + 1, above);
  }
  return laplacian(n, edges, shift);
}

Columns tree(Index n, std::uint64_t seed, double far, double shift) {
  const PlaneGrid grid(n);
  Rng rng(seed);
  std::vector<std::array<Index, 2>> line;
  line.reserve(2 * static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    if (grid.has_right(i)) line.push_back({i, i + 1});
    if (grid.has_above(i)) line.push_back({i, i + grid.width});
  }
  shuffle(line, rng);
  std::vector<Index> name(static_cast<std::size_t>(n));
  std::iota(name.begin(), name.end(), 0);
  shuffle(name, rng);

  const Index extra = n / 10;
  const auto distant = static_cast<Index>(far * static_cast<double>(extra));
  Index loops_left = extra - distant;
  DisjointSets parts(n);
  std::vector<Edge> edges;
  edges.reserve(static_cast<std::size_t>(n) + extra);
  for (const auto& [u, v] : line) {
    if (!parts.unite(u, v)) {
      if (loops_left == 0) continue;
      --loops_left;
    }
    edges.push_back({name[u], name[v], 0.5 + 1.5 * rng.uniform()});
  }
  for (Index k = 0; k < distant; ++k) {
    const auto u = static_cast<Index>(rng.below(n)), v = static_cast<Index>(rng.below(n));
    if (u != v) edges.push_back({u, v, 1.0});
  }
  return laplacian(n, edges, shift);
}

}  // namespace kauri::gen
