// Nested dissection as a whole: permutations of any graph, independent of the number of threads,
// with the fill of a dissection.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/dissect.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "base/threads/allowed_threads.hpp"
#include "ordering/amd/amd.hpp"
#include "support/process/many_threads.hpp"
#include "support/process/seeds.hpp"
#include "support/systems/patterns.hpp"
#include "support/systems/separations.hpp"
#include "symbolic/check/quotient_elimination.hpp"

namespace kauri::ordering {
namespace {

using namespace kauri::test;

constexpr Effort kEfforts[] = {Effort::fast, Effort::standard, Effort::best};

std::vector<Index> order_of(const GraphView& graph, const DissectionOptions& options = {},
                            int threads = 1) {
  std::vector<Index> order(static_cast<std::size_t>(graph.size()), kNone);
  with_threads(threads, [&] { nested_dissection(graph, options, order); });
  return order;
}

bool is_permutation_of(Index n, const std::vector<Index>& order) {
  std::vector<char> met(static_cast<std::size_t>(n), 0);
  for (const Index v : order)
    if (v < 0 || v >= n || met[v]++) return false;
  return order.size() == met.size();
}

/// Entries of L and operations, by column counts.
struct Fill {
  Offset entries = 0;
  double operations = 0;
  Index widest = 0;
};

Fill fill_of(const Graph& graph, const Permutation& permutation) {
  Fill fill;
  for (const Index c : symbolic::quotient_column_counts(graph, permutation)) {
    fill.entries += c;
    fill.operations += static_cast<double>(c) * c;
    fill.widest = std::max(fill.widest, c);
  }
  return fill;
}

Fill fill_of(const Graph& graph, const DissectionOptions& options = {}) {
  return fill_of(graph, Permutation::from_old_of(order_of(view_of(graph), options)));
}

Fill minimum_degree_fill(const Graph& graph) {
  AmdWorkspace workspace;
  std::vector<Index> order(static_cast<std::size_t>(graph.size()));
  EXPECT_TRUE(approximate_minimum_degree(view_of(graph), {}, workspace, order));
  return fill_of(graph, Permutation::from_old_of(order));
}

/// Returns a chain of n / clique cliques, each joined to the next by one edge.
Graph clique_chain(Index n, Index clique) {
  std::vector<Edge> edges;
  for (Index v = 0; v < n; ++v) {
    for (Index u = v / clique * clique; u < v; ++u) edges.emplace_back(u, v);
    if (v % clique == 0 && v > 0) edges.emplace_back(v - 1, v);
  }
  return graph_of(n, edges);
}

/// Returns a spine in which each vertex has `leaves` further neighbours.
Graph caterpillar(Index spine, Index leaves) {
  std::vector<Edge> edges;
  for (Index v = 0; v < spine; ++v) {
    if (v > 0) edges.emplace_back(v - 1, v);
    for (Index k = 0; k < leaves; ++k) edges.emplace_back(v, spine + v * leaves + k);
  }
  return graph_of(spine * (leaves + 1), edges);
}

Graph barbell(Index clique_size, Index between) {
  std::vector<Edge> edges =
      edges_of(side_by_side({clique(clique_size), path(between), clique(clique_size)}));
  edges.emplace_back(clique_size - 1, clique_size);
  edges.emplace_back(clique_size + between - 1, clique_size + between);
  return graph_of(2 * clique_size + between, edges);
}

struct Named {
  std::string name;
  Graph graph;
};

std::vector<Named> hostile_graphs() {
  std::mt19937_64 random(1);
  std::vector<Named> all;
  for (const Index n : {0, 1, 2, 3, 199, 200, 201, 202, 1000}) {
    all.push_back({"no edges " + std::to_string(n), graph_of(n, {})});
    all.push_back({"path " + std::to_string(n), path(n)});
    if (n > 0) all.push_back({"star " + std::to_string(n), shuffled(star(n), random)});
  }
  for (const Index n : {2, 200, 201, 400})
    all.push_back({"clique " + std::to_string(n), clique(n)});
  all.push_back({"caterpillar", shuffled(caterpillar(700, 2), random)});
  all.push_back({"broom", side_by_side({caterpillar(3, 900)})});
  all.push_back({"tree", shuffled(random_tree(3000, 3000, random), random)});
  all.push_back({"long tree", shuffled(random_tree(3000, 3, random), random)});
  for (const auto& [left, right] : {std::pair{1, 500}, {30, 400}, {250, 250}})
    all.push_back({"bipartite " + std::to_string(left), shuffled(bipartite(left, right), random)});
  all.push_back({"pairs", graph_of(20000, [] {
                   std::vector<Edge> edges;
                   for (Index v = 0; v < 20000; v += 2) edges.emplace_back(v, 19999 - v);
                   return edges;
                 }())});
  all.push_back({"unlike parts", shuffled(side_by_side({grid(30, 30), path(500), star(700),
                                                        graph_of(400, {}), grid(5, 5)}),
                                          random)});
  all.push_back({"barbell", barbell(150, 1)});
  all.push_back({"long barbell", barbell(120, 500)});
  all.push_back({"clique chain", clique_chain(1200, 40)});
  all.push_back({"dense random", random_graph(500, 30000, random)});
  all.push_back({"expander", random_graph(2000, 8000, random)});
  all.push_back({"grid", grid(45, 45)});
  all.push_back({"strip", grid(3, 1500)});
  all.push_back({"box", shuffled(box_graph(11, 11, 11), random)});
  all.push_back({"mesh", geometric_graph(1500, 0.05, random)});
  all.push_back({"twins", shuffled(expanded(grid(12, 12), std::vector<Index>(144, 8)), random)});
  all.push_back({"wheel", graph_of(1500, [] {
                   std::vector<Edge> edges;
                   for (Index v = 1; v < 1500; ++v)
                     edges.emplace_back(0, v), edges.emplace_back(v, v == 1 ? 1499 : v - 1);
                   return edges;
                 }())});
  return all;
}

/// Returns no weights, small ones, powers of two, one that exceeds the sum of all others, or equal
/// ones. Minimum degree needs memory for their sum.
std::vector<Index> weights_of_kind(Index n, int kind) {
  std::vector<Index> weight(kind == 0 ? 0 : static_cast<std::size_t>(n), 1);
  for (std::size_t v = 0; v < weight.size(); ++v) {
    if (kind == 1) weight[v] = 1 + static_cast<Index>(v * v % 7);
    if (kind == 2) weight[v] = Index{1} << v * 5 % 8;
    if (kind == 3 && v == weight.size() / 2) weight[v] = 1 << 18;
    if (kind == 4) weight[v] = (1 << 20) / n;
  }
  return weight;
}

TEST(Dissection, PermutesSmallGraphs) {
  for (std::uint64_t seed = 0; seed < seeds(4000); ++seed) {
    const auto weighted =
        with_weights(seed % 2 == 0 ? any_graph(seed / 2) : graph_to_divide(seed / 2, 230), seed);
    const Effort effort = kEfforts[seed % 3];
    ASSERT_TRUE(is_permutation_of(weighted.size(), order_of(weighted.view(), {seed, effort})))
        << "seed " << seed;
  }
}

TEST(Dissection, ThreadsChangeNothing) {
  const ManyThreads many;
  for (std::uint64_t seed = 0; seed < seeds(160); ++seed) {
    const auto weighted = with_weights(graph_to_divide(seed, 1500), seed);
    const Effort effort = kEfforts[seed % 3];
    const auto expected = order_of(weighted.view(), {seed, effort});
    ASSERT_TRUE(is_permutation_of(weighted.size(), expected)) << "seed " << seed;
    for (const int threads : {1, 3, 8})
      ASSERT_EQ(order_of(weighted.view(), {seed, effort}, threads), expected) << "seed " << seed;
  }
}

TEST(Dissection, PermutesHostileGraphs) {
  const ManyThreads many;
  int kind = 0;
  for (const Named& named : hostile_graphs())
    for (const Effort effort : kEfforts) {
      const auto weight = weights_of_kind(named.graph.size(), kind++ % 5);
      const GraphView view{named.graph.ptr(), named.graph.adjacency(), weight};
      const auto expected = order_of(view, {7, effort});
      ASSERT_TRUE(is_permutation_of(view.size(), expected)) << named.name;
      ASSERT_EQ(order_of(view, {7, effort}, 8), expected) << named.name;
    }
}

TEST(Dissection, PermutesWhateverTheWeights) {
  for (const Named& named : hostile_graphs()) {
    if (named.graph.size() > 1500 || named.graph.edges() > 20000) continue;
    for (int kind = 1; kind < 5; ++kind) {
      const auto weight = weights_of_kind(named.graph.size(), kind);
      const GraphView view{named.graph.ptr(), named.graph.adjacency(), weight};
      ASSERT_TRUE(is_permutation_of(view.size(), order_of(view, {1, Effort::fast})))
          << named.name << " kind " << kind;
    }
  }
}

// Large enough for searches that threads share.
TEST(Dissection, ThreadsChangeNothingOnLargeGraphs) {
  const ManyThreads many;
  std::mt19937_64 random(2);
  const Graph parts =
      shuffled(side_by_side({grid(150, 150), path(300), box_graph(10, 10, 10)}), random);
  for (const Effort effort : kEfforts) {
    const auto expected = order_of(view_of(parts), {3, effort});
    ASSERT_TRUE(is_permutation_of(parts.size(), expected));
    for (const int threads : {2, 3, 8, 0})
      ASSERT_EQ(order_of(view_of(parts), {3, effort}, threads), expected) << threads;
    if (kSanitized) break;
  }
}

// The body is large enough for several blocks of each loop over vertices.
TEST(Dissection, ThreadsChangeNothingInABody) {
  const ManyThreads many;
  const Graph body = box_graph(42, 42, 42);
  const auto expected = order_of(view_of(body), {1, Effort::fast});
  ASSERT_TRUE(is_permutation_of(body.size(), expected));
  for (const int threads : {2, 8})
    ASSERT_EQ(order_of(view_of(body), {1, Effort::fast}, threads), expected) << threads;
}

TEST(Dissection, TheSeedAndTheEffortMatter) {
  std::mt19937_64 random(3);
  const Graph mesh = shuffled(grid(60, 60), random), small = geometric_graph(150, 0.15, random);
  const auto first = order_of(view_of(mesh), {1, Effort::standard});
  EXPECT_EQ(order_of(view_of(mesh), {1, Effort::standard}), first);
  bool other = false;
  for (std::uint64_t seed = 2; seed < 10; ++seed)
    other = other || order_of(view_of(mesh), {seed, Effort::standard}) != first;
  EXPECT_TRUE(other);
  EXPECT_NE(order_of(view_of(mesh), {1, Effort::best}), first);
  // The order of a leaf depends on neither.
  EXPECT_EQ(order_of(view_of(small), {2, Effort::best}),
            order_of(view_of(small), {1, Effort::fast}));
}

// The view's lists lie among those of other graphs, as a component's do.
TEST(Dissection, ViewsOfOtherGraphs) {
  std::mt19937_64 random(4);
  const Graph mesh = geometric_graph(900, 0.07, random);
  std::vector<Offset> ptr;
  std::vector<Index> adjacency(1000, 77);
  for (const Offset p : mesh.ptr()) ptr.push_back(p + 1000);
  adjacency.insert(adjacency.end(), mesh.adjacency().begin(), mesh.adjacency().end());
  adjacency.resize(adjacency.size() + 10, 99);
  for (const Effort effort : kEfforts)
    EXPECT_EQ(order_of({ptr, adjacency, {}}, {1, effort}), order_of(view_of(mesh), {1, effort}));
}

struct Box {
  Index x, y, z;
  double entries, operations;  // bounds relative to geometric dissection
};

// Geometric dissection cuts each box at its middle down to four points; minimum degree on the
// leaves is better at the bottom. The strip of 20 x 300 is divided across for the height of its
// tree: minimum degree alone would take 0.58 of the operations.
TEST(Dissection, FillOfGridsIsThatOfDissection) {
  std::mt19937_64 random(5);
  for (const Box& box : {Box{40, 40, 1, 0.83, 0.72}, Box{100, 100, 1, 0.81, 0.69},
                         Box{20, 300, 1, 0.80, 0.72}, Box{14, 14, 14, 0.65, 0.52}}) {
    const Graph graph = box_graph(box.x, box.y, box.z), mixed = shuffled(graph, random);
    const Fill geometric = fill_of(graph, grid_dissection(box.x, box.y, box.z));
    for (const Effort effort : kEfforts)
      for (const Graph* g : {&graph, &mixed}) {
        const Fill fill = fill_of(*g, {1, effort});
        EXPECT_LE(static_cast<double>(fill.entries),
                  box.entries * static_cast<double>(geometric.entries))
            << box.x;
        EXPECT_LE(fill.operations, box.operations * geometric.operations) << box.x;
      }
  }
}

// Irregular meshes of some thousand vertices, where minimum degree is worse.
TEST(Dissection, NotWorseThanMinimumDegreeOnMeshes) {
  std::mt19937_64 random(6);
  for (const Graph& mesh : {geometric_graph(4000, 0.035, random), shuffled(grid(90, 90), random),
                            shuffled(box_graph(16, 16, 16), random)}) {
    const Fill amd = minimum_degree_fill(mesh);
    for (const Effort effort : kEfforts) {
      const Fill fill = fill_of(mesh, {1, effort});
      EXPECT_LE(fill.operations, amd.operations);
    }
  }
}

// Leaves are ordered with the surrounding separators as halo; without it, minimum degree causes
// fill there. A separator comes last.
TEST(Dissection, TheLastVerticesSeparate) {
  const Graph graph = grid(30, 60);
  for (const Effort effort : kEfforts) {
    const auto order = order_of(view_of(graph), {1, effort});
    std::vector<char> taken(order.size(), 0);
    for (std::size_t k = order.size() - 40; k < order.size(); ++k) taken[order[k]] = 1;
    std::vector<Index> component{order.front()};
    taken[order.front()] = 1;
    for (std::size_t head = 0; head < component.size(); ++head)
      for (const Index u : graph.neighbours(component[head]))
        if (!taken[u]) taken[u] = 1, component.push_back(u);
    EXPECT_LE(component.size(), order.size() * 7 / 10);
    EXPECT_GE(component.size(), order.size() * 3 / 10);
  }
}

TEST(Dissection, TreesHaveNoMoreFillThanByMinimumDegree) {
  for (std::uint64_t seed = 0; seed < seeds(48); ++seed) {
    std::mt19937_64 random(seed);
    const Index n = 100 + static_cast<Index>(random() % 2000),
                reach = seed % 3 == 0 ? n : 1 + static_cast<Index>(random() % 20);
    const Graph tree = shuffled(random_tree(n, reach, random), random);
    const auto fill = fill_of(tree, {seed, kEfforts[seed % 3]});
    const Offset least = 2 * Offset{n} - 1;  // without fill
    ASSERT_LE(fill.entries, least + (reach == n ? 0 : n - 2))
        << "seed " << seed;  // fill in long chains only, for the sake of height
    ASSERT_EQ(minimum_degree_fill(tree).entries, least) << "seed " << seed;
  }
}

TEST(Dissection, ThinGraphsHaveLittleFill) {
  std::mt19937_64 random(7);
  for (const Graph& graph :
       {shuffled(clique_chain(2000, 5), random), star(3000), random_tree(3000, 3000, random)}) {
    const Fill fill = fill_of(graph), amd = minimum_degree_fill(graph);
    EXPECT_LE(fill.entries, amd.entries + amd.entries / 20);
  }
  // An order that does not run from end to end meets two separators: half as many entries more, for
  // a height that grows with the logarithm of n.
  for (const Graph& graph : {shuffled(grid(2, 2000), random), shuffled(grid(3, 1000), random)})
    EXPECT_LE(static_cast<double>(fill_of(graph).entries),
              1.51 * static_cast<double>(minimum_degree_fill(graph).entries));
  // Long chains are eliminated for little height, which costs one entry per vertex.
  EXPECT_LE(fill_of(path(5000)).entries, 3 * 5000);
  const Graph legs = shuffled(caterpillar(400, 3), random);
  EXPECT_LE(fill_of(legs).entries, minimum_degree_fill(legs).entries + 400);
}

// Disconnected parts are ordered as each would be alone, apart from the seed, so their fill adds
// up.
TEST(Dissection, PartsDoNotMeet) {
  std::mt19937_64 random(8);
  const Graph one = grid(40, 40), both = shuffled(side_by_side({one, one}), random);
  EXPECT_LE(static_cast<double>(fill_of(both).entries),
            2.2 * static_cast<double>(fill_of(one).entries));
  EXPECT_LE(fill_of(both).widest, fill_of(one).widest * 3 / 2);
}

// The depth of recursion does not grow with the length of a graph.
TEST(Dissection, LongGraphs) {
  constexpr Index n = kSanitized ? 20000 : 100000;
  std::mt19937_64 random(9);
  for (const Graph& graph : {path(n), shuffled(path(n), random), caterpillar(n / 2, 1),
                             clique_chain(n, 5), grid(2, n / 2)}) {
    const auto order = order_of(view_of(graph));
    ASSERT_TRUE(is_permutation_of(n, order));
    EXPECT_LE(fill_of(graph, Permutation::from_old_of(order)).entries, 7 * Offset{n});
  }
}

}  // namespace
}  // namespace kauri::ordering
