// Nested dissection as a method of order(): graphs larger than its leaves, of every shape that may
// be hard for a recursion.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "kauri/core/ordering.hpp"
#include "kauri/extras/generate.hpp"
#include "support/process/many_threads.hpp"
#include "support/systems/graphs.hpp"

namespace kauri {
namespace {

using namespace kauri::test;

constexpr Effort kEfforts[] = {Effort::fast, Effort::standard, Effort::best};

/// Returns a path in which each vertex has `legs` further neighbours.
Graph caterpillar(Index length, Index legs) {
  auto edges = edges_of(path(length));
  Index n = length;
  for (Index v = 0; v < length; ++v)
    for (Index k = 0; k < legs; ++k) edges.emplace_back(v, n++);
  return graph_of(n, edges);
}

/// Returns a complete bipartite graph.
Graph bipartite(Index left, Index right) {
  std::vector<Edge> edges;
  for (Index u = 0; u < left; ++u)
    for (Index v = 0; v < right; ++v) edges.emplace_back(u, left + v);
  return graph_of(left + right, edges);
}

/// Returns a grid with rows that meet a fifth of all vertices.
Graph grid_with_dense_rows() {
  auto edges = edges_of(grid(40, 40));
  for (Index k = 0; k < 1600; k += 5) edges.emplace_back(7, k), edges.emplace_back(801, k + 3);
  return graph_of(1600, edges);
}

std::map<std::string, Graph> shapes() {
  std::mt19937_64 random(17);
  std::map<std::string, Graph> all;
  all["nothing"] = Graph();
  all["one vertex"] = path(1);
  all["no edges"] = graph_of(3000, {});
  all["star"] = star(3000, 7);
  all["clique"] = clique(450);
  all["path"] = path(5000);
  all["shuffled path"] = shuffled(path(5000), random);
  all["caterpillar"] = caterpillar(500, 5);
  all["bipartite"] = bipartite(30, 600);
  all["dense rows"] = grid_with_dense_rows();
  all["grid"] = shuffled(grid(60, 60), random);
  all["chain of cliques"] = expanded(grid(1, 300), std::vector<Index>(300, 6));
  all["random"] = random_graph(3000, 9000, random);
  all["sparse random"] = random_graph(3000, 2000, random);
  all["pieces"] = shuffled(side_by_side({grid(30, 30), star(500), clique(230), path(700),
                                         graph_of(400, {}), grid(25, 11)}),
                           random);
  return all;
}

// order() checks that the result is a permutation.
TEST(NestedDissection, OrdersEveryShape) {
  const ManyThreads many;
  for (const auto& [name, graph] : shapes())
    for (const bool reduced : {true, false}) {
      OrderingOptions options{.method = OrderingMethod::nested_dissection, .compress = reduced};
      if (!reduced) options.dense = 0;
      for (const Effort effort : kEfforts) {
        options.effort = effort;
        const Permutation p = order(graph, options);
        ASSERT_EQ(p.size(), graph.size()) << name;
        for (const int threads : {1, 2, 5}) {
          options.threads = threads;
          ASSERT_EQ(order(graph, options), p) << name << ", " << threads << " threads";
        }
        options.threads = 0;
      }
    }
}

TEST(NestedDissection, SeedsDifferAndRepeat) {
  const Graph graph(
      generate("rgg3d 3000 10 1").pattern());  // on a lattice level sets win for any seed
  const auto with_seed = [&](std::uint64_t seed) {
    return order(graph, {.method = OrderingMethod::nested_dissection, .seed = seed});
  };
  std::set<std::vector<Index>> different;
  for (const std::uint64_t seed :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, ~std::uint64_t{0}}) {
    const Permutation p = with_seed(seed);
    EXPECT_EQ(with_seed(seed), p);
    different.emplace(p.old_of().begin(), p.old_of().end());
  }
  EXPECT_GT(different.size(), 1U);
}

// In a path a column has at most two entries below its diagonal, if its neighbours are the ends of
// the remaining pieces.
TEST(NestedDissection, LeavesLittleFill) {
  for (const Effort effort : kEfforts) {
    const auto fill = [&](const Graph& graph, OrderingMethod method) {
      const Permutation p = order(graph, {.method = method, .effort = effort});
      return static_cast<double>(naive_fill(graph, p.old_of()));
    };
    EXPECT_LE(fill(path(1000), OrderingMethod::nested_dissection), 3.0 * 1000);
    std::mt19937_64 random(3);
    const Graph square = shuffled(grid(32, 32), random);
    EXPECT_LE(fill(square, OrderingMethod::nested_dissection),
              1.15 * fill(square, OrderingMethod::amd));
    EXPECT_LE(fill(square, OrderingMethod::nested_dissection),
              0.6 * fill(square, OrderingMethod::rcm));
  }
}

}  // namespace
}  // namespace kauri
