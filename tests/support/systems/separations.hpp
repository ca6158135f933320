// Weighted graphs and separations of them, for the parts of nested dissection.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ordering/graph/graph_view.hpp"
#include "ordering/separation/separation.hpp"
#include "support/systems/graphs.hpp"

namespace kauri::test {

/// A graph with weights, or without if `weight` is empty.
struct WeightedGraph {
  Graph graph;
  std::vector<Index> weight;

  [[nodiscard]] ordering::GraphView view() const {
    return {graph.ptr(), graph.adjacency(), weight};
  }
  [[nodiscard]] Index size() const { return graph.size(); }
};

/// Adds no weights for one seed of three, else weights of 1 to 5 and, from time to time, of up to a
/// thousand.
inline WeightedGraph with_weights(Graph graph, std::uint64_t seed) {
  WeightedGraph weighted{std::move(graph), {}};
  if (seed % 3 == 0) return weighted;
  std::mt19937_64 random(seed);
  const std::uint64_t most = seed % 3 == 1 ? 5 : 1000;
  for (Index v = 0; v < weighted.size(); ++v)
    weighted.weight.push_back(
        1 + static_cast<Index>(random() % (random() % 4 == 0 ? most : std::uint64_t{5})));
  return weighted;
}

/// Returns points in the unit square; points nearer than `radius` to each other are joined.
inline Graph geometric_graph(Index n, double radius, std::mt19937_64& random) {
  std::vector<std::pair<double, double>> at;
  const auto draw = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  for (Index v = 0; v < n; ++v) {
    const double x = draw();
    at.emplace_back(x, draw());
  }
  std::vector<Edge> edges;
  for (Index v = 0; v < n; ++v)
    for (Index u = 0; u < v; ++u) {
      const double x = at[u].first - at[v].first, y = at[u].second - at[v].second;
      if (x * x + y * y < radius * radius) edges.emplace_back(u, v);
    }
  return graph_of(n, edges);
}

/// Returns a tree in which each vertex but the first is joined to one of the `reach` vertices
/// before it: 1 gives a path, n any tree.
inline Graph random_tree(Index n, Index reach, std::mt19937_64& random) {
  std::vector<Edge> edges;
  for (Index v = 1; v < n; ++v)
    edges.emplace_back(
        v - 1 - static_cast<Index>(random() % static_cast<std::uint64_t>(std::min(v, reach))), v);
  return graph_of(n, edges);
}

/// Returns a complete bipartite graph.
inline Graph bipartite(Index left, Index right) {
  std::vector<Edge> edges;
  for (Index u = 0; u < left; ++u)
    for (Index v = 0; v < right; ++v) edges.emplace_back(u, left + v);
  return graph_of(left + right, edges);
}

/// Returns the points of a box, numbered along x first, joined along the axes.
inline Graph box_graph(Index x, Index y, Index z) {
  std::vector<Edge> edges;
  for (Index v = 0; v < x * y * z; ++v) {
    if (v % x > 0) edges.emplace_back(v - 1, v);
    if (v / x % y > 0) edges.emplace_back(v - x, v);
    if (v / (x * y) > 0) edges.emplace_back(v - x * y, v);
  }
  return graph_of(x * y * z, edges);
}

/// Returns a graph of a family by seed with 2 to about `most` vertices: irregular, regular, thin
/// and thick, connected or not.
inline Graph graph_to_divide(std::uint64_t seed, Index most) {
  std::mt19937_64 random(seed);
  const auto from_to = [&](Index a, Index b) {
    return a + static_cast<Index>(random() % static_cast<std::uint64_t>(std::max(b, a) - a + 1));
  };
  const Index n = from_to(2, most);
  Index side = 2;
  while ((side + 1) * (side + 1) <= n) ++side;
  switch (seed / 3 % 12) {  // seed % 3 selects the weights
    case 0:
      return geometric_graph(n, 1.7 / static_cast<double>(side), random);
    case 1:
      return shuffled(grid(side, from_to(2, side)), random);
    case 2:
      return random_graph(n, 2 * n, random);
    case 3:
      return random_graph(n, from_to(0, n), random);
    case 4:
      return shuffled(star(n, n / 2), random);
    case 5:
      return shuffled(path(n), random);
    case 6:
      return clique(std::min<Index>(n, 60));
    case 7:
      return shuffled(random_tree(n, n, random), random);
    case 8:
      return bipartite(from_to(1, 20), std::max(n / 4, 1));
    case 9:
      return shuffled(
          side_by_side({grid(side / 2 + 1, side / 2 + 1), path(n / 4 + 1), star(n / 4 + 1)}),
          random);
    case 10:
      return shuffled(random_tree(n, 5, random), random);
    default:
      return box_graph(from_to(2, 6), from_to(2, 6), std::max(n / 36, 2));
  }
}

/// Recounts the weights of the parts.
inline ordering::dissection::PartWeights recounted(const ordering::GraphView& graph,
                                                   const std::vector<std::uint8_t>& side) {
  ordering::dissection::PartWeights sum{};
  for (Index v = 0; v < graph.size(); ++v) sum.at(side[v]) += graph.weight_of(v);
  return sum;
}

/// Returns what is wrong with a separation, or "".
inline std::string flaw_of(const ordering::GraphView& graph,
                           const ordering::dissection::Separation& s) {
  using namespace ordering::dissection;
  if (s.side.size() != static_cast<std::size_t>(graph.size())) return "length";
  for (Index v = 0; v < graph.size(); ++v) {
    if (s.side[v] > kSeparator) return "no such side";
    for (const Index u : graph.neighbours(v))
      if (s.side[u] != s.side[v] && s.side[u] != kSeparator && s.side[v] != kSeparator)
        return "an edge joins left and right";
  }
  return recounted(graph, s.side) == s.weight ? "" : "weights";
}

/// Returns a random separation: vertices go left or right by a breadth-first order or
/// independently, and one end of each edge between the sides becomes separator.
inline ordering::dissection::Separation random_separation(const ordering::GraphView& graph,
                                                          std::mt19937_64& random) {
  using namespace ordering::dissection;
  const auto n = static_cast<std::size_t>(graph.size());
  Separation s{std::vector<Side>(n, kRight), {}};
  if (random() % 3 == 0) {
    for (Side& side : s.side) side = random() % 2;
  } else {
    std::vector<Index> order;
    std::vector<char> met(n, 0);
    for (const Index start : random_numbering(graph.size(), random)) {
      if (!met[start]) order.push_back(start), met[start] = 1;
      for (std::size_t head = order.size() - 1; head < order.size(); ++head)
        for (const Index u : graph.neighbours(order[head]))
          if (!met[u]) order.push_back(u), met[u] = 1;
    }
    const std::size_t cut = random() % (n + 1);
    for (std::size_t k = 0; k < cut; ++k) s.side[order[k]] = kLeft;
  }
  for (Index v = 0; v < graph.size(); ++v)
    for (const Index u : graph.neighbours(v))
      if (s.side[v] != s.side[u] && s.side[v] != kSeparator && s.side[u] != kSeparator)
        s.side[random() % 2 ? u : v] = kSeparator;
  s.weight = recounted(graph, s.side);
  return s;
}

}  // namespace kauri::test
