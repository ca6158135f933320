// Features of a graph: statistics of degrees, the width of breadth-first levels, and the growth of
// neighbourhoods.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/features/graph_features.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ordering/separation/level_sets.hpp"

namespace kauri::ordering {
namespace {

constexpr double kHub = 16;

/// kSame: measured shares `commonest` are 0.1 to 0.45 in meshes of tetrahedra and random geometric
/// graphs, 0.6 to 1 in lattices of any stencil. kAlike: measured deviations divided by the mean are
/// 0.05 to 0.3 in both, and 0.3 or more in meshes of several kinds of elements, power grids and
/// pose graphs.
constexpr double kSame = 0.5, kAlike = 0.4;

constexpr Index kBalls = 32;
constexpr Offset kMostVisits = 100000;  // most neighbours visited in excess of the graph's edges:
                                        // each ball may be all of a small graph

}  // namespace

double hanging_share(const GraphView& graph) {
  const Index n = graph.size();
  Index hanging = 0;
  for (Index v = 0; v < n; ++v) hanging += graph.degree(v) <= 2 ? 1 : 0;
  return n == 0 ? 0 : static_cast<double>(hanging) / n;
}

DegreeSpread degree_spread(const GraphView& graph) {
  const Index n = graph.size();
  if (n == 0) return {};
  std::vector<Index> count;  // by degree: number of vertices
  double squares = 0;
  for (Index v = 0; v < n; ++v) {
    const auto degree = static_cast<std::size_t>(graph.degree(v));
    if (degree >= count.size()) count.resize(std::max(degree + 1, 2 * count.size()));
    ++count[degree];
    squares += static_cast<double>(degree) * static_cast<double>(degree);
  }
  while (count.back() == 0) count.pop_back();
  const double mean = static_cast<double>(graph.edges()) / n;
  return {.mean = mean,
          .deviation = std::sqrt(std::max(0.0, squares / n - mean * mean)),
          .most = static_cast<double>(count.size() - 1),
          .commonest = static_cast<double>(*std::max_element(count.begin(), count.end())) / n};
}

bool has_hubs(const DegreeSpread& spread) { return spread.most > kHub * spread.mean; }

bool is_irregular_mesh(const DegreeSpread& spread) {
  return spread.commonest < kSame && spread.deviation < kAlike * spread.mean;
}

bool is_lattice(const DegreeSpread& spread) {
  return spread.commonest >= kSame && spread.deviation < kAlike * spread.mean;
}

double level_width(const GraphView& graph) {
  dissection::LevelSetWorkspace workspace;
  const Index end = dissection::breadth_first(graph, 0, workspace).farthest;
  return static_cast<double>(graph.size()) /
         dissection::breadth_first(graph, end, workspace).levels();
}

double growth_dimension(const GraphView& graph) {
  const Index n = graph.size(), balls = std::min(n, kBalls);
  std::vector<char> seen(static_cast<std::size_t>(n), 0);
  std::vector<Index> ball;
  double inner = 0, outer = 0;  // vertices within two and within four edges, all balls together
  Offset visits = 0;
  for (Index k = 0; k < balls; ++k) {
    ball.assign(1, static_cast<Index>(Offset{n} * k / balls));
    seen[ball[0]] = 1;
    std::size_t begin = 0;
    for (int distance = 1; distance <= 4; ++distance) {
      for (const std::size_t end = ball.size(); begin < end; ++begin) {
        visits += graph.degree(ball[begin]);
        if (visits > kMostVisits + graph.edges()) return std::numeric_limits<double>::infinity();
        for (const Index u : graph.neighbours(ball[begin]))
          if (seen[u] == 0) {
            seen[u] = 1;
            ball.push_back(u);
          }
      }
      if (distance == 2) inner += static_cast<double>(ball.size());
    }
    outer += static_cast<double>(ball.size());
    for (const Index v : ball) seen[v] = 0;
  }
  return n == 0 ? 0 : std::log2(outer / inner);
}

}  // namespace kauri::ordering
