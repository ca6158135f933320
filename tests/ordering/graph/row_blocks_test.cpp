// Blocks of rows against closed neighbourhoods, and results based on them against those from the
// graph of the rows.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/graph/row_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/threads/allowed_threads.hpp"
#include "ordering/orderer.hpp"
#include "support/process/many_threads.hpp"
#include "support/systems/graphs.hpp"
#include "support/systems/patterns.hpp"

namespace kauri::ordering {
namespace {

using namespace kauri::test;

/// A graph, mostly with twins next to each other, and rows that must stay alone.
struct Case {
  Graph graph;
  OwnedPattern lower;
  std::vector<Index> apart;
};

Case any_case(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Case out;
  out.graph = any_graph(seed);
  if (seed % 4 != 0) {
    std::vector<Index> copies(static_cast<std::size_t>(out.graph.size()));
    for (Index& c : copies) c = 1 + static_cast<Index>(random() % 4);
    out.graph = expanded(out.graph, copies);
  }
  const Index n = out.graph.size();
  std::vector<Edge> edges = edges_of(out.graph);
  if (seed % 3 == 0 && !edges.empty())
    edges.erase(edges.begin() + static_cast<std::ptrdiff_t>(random() % edges.size()));
  if (seed % 5 == 0 && n > 0)  // a row that meets every second one
    for (Index i = 0; i < n; i += 2)
      edges.emplace_back(static_cast<Index>(seed % static_cast<std::uint64_t>(n)), i);
  out.graph = graph_of(n, edges);
  out.lower = pattern_of(n, edges);
  std::set<Index> apart;
  for (std::uint64_t k = 0; k < seed % 4 && n > 0; ++k)
    apart.insert(static_cast<Index>(random() % static_cast<std::uint64_t>(n)));
  out.apart.assign(apart.rbegin(), apart.rend());
  return out;
}

void expect_blocks(const Case& c, const std::vector<Index>& first) {
  const std::set<Index> apart(c.apart.begin(), c.apart.end());
  std::vector<Index> expected, block_of;
  for (Index i = 0; i < c.graph.size(); ++i) {
    const bool joins = i > 0 && !apart.contains(i) && !apart.contains(i - 1) &&
                       closed_neighbourhood(c.graph, i) == closed_neighbourhood(c.graph, i - 1);
    if (!joins) expected.push_back(i);
    block_of.push_back(static_cast<Index>(expected.size()) - 1);
  }
  const bool hardly_any =
      static_cast<double>(expected.size()) > 0.9 * c.graph.size() || c.graph.size() == 0;
  expected.push_back(c.graph.size());
  if (hardly_any) {
    ASSERT_TRUE(first.empty());
    return;
  }
  ASSERT_EQ(first, expected);
  std::vector<Edge> edges;
  for (const auto& [u, v] : edges_of(c.graph)) edges.emplace_back(block_of[u], block_of[v]);
  const Graph blocks = graph_of_blocks(c.lower.view(), first),
              wanted = graph_of(static_cast<Index>(first.size()) - 1, edges);
  ASSERT_TRUE(std::ranges::equal(blocks.ptr(), wanted.ptr()));
  ASSERT_TRUE(std::ranges::equal(blocks.adjacency(), wanted.adjacency()));
}

TEST(RowBlocks, AreRunsOfEqualClosedNeighbourhoods) {
  int with_blocks = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    const Case c = any_case(seed);
    const std::vector<Index> first = row_blocks(c.lower.view(), c.apart);
    expect_blocks(c, first);
    if (HasFatalFailure()) FAIL() << "seed " << seed;
    with_blocks += first.empty() ? 0 : 1;
  }
  EXPECT_GT(with_blocks, 800);
}

/// Returns a case with three unknowns per point, in which some columns lack an entry.
Case large_case(bool whole) {
  Case c;
  const OwnedPattern points = grid_pattern(24, 24, 24, true);
  std::vector<Edge> edges;
  for (Index v = 0; v < points.n(); ++v)
    for (Offset k = points.col_ptr[v]; k < points.col_ptr[v + 1]; ++k)
      for (Index a = 0; a < 3; ++a)
        for (Index b = 0; b < 3; ++b)
          if (whole || (points.row[k] + v + a + b) % 997 != 0)
            edges.emplace_back(3 * v + a, 3 * points.row[k] + b);
  c.graph = graph_of(3 * points.n(), edges);
  c.lower = pattern_of(3 * points.n(), std::move(edges));
  return c;
}

TEST(RowBlocks, ManyAtOnce) {
  const Case whole = large_case(true), torn = large_case(false);
  const ManyThreads many;
  with_threads(8, [&] {
    expect_blocks(whole, row_blocks(whole.lower.view(), {}));
    EXPECT_EQ(row_blocks(whole.lower.view(), {}).size(), 24u * 24 * 24 + 1);
    expect_blocks(torn, row_blocks(torn.lower.view(), {}));
  });
}

void expect_equal(const CompressedGraph& a, const CompressedGraph& b) {
  ASSERT_EQ(a.merged(), b.merged());
  ASSERT_EQ(a.size(), b.size());
  const GraphView &x = a.view(), &y = b.view();
  ASSERT_TRUE(std::ranges::equal(x.ptr, y.ptr));
  ASSERT_TRUE(std::ranges::equal(x.adjacency, y.adjacency));
  for (Index v = 0; v < a.size(); ++v) {
    ASSERT_EQ(a.weight(v), b.weight(v));
    for (Index t = 0; t < a.weight(v); ++t) {
      ASSERT_EQ(a.member(v, t), b.member(v, t));
      ASSERT_EQ(a.vertex_of(a.member(v, t)), v);
    }
  }
}

TEST(RowBlocks, SupervariablesAreThoseOfTheGraph) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    const Case c = any_case(seed);
    expect_equal(CompressedGraph(GraphSource(c.lower.view()), true, c.apart),
                 CompressedGraph(c.graph, true, c.apart));
    expect_equal(CompressedGraph(GraphSource(c.lower.view()), false, c.apart),
                 CompressedGraph(c.graph, false, c.apart));
    if (HasFatalFailure()) FAIL() << "seed " << seed;
  }
  const Case large = large_case(false);
  expect_equal(CompressedGraph(GraphSource(large.lower.view()), true),
               CompressedGraph(large.graph, true));
}

TEST(RowBlocks, OrderingsAreThoseOfTheGraph) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Case c = any_case(seed);
    OrderingOptions options;
    options.last = c.apart;
    options.dense = seed % 2 == 0 ? 10 : 0.5;
    options.compress = seed % 7 != 0;
    Orderer from_pattern(GraphSource(c.lower.view()), options), from_graph(c.graph, options);
    for (const OrderingMethod method : {OrderingMethod::amd, OrderingMethod::parallel_amd,
                                        OrderingMethod::rcm, OrderingMethod::nested_dissection})
      ASSERT_EQ(from_pattern.run(method), from_graph.run(method)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace kauri::ordering
