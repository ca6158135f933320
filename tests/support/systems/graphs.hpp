// Graphs for tests: small families, random ones, and the naive elimination game as the oracle of
// fill.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "kauri/core/graph.hpp"

namespace kauri::test {

using Edge = std::pair<Index, Index>;

/// Returns the graph of these edges without loops and repeats.
inline Graph graph_of(Index n, const std::vector<Edge>& edges) {
  std::vector<std::vector<Index>> list(static_cast<std::size_t>(n));
  for (const auto& [u, v] : edges)
    if (u != v) {
      list[u].push_back(v);
      list[v].push_back(u);
    }
  std::vector<Offset> ptr{0};
  std::vector<Index> adjacency;
  for (auto& l : list) {
    std::sort(l.begin(), l.end());
    l.erase(std::unique(l.begin(), l.end()), l.end());
    adjacency.insert(adjacency.end(), l.begin(), l.end());
    ptr.push_back(static_cast<Offset>(adjacency.size()));
  }
  return Graph(std::move(ptr), std::move(adjacency));
}

inline std::vector<Edge> edges_of(const Graph& graph) {
  std::vector<Edge> edges;
  for (Index v = 0; v < graph.size(); ++v)
    for (const Index u : graph.neighbours(v))
      if (u < v) edges.emplace_back(u, v);
  return edges;
}

/// Returns vertex v and its neighbours, restricted to those in `kept`; an empty `kept` keeps all.
inline std::set<Index> closed_neighbourhood(const Graph& graph, Index v,
                                            const std::vector<char>& kept = {}) {
  std::set<Index> closed{v};
  for (const Index u : graph.neighbours(v))
    if (kept.empty() || kept[u]) closed.insert(u);
  return closed;
}

inline Graph path(Index n) {
  std::vector<Edge> edges;
  for (Index v = 1; v < n; ++v) edges.emplace_back(v - 1, v);
  return graph_of(n, edges);
}

/// Returns a star: vertex `hub` is adjacent to all others.
inline Graph star(Index n, Index hub = 0) {
  std::vector<Edge> edges;
  for (Index v = 0; v < n; ++v) edges.emplace_back(hub, v);
  return graph_of(n, edges);
}

inline Graph clique(Index n) {
  std::vector<Edge> edges;
  for (Index v = 0; v < n; ++v)
    for (Index u = 0; u < v; ++u) edges.emplace_back(u, v);
  return graph_of(n, edges);
}

/// Returns a five-point grid, numbered row by row.
inline Graph grid(Index rows, Index columns) {
  std::vector<Edge> edges;
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j) {
      if (i > 0) edges.emplace_back((i - 1) * columns + j, i * columns + j);
      if (j > 0) edges.emplace_back(i * columns + j - 1, i * columns + j);
    }
  return graph_of(rows * columns, edges);
}

/// Returns a graph of `count` edges, drawn with repetition.
inline Graph random_graph(Index n, Index count, std::mt19937_64& random) {
  std::vector<Edge> edges;
  std::uniform_int_distribution<Index> vertex(0, std::max(n - 1, 0));
  for (Index k = 0; k < count && n > 0; ++k) edges.emplace_back(vertex(random), vertex(random));
  return graph_of(n, edges);
}

/// Returns the graph in which each vertex v becomes copies[v] vertices adjacent to each other and
/// to all copies of v's neighbours, numbered consecutively.
inline Graph expanded(const Graph& graph, std::span<const Index> copies) {
  std::vector<Index> first(copies.size() + 1, 0);
  std::partial_sum(copies.begin(), copies.end(), first.begin() + 1);
  std::vector<Edge> edges;
  const auto join = [&](Index u, Index v) {
    for (Index i = first[u]; i < first[u + 1]; ++i)
      for (Index j = first[v]; j < first[v + 1]; ++j) edges.emplace_back(i, j);
  };
  for (Index v = 0; v < graph.size(); ++v) join(v, v);
  for (const auto& [u, v] : edges_of(graph)) join(u, v);
  return graph_of(first.back(), edges);
}

/// Returns the union of the graphs, numbered in this order.
inline Graph side_by_side(const std::vector<Graph>& parts) {
  std::vector<Edge> edges;
  Index n = 0;
  for (const Graph& part : parts) {
    for (const auto& [u, v] : edges_of(part)) edges.emplace_back(u + n, v + n);
    n += part.size();
  }
  return graph_of(n, edges);
}

inline std::vector<Index> random_numbering(Index n, std::mt19937_64& random) {
  std::vector<Index> name(static_cast<std::size_t>(n));
  std::iota(name.begin(), name.end(), 0);
  std::shuffle(name.begin(), name.end(), random);
  return name;
}

inline Graph shuffled(const Graph& graph, std::mt19937_64& random) {
  const auto name = random_numbering(graph.size(), random);
  auto edges = edges_of(graph);
  for (auto& [u, v] : edges) u = name[u], v = name[v];
  return graph_of(graph.size(), edges);
}

/// Returns a small graph of a family that the seed selects: sparse to dense, with twins, with a
/// hub, regular, disconnected; n from 0 to about 60.
inline Graph any_graph(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto up_to = [&](Index most) {
    return std::uniform_int_distribution<Index>(0, most)(random);
  };
  switch (seed % 8) {
    case 0:
      return random_graph(up_to(12), up_to(20), random);
    case 1:
      return random_graph(up_to(60), up_to(80), random);
    case 2:
      return random_graph(up_to(40), up_to(400), random);
    case 3:
      return shuffled(grid(1 + up_to(7), 1 + up_to(7)), random);
    case 4: {
      const Graph base = random_graph(1 + up_to(15), up_to(30), random);
      std::vector<Index> copies(static_cast<std::size_t>(base.size()));
      for (Index& c : copies) c = 1 + up_to(3);
      return shuffled(expanded(base, copies), random);
    }
    case 5: {
      auto edges = edges_of(random_graph(30 + up_to(30), up_to(60), random));
      for (Index k = 0; k < 30; ++k) edges.emplace_back(up_to(1), k);
      return graph_of(60, edges);
    }
    case 6:
      return shuffled(side_by_side({path(up_to(9)), star(1 + up_to(20)), clique(up_to(7)),
                                    random_graph(up_to(20), up_to(30), random), path(1)}),
                      random);
    default:
      return shuffled(side_by_side({grid(1 + up_to(4), 1 + up_to(5)),
                                    grid(1 + up_to(4), 1 + up_to(5)), Graph()}),
                      random);
  }
}

/// Returns the column counts of L, including the diagonal, by the elimination game on a dense 0/1
/// matrix. O(n^3).
inline std::vector<Index> elimination_game(const Graph& graph, std::span<const Index> old_of) {
  const Index n = graph.size();
  std::vector<std::vector<char>> adjacent(static_cast<std::size_t>(n),
                                          std::vector<char>(static_cast<std::size_t>(n), 0));
  for (Index v = 0; v < n; ++v)
    for (const Index u : graph.neighbours(v)) adjacent[v][u] = 1;
  std::vector<Index> count;
  for (Index k = 0; k < n; ++k) {
    std::vector<Index> later;
    for (Index l = k + 1; l < n; ++l)
      if (adjacent[old_of[k]][old_of[l]]) later.push_back(old_of[l]);
    for (const Index u : later)
      for (const Index v : later) adjacent[u][v] = 1;
    count.push_back(1 + static_cast<Index>(later.size()));
  }
  return count;
}

inline Offset naive_fill(const Graph& graph, std::span<const Index> old_of) {
  const auto count = elimination_game(graph, old_of);
  return std::accumulate(count.begin(), count.end(), Offset{0});
}

}  // namespace kauri::test
