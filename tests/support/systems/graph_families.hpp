// Graphs for tests: random ones and families with a known shape.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "kauri/core/graph.hpp"
#include "kauri/core/permutation.hpp"
#include "tests/support/systems/graphs.hpp"

namespace kauri::test {

/// Returns a number in 0 .. bound-1, the same on every platform.
inline Index below(std::mt19937& random, Index bound) {
  return static_cast<Index>(random() % static_cast<std::uint32_t>(bound));
}

inline std::vector<Index> random_permutation(Index n, std::mt19937& random) {
  std::vector<Index> p(static_cast<std::size_t>(n));
  std::iota(p.begin(), p.end(), 0);
  for (Index k = n - 1; k > 0; --k) std::swap(p[k], p[below(random, k + 1)]);
  return p;
}

inline Graph renumbered(const Graph& graph, const std::vector<Index>& name) {
  std::vector<Edge> edges;
  for (Index v = 0; v < graph.size(); ++v)
    for (const Index u : graph.neighbours(v)) edges.emplace_back(name[v], name[u]);
  return graph_of(graph.size(), edges);
}

/// Returns a grid of nx * ny * nz points; `reach` 1: neighbours along axes, 3: diagonals as well
/// (27 points).
inline Graph grid(Index nx, Index ny, Index nz, Index reach = 1) {
  std::vector<Edge> edges;
  const auto id = [&](Index x, Index y, Index z) { return (z * ny + y) * nx + x; };
  for (Index z = 0; z < nz; ++z)
    for (Index y = 0; y < ny; ++y)
      for (Index x = 0; x < nx; ++x)
        for (Index dz = -1; dz <= 1; ++dz)
          for (Index dy = -1; dy <= 1; ++dy)
            for (Index dx = -1; dx <= 1; ++dx) {
              const Index a = x + dx, b = y + dy, c = z + dz;
              if (a < 0 || b < 0 || c < 0 || a >= nx || b >= ny || c >= nz ||
                  dx * dx + dy * dy + dz * dz > reach)
                continue;
              edges.emplace_back(id(x, y, z), id(a, b, c));
            }
  return graph_of(nx * ny * nz, edges);
}
/// Returns a hub with n leaves, and a chain of n vertices, each of which is joined to one leaf: no
/// two leaves have the same neighbours.
inline Graph hub_and_chain(Index n) {
  std::vector<Edge> edges;
  for (Index k = 0; k < n; ++k) {
    edges.emplace_back(0, 1 + k);
    edges.emplace_back(1 + k, 1 + n + k);
    if (k > 0) edges.emplace_back(n + k, 1 + n + k);
  }
  return graph_of(2 * n + 1, edges);
}

/// Returns one of many shapes by seed, with at most max_n vertices: sparse and dense random,
/// forests, grids, overlapping cliques, copies of vertices, several components; in a random
/// numbering.
inline Graph random_graph(std::uint32_t seed, Index max_n) {
  std::mt19937 random(seed);
  const Index n = 1 + below(random, max_n);
  std::vector<Edge> edges;
  const auto any = [&] { return below(random, n); };
  switch (seed % 7) {
    case 0:  // sparse
      for (Index k = below(random, 3 * n + 1); k > 0; --k) edges.emplace_back(any(), any());
      break;
    case 1:  // dense
      for (Index k = below(random, n * n / 2 + 1); k > 0; --k) edges.emplace_back(any(), any());
      break;
    case 2:  // a forest and a few more edges
      for (Index v = 1; v < n; ++v)
        if (below(random, 10) > 0) edges.emplace_back(v, below(random, v));
      for (Index k = below(random, n / 4 + 1); k > 0; --k) edges.emplace_back(any(), any());
      break;
    case 3: {  // grid
      const Index width = 1 + below(random, 8);
      for (Index v = 0; v < n; ++v) {
        if (v % width > 0) edges.emplace_back(v, v - 1);
        if (v >= width) edges.emplace_back(v, v - width);
      }
      break;
    }
    case 4:  // overlapping cliques
      for (Index k = 1 + below(random, n); k > 0; --k) {
        std::vector<Index> members(static_cast<std::size_t>(2 + below(random, 5)));
        for (Index& v : members) v = any();
        for (const Index u : members)
          for (const Index v : members) edges.emplace_back(u, v);
      }
      break;
    case 5:  // groups of 3 indistinguishable vertices on a sparse graph
      for (Index k = below(random, n + 1); k > 0; --k) {
        const Index u = any() / 3 * 3, v = any() / 3 * 3;
        for (Index a = u; a < std::min(u + 3, n); ++a)
          for (Index b = v; b < std::min(v + 3, n); ++b) edges.emplace_back(a, b);
      }
      break;
    default:  // hubs on a chain
      for (Index v = 1; v < n; ++v) edges.emplace_back(v - 1, v);
      for (Index k = below(random, 2 * n + 1); k > 0; --k)
        edges.emplace_back(any(), below(random, std::min<Index>(n, 3)));
      break;
  }
  return renumbered(graph_of(n, edges), random_permutation(n, random));
}

}  // namespace kauri::test
