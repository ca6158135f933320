// Graph against sets of edges, and its errors.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/core/graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/threads/allowed_threads.hpp"
#include "tests/support/process/error_text.hpp"
#include "tests/support/process/many_threads.hpp"
#include "tests/support/systems/patterns.hpp"

namespace kauri {
namespace {

TEST(Graph, HoldsBothDirectionsAscendingWithoutLoops) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto p = test::random_pattern(static_cast<Index>(seed % 30), 3, seed);
    const Graph g(p.view());
    std::vector<std::set<Index>> neighbours(static_cast<std::size_t>(p.n()));
    Offset edges = 0;
    for (Index j = 0; j < p.n(); ++j)
      for (Offset k = p.col_ptr[j] + 1; k < p.col_ptr[j + 1]; ++k, edges += 2)
        neighbours[j].insert(p.row[k]), neighbours[p.row[k]].insert(j);
    ASSERT_EQ(g.size(), p.n());
    ASSERT_EQ(g.edges(), edges);
    for (Index v = 0; v < g.size(); ++v) {
      ASSERT_EQ(g.degree(v), static_cast<Index>(neighbours[v].size()));
      ASSERT_EQ(std::vector<Index>(g.neighbours(v).begin(), g.neighbours(v).end()),
                std::vector<Index>(neighbours[v].begin(), neighbours[v].end()));
    }
    // A graph's own lists make an equal graph.
    const Graph again({g.ptr().begin(), g.ptr().end()},
                      {g.adjacency().begin(), g.adjacency().end()});
    ASSERT_EQ(std::vector<Index>(again.adjacency().begin(), again.adjacency().end()),
              std::vector<Index>(g.adjacency().begin(), g.adjacency().end()));
  }
  EXPECT_EQ(Graph().size(), 0);
  EXPECT_EQ(Graph().edges(), 0);
}

TEST(Graph, IsTheSameByManyThreads) {
  const test::ManyThreads many;
  const auto p = test::random_pattern(70000, 4, 1);
  const auto made = [&p](int threads) {
    Graph graph;
    with_threads(threads, [&] { graph = Graph(p.view()); });
    return graph;
  };
  const Graph alone = made(1), together = made(8);
  EXPECT_TRUE(std::ranges::equal(alone.ptr(), together.ptr()));
  EXPECT_TRUE(std::ranges::equal(alone.adjacency(), together.adjacency()));
}

TEST(Graph, RefusesListsThatBreakItsPromises) {
  const auto flaw = [](std::vector<Offset> ptr, std::vector<Index> adjacency) {
    return test::error_text(ErrorKind::input, [&] { (void)Graph(ptr, adjacency); });
  };
  EXPECT_EQ(flaw({0, 1, 2}, {1, 0}), "no Error");
  EXPECT_EQ(flaw({0, 0, 0}, {}), "no Error");
  const std::string ends = "graph: ptr must start at 0 and end at the length of the adjacency";
  EXPECT_EQ(flaw({}, {}), ends);
  EXPECT_EQ(flaw({1, 1}, {0}), ends);
  EXPECT_EQ(flaw({0, 1, 2}, {1}), ends);
  EXPECT_EQ(flaw({0, 2, 1, 2}, {1, 2}),
            "graph: ptr descends at vertex 1, expected ascending offsets");
  EXPECT_EQ(flaw({0, 5, 2}, {1, 0}),
            "graph: ptr beyond the adjacency at vertex 0, expected at most 2");
  const std::string order =
      "graph: neighbours of vertex 0 must be ascending, in range and not itself";
  EXPECT_EQ(flaw({0, 1}, {0}), order);
  EXPECT_EQ(flaw({0, 1, 2}, {2, 0}), order);
  EXPECT_EQ(flaw({0, 1, 2}, {-1, 0}), order);
  EXPECT_EQ(flaw({0, 2, 3, 4}, {2, 1, 0, 0}), order);
  EXPECT_EQ(flaw({0, 2, 4}, {1, 1, 0, 0}), order);
  EXPECT_EQ(flaw({0, 1, 1}, {1}), "graph: edge {0,1} is stored in one direction only");
  EXPECT_EQ(flaw({0, 0, 1}, {0}), "graph: edge {1,0} is stored in one direction only");
  EXPECT_EQ(
      test::error_text(
          ErrorKind::input,
          [] {
            (void)Graph(Pattern{2, std::vector<Offset>{0, 1, 1}, std::vector<Index>{0}});
          }),
      "matrix: column 1 does not start with its diagonal entry, expected it first in every column");
}

}  // namespace
}  // namespace kauri
