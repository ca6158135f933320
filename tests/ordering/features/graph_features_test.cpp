// Features of graphs before they are ordered.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/features/graph_features.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "kauri/extras/generate.hpp"
#include "support/process/seeds.hpp"
#include "support/systems/graph_families.hpp"

namespace kauri::ordering {
namespace {

using namespace kauri::test;

TEST(HangingShare, CountsVerticesOfAtMostTwoNeighbours) {
  EXPECT_EQ(hanging_share(view_of(Graph())), 0);
  EXPECT_EQ(hanging_share(view_of(path(1))), 1);
  EXPECT_EQ(hanging_share(view_of(path(100))), 1);
  EXPECT_EQ(hanging_share(view_of(star(10))), 0.9);
  EXPECT_EQ(hanging_share(view_of(clique(4))), 0);
  EXPECT_EQ(hanging_share(view_of(grid(10, 10, 1))), 0.04);
}

TEST(DegreeSpread, IsThatOfTheNumbersOfNeighbours) {
  const DegreeSpread none = degree_spread(view_of(Graph()));
  EXPECT_TRUE(none.mean == 0 && none.deviation == 0 && none.most == 0 && none.commonest == 0);
  const DegreeSpread alone = degree_spread(view_of(path(1)));
  EXPECT_TRUE(alone.mean == 0 && alone.deviation == 0 && alone.most == 0 && alone.commonest == 1);
  const DegreeSpread rays = degree_spread(view_of(star(10)));
  EXPECT_EQ(rays.mean, 1.8);
  EXPECT_DOUBLE_EQ(rays.deviation, 2.4);  // nine of 1, one of 9
  EXPECT_EQ(rays.most, 9);
  EXPECT_EQ(rays.commonest, 0.9);
  const DegreeSpread all = degree_spread(view_of(clique(7)));
  EXPECT_TRUE(all.mean == 6 && all.deviation == 0 && all.most == 6 && all.commonest == 1);
  for (std::uint64_t seed = 0; seed < seeds(100); ++seed) {
    const Graph graph = any_graph(seed);
    if (graph.size() == 0) continue;
    const DegreeSpread spread = degree_spread(view_of(graph));
    std::map<Index, Index> count;
    double mean = 0, squares = 0;
    for (Index v = 0; v < graph.size(); ++v) ++count[graph.degree(v)], mean += graph.degree(v);
    mean /= graph.size();
    for (Index v = 0; v < graph.size(); ++v)
      squares += (graph.degree(v) - mean) * (graph.degree(v) - mean);
    Index commonest = 0;
    for (const auto& [degree, vertices] : count) commonest = std::max(commonest, vertices);
    EXPECT_NEAR(spread.mean, mean, 1e-12 * mean) << seed;
    EXPECT_NEAR(spread.deviation, std::sqrt(squares / graph.size()), 1e-6 * (1 + mean)) << seed;
    EXPECT_EQ(spread.most, count.rbegin()->first) << seed;
    EXPECT_EQ(spread.commonest, static_cast<double>(commonest) / graph.size()) << seed;
  }
}

TEST(DegreeSpread, TellsHubsLatticesAndIrregularMeshes) {
  const auto hubs = [](const Graph& graph) { return has_hubs(degree_spread(view_of(graph))); };
  const auto irregular = [](const Graph& graph) {
    return is_irregular_mesh(degree_spread(view_of(graph)));
  };
  const auto regular = [](const Graph& graph) { return is_lattice(degree_spread(view_of(graph))); };
  EXPECT_TRUE(hubs(star(40)));
  EXPECT_FALSE(hubs(star(20)));  // 19 neighbours, 1.9 on average
  for (const Graph& lattice : {grid(40, 40, 1), grid(12, 12, 12), path(100)})
    EXPECT_TRUE(!hubs(lattice) && !irregular(lattice) && regular(lattice));
  for (const char* spec : {"rgg3d 5000 12 1", "rgg3d 5000 6 1", "tri2d 5000 1"}) {
    const Graph mesh(generate(spec).pattern());
    EXPECT_TRUE(!hubs(mesh) && irregular(mesh) && !regular(mesh)) << spec;
  }
  const Graph tree(generate("tree 5000 1").pattern());
  EXPECT_FALSE(irregular(tree) || irregular(star(100)) || irregular(Graph()));
  EXPECT_FALSE(regular(tree) || regular(star(100)) || regular(Graph()));
}

TEST(GrowthDimension, IsThatOfBallsAroundVertices) {
  EXPECT_EQ(growth_dimension(view_of(Graph())), 0);
  EXPECT_EQ(growth_dimension(view_of(path(1))), 0);
  EXPECT_EQ(growth_dimension(view_of(clique(9))), 0);
  for (std::uint64_t seed = 0; seed < seeds(100); ++seed) {
    const Graph graph = any_graph(seed);
    const Index n = graph.size();
    double inner = 0, outer = 0;
    for (Index k = 0; k < std::min<Index>(n, 32); ++k) {
      std::vector<int> distance(static_cast<std::size_t>(n), 5);
      distance[k * n / std::min<Index>(n, 32)] = 0;
      for (int d = 0; d < 4; ++d)
        for (Index v = 0; v < n; ++v)
          if (distance[v] == d)
            for (const Index u : graph.neighbours(v)) distance[u] = std::min(distance[u], d + 1);
      for (const int d : distance) inner += d <= 2 ? 1 : 0, outer += d <= 4 ? 1 : 0;
    }
    EXPECT_EQ(growth_dimension(view_of(graph)), n == 0 ? 0 : std::log2(outer / inner)) << seed;
  }
}

TEST(GrowthDimension, TellsSurfacesFromBodies) {
  const auto of = [](const std::string& spec) {
    return growth_dimension(view_of(Graph(generate(spec).pattern())));
  };
  for (const char* surface : {"poisson2d 60", "shell2d 60", "tri2d 5000 1"})
    EXPECT_LT(of(surface), 2) << surface;
  for (const char* body : {"poisson3d 40", "lap27 30", "rgg3d 40000 6 1", "rgg3d 40000 12 1"})
    EXPECT_GT(of(body), 2) << body;
}

TEST(LevelWidth, IsMeasuredFromAnEnd) {
  EXPECT_EQ(level_width(view_of(path(1))), 1);
  EXPECT_EQ(level_width(view_of(path(57))), 1);
  EXPECT_EQ(level_width(view_of(grid(10, 20, 1))), 200.0 / 29);
  EXPECT_EQ(level_width(view_of(grid(5, 6, 7))), 210.0 / 16);
  EXPECT_EQ(level_width(view_of(clique(8))), 4);
  EXPECT_EQ(level_width(view_of(star(9))), 3);  // from one ray to the others
}

}  // namespace
}  // namespace kauri::ordering
