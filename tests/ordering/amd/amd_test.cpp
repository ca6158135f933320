// Approximate minimum degree against the elimination game and a naive exact minimum degree.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/amd/amd.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "kauri/core/permutation.hpp"
#include "support/oracles/amd_steps.hpp"
#include "support/systems/graphs.hpp"

namespace kauri::ordering {
namespace {

using namespace kauri::test;

std::vector<Index> amd(const GraphView& view, const AmdOptions& options, AmdWorkspace& workspace) {
  std::vector<Index> order(static_cast<std::size_t>(view.size()));
  EXPECT_TRUE(approximate_minimum_degree(view, options, workspace, order));
  return Permutation::from_old_of(order).size() == view.size() ? order : std::vector<Index>{};
}

TEST(Amd, DegreesBoundTheTrueOnesAndTrueOnesGiveTheFill) {
  AmdWorkspace workspace;
  int inexact = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const Graph graph = any_graph(seed);
    std::vector<AmdPivot> trace;
    const Index long_list = seed % 3 == 0 ? 128
                                          : static_cast<Index>(seed % 3) *
                                                2;  // short lists, so that pivots skip variables
    const auto order =
        amd(view_of(graph), {.aggressive = seed % 16 < 8, .trace = &trace, .long_list = long_list},
            workspace);
    Offset eliminated = 0;
    for (const AmdPivot& step : trace) {
      ASSERT_GE(step.approximate, step.external) << "seed " << seed << " vertex " << step.vertex;
      inexact += step.approximate != step.external;
      eliminated += step.eliminated;
    }
    ASSERT_EQ(eliminated, graph.size()) << "seed " << seed;
    ASSERT_EQ(fill_of(trace), naive_fill(graph, pivots_first(order, trace, {}))) << "seed " << seed;
    ASSERT_GE(fill_of(trace), naive_fill(graph, order)) << "seed " << seed;
  }
  EXPECT_GT(inexact, 0);  // else the bound was never tested
}

TEST(Amd, WeightsCountLikeCopies) {
  AmdWorkspace workspace;
  std::mt19937_64 random(7);
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Graph graph = any_graph(seed);
    if (graph.size() > 30) continue;
    std::vector<Index> weight(static_cast<std::size_t>(graph.size()));
    for (Index& w : weight) w = std::uniform_int_distribution<Index>(1, 3)(random);
    GraphView view = view_of(graph);
    view.weight = weight;
    std::vector<AmdPivot> trace;
    const auto order =
        pivots_first(amd(view, {.trace = &trace, .long_list = seed % 2 == 0 ? 128 : 3}, workspace),
                     trace, weight);
    std::vector<Index> first(weight.size() + 1, 0), old_of;
    std::partial_sum(weight.begin(), weight.end(), first.begin() + 1);
    for (const Index v : order)
      for (Index copy = first[v]; copy < first[v + 1]; ++copy) old_of.push_back(copy);
    for (const AmdPivot& step : trace) ASSERT_GE(step.approximate, step.external);
    ASSERT_EQ(fill_of(trace), naive_fill(expanded(graph, weight), old_of)) << "seed " << seed;
  }
}

TEST(Amd, WhatElementsHaveInCommonMayBeMoreThanAnIndex) {
  AmdWorkspace workspace;
  const WeightedGraph heavy = overlapping_elements();
  for (const bool aggressive : {true, false}) {
    std::vector<AmdPivot> trace;
    amd(heavy.view(), {.aggressive = aggressive, .trace = &trace}, workspace);
    for (const AmdPivot& step : trace)
      ASSERT_GE(step.approximate, step.external) << "vertex " << step.vertex;
  }
}

TEST(Amd, TheFirstPivotHasTheLeastDegree) {
  AmdWorkspace workspace;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Graph graph = any_graph(seed);
    std::vector<AmdPivot> trace;
    amd(view_of(graph), {.trace = &trace}, workspace);
    for (Index v = 0; v < graph.size(); ++v) ASSERT_LE(trace.front().external, graph.degree(v));
  }
}

TEST(Amd, OrderDoesNotDependOnRoomPositionsOrTags) {
  AmdWorkspace shared;
  std::mt19937_64 random(3);
  for (int k = 0; k < 60; ++k) {
    const Graph graph =
        k < 50 ? random_graph(400, 300 + 20 * k, random) : shuffled(grid(30, 20 + k), random);
    for (const Index long_list : {128, 6}) {
      AmdWorkspace fresh;
      const auto expected = amd(view_of(graph), {.long_list = long_list}, fresh);
      EXPECT_EQ(amd(view_of(graph), {.elbow = 0, .long_list = long_list}, shared), expected);
      EXPECT_EQ(amd(view_of(graph), {.elbow = 5, .long_list = long_list}, shared), expected);
      EXPECT_EQ(amd(view_of(graph), {.elbow = 0, .wide = true, .long_list = long_list}, shared),
                expected);
      EXPECT_EQ(amd(view_of(graph), {.largest_tag = 3 * graph.size() + 10, .long_list = long_list},
                    shared),
                expected);
    }
  }
}

// Minimum degree without a quotient graph: sets of neighbours, ties broken by the least number.
std::vector<Index> naive_minimum_degree(const Graph& graph) {
  std::vector<std::set<Index>> adjacent(static_cast<std::size_t>(graph.size()));
  for (Index v = 0; v < graph.size(); ++v)
    adjacent[v].insert(graph.neighbours(v).begin(), graph.neighbours(v).end());
  std::vector<char> done(adjacent.size(), 0);
  std::vector<Index> old_of;
  for (Index k = 0; k < graph.size(); ++k) {
    Index best = kNone;
    for (Index v = 0; v < graph.size(); ++v)
      if (!done[v] && (best == kNone || adjacent[v].size() < adjacent[best].size())) best = v;
    done[best] = 1;
    old_of.push_back(best);
    for (const Index u : adjacent[best]) {
      adjacent[u].insert(adjacent[best].begin(), adjacent[best].end());
      adjacent[u].erase(u);
      adjacent[u].erase(best);
    }
  }
  return old_of;
}

TEST(Amd, FillIsNearThatOfExactMinimumDegree) {
  AmdWorkspace workspace;
  double sum = 0;
  int count = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    std::mt19937_64 random(seed);
    const Graph graph = seed % 3 == 0
                            ? shuffled(grid(8, 9), random)
                            : random_graph(80, 80 + static_cast<Index>(seed % 150), random);
    const AmdOptions options{.aggressive = seed % 2 == 0, .long_list = seed % 4 < 2 ? 128 : 8};
    const auto fast = naive_fill(graph, amd(view_of(graph), options, workspace));
    const auto exact = naive_fill(graph, naive_minimum_degree(graph));
    sum += std::log(static_cast<double>(fast) / static_cast<double>(exact));
    ++count;
  }
  EXPECT_LE(std::exp(sum / count), 1.02);
}

// A tree has no fill in minimum degree, however ties are broken.
TEST(Amd, TreesHaveNoFill) {
  AmdWorkspace workspace;
  std::mt19937_64 random(11);
  for (int k = 0; k < 100; ++k) {
    std::vector<Edge> edges;
    for (Index v = 1; v < 60; ++v)
      edges.emplace_back(std::uniform_int_distribution<Index>(0, v - 1)(random), v);
    const Graph graph = shuffled(graph_of(60, edges), random);
    EXPECT_EQ(naive_fill(graph, amd(view_of(graph), {}, workspace)), 119);
  }
}

/// Returns a path with random numbering, whose first vertices are hubs with random neighbours.
Graph path_with_hubs(Index n, Index hubs, Index degree, std::mt19937_64& random) {
  auto edges = edges_of(shuffled(path(n), random));
  for (Index hub = 0; hub < hubs; ++hub)
    for (Index k = 0; k < degree; ++k)
      if (const Index v = std::uniform_int_distribution<Index>(hubs, n - 1)(random); v != hub)
        edges.emplace_back(hub, v);
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return graph_of(n, edges);
}

// Each pivot has nearly all hubs as neighbours. Reading the hubs' lists for each pivot would
// dominate the time, though the lists are not long enough to count as dense.
TEST(Amd, ListsOfHubsAreNotReadByEachPivot) {
  AmdWorkspace workspace;
  std::mt19937_64 random(1);
  const Graph graph = path_with_hubs(12000, 30, 1000, random);
  Offset work = 0, plain = 0;
  std::vector<AmdPivot> trace, plain_trace;
  amd(view_of(graph), {.trace = &trace, .work = &work}, workspace);
  amd(view_of(graph), {.trace = &plain_trace, .long_list = graph.size(), .work = &plain},
      workspace);
  EXPECT_LT(work, 60 * graph.ptr().back());
  EXPECT_GT(plain, 300 * graph.ptr().back());  // else the graph does not test this
  EXPECT_LT(static_cast<double>(fill_of(trace)), 1.01 * static_cast<double>(fill_of(plain_trace)));
}

// The neighbours of each pivot are hubs only, and no other variable shares their lists.
TEST(Amd, SmallRowsUnderHubsTakeWorkOfTheirSize) {
  AmdWorkspace workspace;
  std::mt19937_64 random(2);
  constexpr Index hubs = 40, rows = 20000;
  std::vector<Edge> edges;
  for (Index v = hubs; v < hubs + rows; ++v) {
    const Index first = std::uniform_int_distribution<Index>(0, hubs - 1)(random);
    for (const Index step : {0, 7, 19}) edges.emplace_back((first + step) % hubs, v);
  }
  const Graph graph = graph_of(hubs + rows, edges);
  Offset work = 0, plain = 0;
  std::vector<AmdPivot> trace;
  amd(view_of(graph), {.trace = &trace, .work = &work}, workspace);
  amd(view_of(graph), {.long_list = graph.size(), .work = &plain}, workspace);
  EXPECT_LT(work, 20 * graph.ptr().back());
  EXPECT_GT(plain, 300 * graph.ptr().back());
  EXPECT_LE(fill_of(trace), Offset{4} * rows + hubs * (hubs + 1) / 2);
}

TEST(Amd, IsGivenUpByWorkAlone) {
  AmdWorkspace workspace;
  std::mt19937_64 random(3);
  const Graph graph = path_with_hubs(1000, 5, 300, random);
  Offset work = 0;
  const auto expected = amd(view_of(graph), {.work = &work}, workspace);
  ASSERT_GT(work, graph.ptr().back());
  std::vector<Index> order(expected.size());
  Offset again = 0;
  for (const double elbow : {0.0, 2.0}) {
    EXPECT_TRUE(approximate_minimum_degree(
        view_of(graph), {.elbow = elbow, .most_work = work, .work = &again}, workspace, order));
    EXPECT_EQ(order, expected);
    EXPECT_EQ(again, work);
    EXPECT_FALSE(approximate_minimum_degree(
        view_of(graph), {.elbow = elbow, .most_work = work / 2, .work = &again}, workspace, order));
    EXPECT_GT(again, work / 2);
    EXPECT_LT(again, work);
  }
}

}  // namespace
}  // namespace kauri::ordering
