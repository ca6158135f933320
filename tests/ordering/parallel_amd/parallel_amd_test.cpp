// Parallel approximate minimum degree against the elimination game, against itself with other
// numbers of threads, and against the sequential algorithm.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/parallel_amd/parallel_amd.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <stop_token>
#include <vector>

#include "base/threads/allowed_threads.hpp"
#include "kauri/core/error.hpp"
#include "kauri/core/permutation.hpp"
#include "kauri/extras/generate.hpp"
#include "support/oracles/amd_steps.hpp"
#include "support/process/many_threads.hpp"
#include "support/systems/graphs.hpp"
#include "symbolic/check/quotient_elimination.hpp"

namespace kauri::ordering {
namespace {

using namespace kauri::test;

/// Returns options that leave nothing to the sequential algorithm, and divide every round among the
/// threads as far as possible.
ParallelAmdOptions divided(ParallelAmdOptions options = {}) {
  options.sequential_below = 0;
  options.sequential_hubs = false;
  options.task_entries = 1;
  return options;
}

std::vector<Index> order_of(const GraphView& view, const ParallelAmdOptions& options, int threads) {
  std::vector<Index> order(static_cast<std::size_t>(view.size()), kNone);
  AmdWorkspace workspace;
  with_threads(threads, [&] { parallel_minimum_degree(view, options, workspace, order); });
  return Permutation::from_old_of(order).size() == view.size() ? order : std::vector<Index>{};
}

/// Orders with 1, 2, 3 and 8 threads, and expects `expected` each time.
void expect_the_same(const Graph& graph, const ParallelAmdOptions& options,
                     const std::vector<Index>& expected) {
  for (const int threads : {1, 2, 3, 8})
    EXPECT_EQ(order_of(view_of(graph), options, threads), expected) << threads << " threads";
}

Offset fill(const Graph& graph, const std::vector<Index>& old_of) {
  const auto count = symbolic::quotient_column_counts(graph, Permutation::from_old_of(old_of));
  return std::accumulate(count.begin(), count.end(), Offset{0});
}

/// Returns a graph with `width` neighbours on either side of each vertex, and a few hubs.
Graph band_with_hubs(Index n, Index width, Index hubs) {
  std::vector<Edge> edges;
  for (Index v = 0; v < n; ++v) {
    for (Index u = std::max(0, v - width); u < v; ++u) edges.emplace_back(u, v);
    if (v % 3 == 0) edges.emplace_back(v % hubs * 7, v);
  }
  return graph_of(n, edges);
}

TEST(ParallelAmd, DegreesBoundTheTrueOnesAndTrueOnesGiveTheFill) {
  const ManyThreads many;
  Offset together = 0;
  for (std::uint64_t seed = 0; seed < 1600; ++seed) {
    const Graph graph = any_graph(seed);
    std::vector<AmdPivot> trace;
    ParallelAmdReport report;
    ParallelAmdOptions options =
        divided({.aggressive = seed % 16 < 8, .trace = &trace, .report = &report});
    const auto order = order_of(view_of(graph), options, 1 + static_cast<int>(seed % 3));
    Offset eliminated = 0;
    for (const AmdPivot& step : trace) {
      ASSERT_GE(step.approximate, step.external) << "seed " << seed << " vertex " << step.vertex;
      eliminated += step.eliminated;
    }
    together += report.winners - report.rounds;
    ASSERT_EQ(eliminated, graph.size()) << "seed " << seed;
    ASSERT_EQ(fill_of(trace), naive_fill(graph, pivots_first(order, trace, {}))) << "seed " << seed;
  }
  EXPECT_GT(together, 0);
}

TEST(ParallelAmd, WeightsCountLikeCopies) {
  std::mt19937_64 random(7);
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const Graph graph = any_graph(seed);
    if (graph.size() > 30) continue;
    std::vector<Index> weight(static_cast<std::size_t>(graph.size()));
    for (Index& w : weight) w = std::uniform_int_distribution<Index>(1, 3)(random);
    GraphView view = view_of(graph);
    view.weight = weight;
    std::vector<AmdPivot> trace;
    const auto order = pivots_first(order_of(view, divided({.trace = &trace}), 2), trace, weight);
    std::vector<Index> first(weight.size() + 1, 0), old_of;
    std::partial_sum(weight.begin(), weight.end(), first.begin() + 1);
    for (const Index v : order)
      for (Index copy = first[v]; copy < first[v + 1]; ++copy) old_of.push_back(copy);
    ASSERT_EQ(fill_of(trace), naive_fill(expanded(graph, weight), old_of)) << "seed " << seed;
  }
}

TEST(ParallelAmd, WhatElementsHaveInCommonMayBeMoreThanAnIndex) {
  const WeightedGraph heavy = overlapping_elements();
  for (const bool aggressive : {true, false}) {
    std::vector<AmdPivot> trace;
    order_of(heavy.view(), divided({.aggressive = aggressive, .trace = &trace}), 2);
    for (const AmdPivot& step : trace)
      ASSERT_GE(step.approximate, step.external) << "vertex " << step.vertex;
  }
}

TEST(ParallelAmd, HostileGraphsByAnyNumberOfThreads) {
  const ManyThreads many;
  std::mt19937_64 random(5);
  const std::vector<Graph> graphs{
      Graph(),
      path(1),
      path(2),
      graph_of(50, {}),
      star(3000),
      star(3000, 2999),
      clique(150),
      path(20000),
      shuffled(path(5000), random),
      band_with_hubs(6000, 3, 5),
      random_graph(300, 20000, random),
      random_graph(4000, 3000, random),
      random_graph(3000, 9000, random),
      side_by_side({clique(60), path(3000), star(500), grid(40, 40), Graph()})};
  for (std::size_t k = 0; k < graphs.size(); ++k) {
    SCOPED_TRACE("graph " + std::to_string(k));
    expect_the_same(graphs[k], divided(), order_of(view_of(graphs[k]), divided(), 1));
    expect_the_same(graphs[k], {}, order_of(view_of(graphs[k]), {}, 1));
  }
}

// Hubs with long lists are left to the sequential algorithm, which skips them.
TEST(ParallelAmd, HubsAreLeftToTheSequentialOne) {
  const Graph graph = band_with_hubs(6000, 3, 5);
  std::vector<Index> sequential(static_cast<std::size_t>(graph.size()));
  AmdWorkspace workspace;
  EXPECT_TRUE(approximate_minimum_degree(view_of(graph), {}, workspace, sequential));
  EXPECT_EQ(order_of(view_of(graph), {}, 2), sequential);
  EXPECT_NE(order_of(view_of(graph), divided(), 2), sequential);
}

// The limit of work also applies to that remainder: minimum degree on a graph with hubs may take
// very long.
TEST(ParallelAmd, TheLimitHoldsForWhatIsLeftToTheSequentialOne) {
  const Graph graph = band_with_hubs(6000, 3, 5);
  std::vector<Index> order(static_cast<std::size_t>(graph.size()));
  AmdWorkspace workspace;
  Offset all = 0, some = 0;
  parallel_minimum_degree(view_of(graph), {.work = &all}, workspace, order);
  EXPECT_GT(all, graph.size());
  parallel_minimum_degree(view_of(graph), {.most_work = all / 2, .work = &some}, workspace, order);
  EXPECT_GT(some, all / 2);
  EXPECT_LT(some, all);
}

// Processes vertices in other sequences, which detects an influence of timing without a race.
TEST(ParallelAmd, WhoIsWorkedOnFirstDoesNotReachTheOrder) {
  std::mt19937_64 random(13);
  for (int k = 0; k < 60; ++k) {
    const Graph graph =
        k < 30   ? random_graph(1500, 1500 + 100 * k, random)
        : k < 45 ? shuffled(grid(30 + k, 40), random)
                 : Graph(generate("rgg3d 1500 " + std::to_string(k - 35) + " " + std::to_string(k))
                             .pattern());
    const auto expected = order_of(view_of(graph), divided({.tries = 3}), 1);
    ASSERT_EQ(order_of(view_of(graph), divided({.tries = 3, .backwards = true}), 1), expected) << k;
  }
}

// Many rounds of many winners, repeated, in which threads do meet.
TEST(ParallelAmd, TimingDoesNotReachTheOrder) {
  const ManyThreads many;
  std::mt19937_64 random(9);
  for (const Graph& graph :
       {shuffled(grid(110, 100), random), random_graph(12000, 30000, random),
        Graph(generate("rgg3d 6000 14 3").pattern()), band_with_hubs(9000, 4, 11)}) {
    const ParallelAmdOptions options = divided({.tries = 4});
    const auto expected = order_of(view_of(graph), options, 1);
    for (int k = 0; k < 12; ++k) ASSERT_EQ(order_of(view_of(graph), options, 8), expected);
  }
}

TEST(ParallelAmd, OrderDoesNotDependOnRoomTasksMarksOrClaims) {
  const ManyThreads many;
  std::mt19937_64 random(3);
  for (int k = 0; k < 20; ++k) {
    const Graph graph =
        k < 15 ? random_graph(400, 300 + 60 * k, random) : shuffled(grid(40, 20 + k), random);
    const auto expected = order_of(view_of(graph), divided(), 1);
    ParallelAmdReport report;
    EXPECT_EQ(order_of(view_of(graph), divided({.elbow = 0, .report = &report}), 3), expected);
    EXPECT_EQ(order_of(view_of(graph), divided({.elbow = 5}), 2), expected);
    EXPECT_EQ(order_of(view_of(graph), divided({.last_claims = 2}), 2), expected);
    EXPECT_EQ(order_of(view_of(graph), divided({.largest_tag = 4 * graph.size() + 20}), 2),
              expected);
    EXPECT_EQ(order_of(view_of(graph), {.sequential_below = 0, .task_entries = 100000}, 2),
              expected);
    if (k >= 5 && k < 15) {
      EXPECT_GT(report.collections, 0) << k;
    }
  }
}

TEST(ParallelAmd, FillIsNearThatOfTheSequentialOne) {
  AmdWorkspace workspace;
  std::mt19937_64 random(1);
  std::vector<Graph> graphs;
  for (int k = 0; k < 4; ++k) {
    graphs.push_back(shuffled(grid(60 + 10 * k, 70), random));
    graphs.push_back(random_graph(2500, 4000 + 500 * k, random));
    graphs.push_back(
        Graph(generate("rgg3d " + std::to_string(4000 + 1000 * k) + " 12 " + std::to_string(k + 1))
                  .pattern()));
    graphs.push_back(
        shuffled(Graph(generate("lap27 " + std::to_string(12 + k)).pattern()), random));
  }
  double sum = 0;
  for (const Graph& graph : graphs) {
    std::vector<Index> sequential(static_cast<std::size_t>(graph.size()));
    EXPECT_TRUE(approximate_minimum_degree(view_of(graph), {}, workspace, sequential));
    const auto own = static_cast<double>(fill(graph, order_of(view_of(graph), divided(), 2)));
    const double ratio = own / static_cast<double>(fill(graph, sequential));
    EXPECT_LE(ratio, 1.2) << graph.size();
    sum += std::log(ratio);
  }
  EXPECT_LE(std::exp(sum / static_cast<double>(graphs.size())), 1.04);
}

// A tree has no fill in minimum degree, however ties are broken, if only vertices of least degree
// are taken.
TEST(ParallelAmd, TreesHaveNoFill) {
  std::mt19937_64 random(11);
  for (int k = 0; k < 100; ++k) {
    std::vector<Edge> edges;
    for (Index v = 1; v < 60; ++v)
      edges.emplace_back(std::uniform_int_distribution<Index>(0, v - 1)(random), v);
    const Graph graph = shuffled(graph_of(60, edges), random);
    EXPECT_EQ(naive_fill(graph, order_of(view_of(graph), divided({.factor = 1, .slack = 0}), 2)),
              119);
  }
}

TEST(ParallelAmd, StopsWhenAsked) {
  std::stop_source source;
  source.request_stop();
  const Graph graph = grid(40, 40);
  const std::stop_token token = source.get_token();
  const StopScope scope(token);
  AmdWorkspace workspace;
  std::vector<Index> order(static_cast<std::size_t>(graph.size()));
  EXPECT_THROW(parallel_minimum_degree(view_of(graph), divided(), workspace, order),
               Error);  // from the engine's own check
  for (const int threads : {1, 2})
    EXPECT_THROW(order_of(view_of(graph), divided(), threads), Error);
}

// In an unstructured core each pivot changes the degree of all remaining vertices: outdated entries
// must not accumulate.
TEST(ParallelAmd, ListsByDegreeAreSweptOut) {
  std::mt19937_64 random(5);
  for (const Index n : {1000, 3000}) {
    const Graph graph = random_graph(n, 3 * n, random);
    ParallelAmdReport report;
    ParallelAmdOptions options = divided();
    options.report = &report;
    (void)order_of(view_of(graph), options, 2);
    EXPECT_GT(report.bucketed, n / 2);
    EXPECT_LE(report.bucketed, 3 * n + 4096);  // twice the number of vertices, and the additions of
                                               // a round
  }
}

}  // namespace
}  // namespace kauri::ordering
