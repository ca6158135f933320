// Reverse Cuthill-McKee: known bandwidths, and the definition checked step by step.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/rcm/rcm.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "kauri/core/ordering.hpp"
#include "kauri/core/permutation.hpp"
#include "ordering/graph/reduce.hpp"
#include "support/systems/graphs.hpp"

namespace kauri::ordering {
namespace {

using namespace kauri::test;

std::vector<Index> rcm(const GraphView& view, RcmWorkspace& workspace) {
  std::vector<Index> order(static_cast<std::size_t>(view.size()));
  reverse_cuthill_mckee(view, workspace, order);
  return order;
}

Index bandwidth(const Graph& graph, const Permutation& p) {
  Index width = 0;
  for (Index v = 0; v < graph.size(); ++v)
    for (const Index u : graph.neighbours(v))
      width = std::max(width, std::abs(p.new_of(u) - p.new_of(v)));
  return width;
}

TEST(Rcm, PathHasBandwidthOne) {
  std::mt19937_64 random(1);
  for (const Index n : {2, 3, 4, 10, 77, 1000}) {
    const Graph graph = shuffled(path(n), random);
    EXPECT_EQ(bandwidth(graph, order(graph, {.method = OrderingMethod::rcm})), 1) << n;
  }
}

TEST(Rcm, GridHasBandwidthNearItsShorterSide) {
  std::mt19937_64 random(2);
  for (const auto& [rows, columns] :
       std::vector<std::pair<Index, Index>>{{3, 40}, {10, 10}, {17, 50}, {60, 8}}) {
    const Graph graph = shuffled(grid(rows, columns), random);
    EXPECT_LE(bandwidth(graph, order(graph, {.method = OrderingMethod::rcm})),
              std::min(rows, columns) + 1)
        << rows << " x " << columns;
  }
}

// The reversed order is a breadth-first search that appends the new neighbours of the current
// vertex by degree.
TEST(Rcm, FollowsTheDefinition) {
  RcmWorkspace workspace;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Graph graph = any_graph(seed);
    const Reduction reduction(graph, false, 0);
    for (Index c = 0; c < reduction.components(); ++c) {
      const GraphView view = reduction.component(c);
      auto order = rcm(view, workspace);
      std::reverse(order.begin(), order.end());
      std::vector<char> seen(order.size(), 0);
      std::vector<Index> expected{order.front()};
      seen[order.front()] = 1;
      for (std::size_t k = 0; k < expected.size(); ++k) {
        std::vector<std::pair<Index, Index>> next;
        for (const Index u : view.neighbours(expected[k]))
          if (!seen[u]) seen[u] = 1, next.emplace_back(view.degree(u), u);
        std::sort(next.begin(), next.end());
        for (const auto& [degree, u] : next) expected.push_back(u);
      }
      ASSERT_EQ(order, expected) << "seed " << seed;
    }
  }
}

// Returns the depth of the breadth-first tree below v.
Index eccentricity(const GraphView& view, Index v) {
  std::vector<Index> level(static_cast<std::size_t>(view.size()), kNone), queue{v};
  level[v] = 0;
  for (std::size_t k = 0; k < queue.size(); ++k)
    for (const Index u : view.neighbours(queue[k]))
      if (level[u] == kNone) level[u] = level[queue[k]] + 1, queue.push_back(u);
  return level[queue.back()];
}

TEST(Rcm, StartIsPeripheralInTreesAndNearlySoElsewhere) {
  RcmWorkspace workspace;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Graph graph = any_graph(seed);
    const Reduction reduction(graph, false, 0);
    for (Index c = 0; c < reduction.components(); ++c) {
      const GraphView view = reduction.component(c);
      Index diameter = 0;
      for (Index v = 0; v < view.size(); ++v) diameter = std::max(diameter, eccentricity(view, v));
      const Index reached = eccentricity(view, rcm(view, workspace).back());
      const bool tree = view.edges() == 2 * (view.size() - 1);
      ASSERT_GE(reached, tree ? diameter : (diameter + 1) / 2 + diameter / 4) << "seed " << seed;
    }
  }
}

/// Ends of long legs at a core in which the paths between legs have such lengths that end k + 1 is
/// the farthest vertex from end k, and farther than the ends before.
Graph ends_of_legs(Index ends) {
  const Index core = ends + 2, leg = 3 * core;
  std::vector<Edge> edges;
  Index n = 2 * ends;  // the ends, then the vertices of the core that their legs begin at
  const auto join = [&](Index a, Index b, Index length) {
    for (Index k = 1; k < length; ++k) edges.emplace_back(a, n), a = n++;
    edges.emplace_back(a, b);
  };
  for (Index j = 0; j < ends; ++j) {
    join(j, ends + j, leg);
    for (Index k = j + 1; k < ends; ++k) join(ends + j, ends + k, core + j - (k > j + 1 ? 1 : 0));
  }
  return graph_of(n, edges);
}

TEST(Rcm, IsGivenUpByWorkAlone) {
  constexpr Index kEnds = 12;
  const Graph graph = ends_of_legs(kEnds);
  const Offset visits = graph.size() + graph.edges();
  RcmWorkspace workspace;
  const std::vector<Index> expected = rcm(view_of(graph), workspace);
  std::vector<Index> order(expected.size());
  Offset work = 0;
  EXPECT_TRUE(reverse_cuthill_mckee(view_of(graph), workspace, order, {.work = &work}));
  EXPECT_EQ(order, expected);
  EXPECT_EQ(work, (kEnds + 1) * visits);  // a search from each end, and the numbering
  EXPECT_TRUE(
      reverse_cuthill_mckee(view_of(graph), workspace, order, {.most_work = work, .work = &work}));
  EXPECT_EQ(order, expected);
  for (const Offset most : {Offset{0}, 3 * visits, work - 1}) {
    Offset again = 0;
    EXPECT_FALSE(reverse_cuthill_mckee(view_of(graph), workspace, order,
                                       {.most_work = most, .work = &again}));
    EXPECT_GT(again, most);
    EXPECT_LE(again, most + 2 * visits);  // the search that goes beyond it, and the numbering
  }
  EXPECT_EQ(rcm(view_of(graph), workspace), expected);
}

}  // namespace
}  // namespace kauri::ordering
