// What the orders of leaves have beyond those of halo_test: limits of the bit matrix, weights,
// instruction sets, reuse of memory.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/leaf/minimum_degree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "support/systems/graphs.hpp"

namespace kauri::ordering {
namespace {

using namespace kauri::test;

std::vector<Index> order_of(const GraphView& view, Index interior, LeafWorkspace& workspace,
                            std::vector<AmdPivot>* trace = nullptr) {
  std::vector<Index> order(static_cast<std::size_t>(interior), kNone);
  EXPECT_TRUE(leaf_minimum_degree(view, interior, workspace, order, {.trace = trace}));
  return order;
}

std::vector<Index> approximate_order_of(const GraphView& view, Index interior) {
  AmdWorkspace workspace;
  std::vector<Index> order(static_cast<std::size_t>(interior), kNone);
  halo_minimum_degree(view, interior, {}, workspace, order);
  return order;
}

GraphView weighted(const Graph& graph, const std::vector<Index>& weight) {
  GraphView view = view_of(graph);
  view.weight = weight;
  return view;
}

TEST(Leaf, BeyondTheLimitsDegreesAreApproximate) {
  LeafWorkspace workspace;
  std::mt19937_64 random(1);
  const auto exact = [&](const GraphView& view, Index interior) {
    return order_of(view, interior, workspace) != approximate_order_of(view, interior);
  };
  const Index n = BitMatrixLimits::kVertices, interior = BitMatrixLimits::kInterior;
  const Graph largest = random_graph(n, 3 * n, random), larger = random_graph(n + 1, 3 * n, random);
  EXPECT_TRUE(exact(view_of(largest), interior));
  EXPECT_FALSE(exact(view_of(largest), interior + 1));
  EXPECT_FALSE(exact(view_of(larger), interior));

  const Graph small = random_graph(60, 180, random);
  std::vector<Index> weight(60, 100);
  EXPECT_TRUE(exact(weighted(small, weight), 40));
  weight[50] += BitMatrixLimits::kWeight - 6000;
  EXPECT_TRUE(exact(weighted(small, weight), 40));
  ++weight[50];
  EXPECT_FALSE(exact(weighted(small, weight), 40));
  std::fill(weight.begin(), weight.end(), 1000000);  // one weight for all is no weight
  EXPECT_TRUE(exact(weighted(small, weight), 40));
}

TEST(Leaf, OneWeightForAllGivesTheOrderWithoutWeights) {
  LeafWorkspace workspace;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Graph graph = any_graph(seed);
    const Index interior = graph.size() - graph.size() / 3;
    const std::vector<Index> sevens(static_cast<std::size_t>(graph.size()), 7);
    std::vector<AmdPivot> plain, scaled;
    ASSERT_EQ(order_of(view_of(graph), interior, workspace, &plain),
              order_of(weighted(graph, sevens), interior, workspace, &scaled));
    ASSERT_EQ(plain.size(), scaled.size());
    for (std::size_t k = 0; k < plain.size(); ++k) {
      ASSERT_EQ(7 * plain[k].weight, scaled[k].weight);
      ASSERT_EQ(7 * plain[k].approximate, scaled[k].approximate);
      ASSERT_EQ(7 * plain[k].external, scaled[k].external);
      ASSERT_EQ(7 * plain[k].eliminated, scaled[k].eliminated);
    }
  }
}

// Each bit of a weight is counted apart: all of them are used here.
TEST(Leaf, LargeWeights) {
  LeafWorkspace workspace;
  std::mt19937_64 random(2);
  for (int k = 0; k < 200; ++k) {
    const std::vector<Index> weight{1 + k, 4096 - 5 * k, 3 * k + 1, 2048, 1023, 1 + k % 2};
    std::vector<Index> heavy_first(weight.size());
    std::iota(heavy_first.begin(), heavy_first.end(), 0);
    std::sort(heavy_first.begin(), heavy_first.end(),
              [&](Index u, Index v) { return weight[u] > weight[v]; });
    const Index total = std::accumulate(weight.begin(), weight.end(), Index{0});
    if (total > BitMatrixLimits::kWeight) continue;
    std::vector<AmdPivot> trace;
    ASSERT_EQ(order_of(weighted(clique(6), weight), 4, workspace, &trace).size(), 4U);
    ASSERT_EQ(trace.size(), 1U);  // a clique is one front, whose pivot is the heaviest
    const Index heaviest =
        *std::find_if(heavy_first.begin(), heavy_first.end(), [](Index v) { return v < 4; });
    EXPECT_EQ(trace[0].vertex, heaviest);
    EXPECT_EQ(trace[0].weight, weight[heaviest]);
    EXPECT_EQ(trace[0].external, total - weight[heaviest]);
    EXPECT_EQ(trace[0].eliminated, total - weight[4] - weight[5]);
  }
}

TEST(Leaf, OrderDependsNeitherOnInstructionsNorOnEarlierGraphs) {
  LeafWorkspace shared, portable(true);
  std::mt19937_64 random(3);
  for (int k = 0; k < 300; ++k) {
    const Index n = std::uniform_int_distribution<Index>(1, k % 10 == 0 ? 1024 : 300)(random);
    const Graph graph = random_graph(n, 3 * n, random);
    const Index interior = std::min((n + 1) / 2, BitMatrixLimits::kInterior);
    std::vector<Index> weight(static_cast<std::size_t>(n));
    for (Index& w : weight) w = std::uniform_int_distribution<Index>(1, 5)(random);
    const GraphView view = k % 2 == 0 ? view_of(graph) : weighted(graph, weight);
    LeafWorkspace fresh;
    const auto expected = order_of(view, interior, fresh);
    ASSERT_EQ(order_of(view, interior, shared), expected);
    ASSERT_EQ(order_of(view, interior, portable), expected);
  }
}

// Vertices that no elimination can tell apart leave together: copies of one vertex are one front.
TEST(Leaf, TwinsLeaveTogether) {
  LeafWorkspace workspace;
  std::mt19937_64 random(4);
  for (int k = 0; k < 50; ++k) {
    const Graph base = random_graph(20, 50, random);
    const std::vector<Index> copies(20, 4);
    std::vector<AmdPivot> trace;
    ASSERT_EQ(order_of(view_of(expanded(base, copies)), 40, workspace, &trace).size(), 40U);
    EXPECT_LE(trace.size(), 10U);
    for (const AmdPivot& step : trace) EXPECT_EQ(step.eliminated % 4, 0);
  }
}

}  // namespace
}  // namespace kauri::ordering
