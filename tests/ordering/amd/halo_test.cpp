// Minimum degree with a halo against the elimination game in which the halo comes last.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <vector>

#include "kauri/core/permutation.hpp"
#include "ordering/amd/amd.hpp"
#include "ordering/leaf/minimum_degree.hpp"
#include "support/systems/graphs.hpp"

namespace kauri::ordering {
namespace {

using namespace kauri::test;

/// Approximate degrees on the quotient graph.
struct Approximate {
  static constexpr bool kExact = false;
  using Workspace = AmdWorkspace;
  static void order(const GraphView& view, Index interior, const AmdOptions& options,
                    Workspace& workspace, std::span<Index> order) {
    halo_minimum_degree(view, interior, options, workspace, order);
  }
};

/// What leaves are ordered by: of options, it has the trace alone.
struct OfLeaves {
  static constexpr bool kExact = true;
  using Workspace = LeafWorkspace;
  static void order(const GraphView& view, Index interior, const AmdOptions& options,
                    Workspace& workspace, std::span<Index> order) {
    EXPECT_TRUE(leaf_minimum_degree(view, interior, workspace, order, {.trace = options.trace}));
  }
};

template <class Method>
class Halo : public testing::Test {
 protected:
  typename Method::Workspace workspace;

  /// The order of the interior; empty if it is no permutation.
  std::vector<Index> order_of(const GraphView& view, Index interior,
                              const AmdOptions& options = {}) {
    std::vector<Index> order(static_cast<std::size_t>(interior));
    Method::order(view, interior, options, workspace, order);
    return Permutation::from_old_of(order).size() == interior ? order : std::vector<Index>{};
  }

  void check_steps(const Graph& graph, Index interior, const std::vector<Index>& weight,
                   const AmdOptions& options, std::uint64_t seed);
  int inexact = 0;  // steps whose degree was not the true one
};
using Methods = testing::Types<Approximate, OfLeaves>;
TYPED_TEST_SUITE(Halo, Methods);

std::vector<Index> halo_order(const GraphView& view, Index interior, const AmdOptions& options,
                              AmdWorkspace& workspace) {
  std::vector<Index> order(static_cast<std::size_t>(interior));
  halo_minimum_degree(view, interior, options, workspace, order);
  return order;
}

std::vector<Index> halo_last(std::vector<Index> order, Index n) {
  for (Index v = static_cast<Index>(order.size()); v < n; ++v) order.push_back(v);
  return order;
}

Index random_interior(Index n, std::mt19937_64& random) {
  return std::uniform_int_distribution<Index>(0, n)(random);
}

std::vector<Index> random_weights(Index n, Index most, std::mt19937_64& random) {
  std::vector<Index> weight(static_cast<std::size_t>(n));
  for (Index& w : weight) w = std::uniform_int_distribution<Index>(1, most)(random);
  return weight;
}

Graph without_edges_of_halo(const Graph& graph, Index interior) {
  auto edges = edges_of(graph);
  std::erase_if(edges, [&](const Edge& e) { return std::min(e.first, e.second) >= interior; });
  return graph_of(graph.size(), edges);
}

/// Rows in each column of L, halo rows with them, in the order of elimination, of the graph in
/// which each vertex stands for its copies.
std::vector<Index> column_counts(const Graph& graph, const std::vector<Index>& weight,
                                 const std::vector<Index>& order) {
  std::vector<Index> first(weight.size() + 1, 0), old_of;
  std::partial_sum(weight.begin(), weight.end(), first.begin() + 1);
  for (const Index v : halo_last(order, graph.size()))
    for (Index copy = first[v]; copy < first[v + 1]; ++copy) old_of.push_back(copy);
  return elimination_game(expanded(graph, weight), old_of);
}

/// The same order, but in each front the pivot comes first: then it has all rows of the front.
std::vector<Index> pivots_first(std::vector<Index> order, const std::map<Index, AmdPivot>& step_of,
                                const std::vector<Index>& weight) {
  for (auto first = order.begin(); first != order.end();) {
    const auto pivot =
        std::find_if(first, order.end(), [&](Index v) { return step_of.contains(v); });
    if (pivot == order.end()) return {};
    Index left = step_of.at(*pivot).eliminated;
    std::rotate(first, pivot, pivot + 1);
    while (left > 0 && first != order.end()) left -= weight[*first++];
    if (left != 0) return {};
  }
  return order;
}

/// Every front has the columns that its step promises, and the first of them the rows that it
/// promises.
void expect_fronts(const std::vector<AmdPivot>& trace, const std::vector<Index>& order,
                   const Graph& graph, const std::vector<Index>& weight, std::uint64_t seed) {
  std::map<Index, AmdPivot> step_of;
  for (const AmdPivot& step : trace)
    ASSERT_TRUE(step_of.emplace(step.vertex, step).second) << "seed " << seed;
  const auto fronts = pivots_first(order, step_of, weight);
  ASSERT_EQ(fronts.size(), order.size()) << "seed " << seed;
  const auto count = column_counts(graph, weight, fronts);
  Index column = 0;
  for (const Index v : fronts) {
    if (const auto step = step_of.find(v); step != step_of.end()) {
      ASSERT_EQ(count[column], step->second.weight + step->second.external)
          << "seed " << seed << " vertex " << v;
    }
    column += weight[v];
  }
}

/// For each place in the order, the places of those that are its neighbours when it is eliminated;
/// halo left out.
std::vector<std::set<Index>> neighbours_at_elimination(const Graph& graph,
                                                       const std::vector<Index>& order) {
  std::map<Index, Index> place;
  for (const Index v : order) place.emplace(v, static_cast<Index>(place.size()));
  std::vector<std::set<Index>> adjacent(order.size());
  for (const auto& [v, k] : place)
    for (const Index u : graph.neighbours(v))
      if (place.contains(u)) adjacent[k].insert(place.at(u));
  for (Index k = 0; k < static_cast<Index>(order.size()); ++k) {
    adjacent[k].erase(adjacent[k].begin(), adjacent[k].upper_bound(k));
    for (const Index u : adjacent[k]) adjacent[u].insert(adjacent[k].begin(), adjacent[k].end());
  }
  return adjacent;
}

template <class Method>
void Halo<Method>::check_steps(const Graph& graph, Index interior, const std::vector<Index>& weight,
                               const AmdOptions& given, std::uint64_t seed) {
  GraphView view = view_of(graph);
  view.weight = weight;
  std::vector<AmdPivot> trace;
  AmdOptions options = given;
  options.trace = &trace;
  const auto order = order_of(view, interior, options);
  Index eliminated = 0;
  for (const AmdPivot& step : trace) {
    ASSERT_LT(step.vertex, interior) << "seed " << seed;
    ASSERT_GE(step.approximate, step.external) << "seed " << seed << " vertex " << step.vertex;
    inexact += step.approximate != step.external;
    eliminated += step.eliminated;
  }
  ASSERT_EQ(eliminated, std::accumulate(weight.begin(), weight.begin() + interior, Index{0}))
      << "seed " << seed;
  expect_fronts(trace, order, graph, weight, seed);
}

TYPED_TEST(Halo, DegreesBoundTheTrueOnesAndHaloIsNeverEliminated) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    std::mt19937_64 random(seed);
    const Graph graph = any_graph(seed);
    const std::vector<Index> ones(static_cast<std::size_t>(graph.size()), 1);
    this->check_steps(graph, random_interior(graph.size(), random), ones,
                      {.aggressive = seed % 16 < 8}, seed);
    if (this->HasFatalFailure()) return;
  }
  EXPECT_EQ(this->inexact == 0, TypeParam::kExact);  // else the bound was never put to the test
}

TYPED_TEST(Halo, WeightsCountLikeCopies) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    std::mt19937_64 random(seed);
    const Graph graph = any_graph(seed);
    if (graph.size() > 30) continue;
    const auto weight = random_weights(graph.size(), seed % 2 == 0 ? 3 : 7, random);
    const Index long_list = seed % 3 == 0 ? 128 : 3;  // few entries: pivots pass variables over
    this->check_steps(graph, random_interior(graph.size(), random), weight,
                      {.aggressive = seed % 16 < 8, .long_list = long_list}, seed);
    if (this->HasFatalFailure()) return;
  }
}

TEST(HaloAmd, WithoutHaloItIsThePlainOrder) {
  AmdWorkspace workspace;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Graph graph = any_graph(seed);
    std::vector<Index> plain(static_cast<std::size_t>(graph.size()));
    ASSERT_TRUE(approximate_minimum_degree(view_of(graph), {.aggressive = seed % 2 == 0}, workspace,
                                           plain));
    ASSERT_EQ(halo_order(view_of(graph), graph.size(), {.aggressive = seed % 2 == 0}, workspace),
              plain)
        << "seed " << seed;
  }
}

// The parent of a front is that of its first neighbour: a front comes right after all fronts below
// it. (Aggressive absorption also gives parents to fronts that have no neighbour in them.)
TYPED_TEST(Halo, FrontsAreInPostorder) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    std::mt19937_64 random(seed);
    const Graph graph = any_graph(seed);
    const Index interior = random_interior(graph.size(), random);
    std::vector<AmdPivot> trace;
    const auto order =
        this->order_of(view_of(graph), interior, {.aggressive = false, .trace = &trace});
    std::map<Index, AmdPivot> step_of;
    for (const AmdPivot& step : trace) step_of.emplace(step.vertex, step);
    const auto fronts =
        pivots_first(order, step_of, std::vector<Index>(static_cast<std::size_t>(graph.size()), 1));
    ASSERT_EQ(fronts.size(), order.size());
    const auto neighbours = neighbours_at_elimination(graph, fronts);
    struct Front {
      Index first = kNone, own = 0;  // place of its pivot, number of its vertices
      Index begin = 0, below = 0;    // first place of the fronts below it, number of their vertices
    };
    std::vector<Front> tree;
    std::map<Index, std::size_t> front_of;
    for (Index k = 0; k < interior; ++k) {
      if (step_of.contains(fronts[k])) tree.push_back({k, step_of.at(fronts[k]).eliminated, k, 0});
      front_of[k] = tree.size() - 1;
    }
    for (const Front& front : tree) {
      ASSERT_EQ(front.begin + front.below, front.first) << "seed " << seed;
      const auto next = neighbours[front.first].lower_bound(front.first + front.own);
      if (next == neighbours[front.first].end()) continue;
      Front& parent = tree[front_of.at(*next)];
      parent.begin = std::min(parent.begin, front.begin);
      parent.below += front.below + front.own;
    }
  }
}

// Rows of any number of words, and what does not fit into them any more.
TYPED_TEST(Halo, AnySize) {
  for (Index n = 61; n <= 1081; n += n < 580 ? 30 : 100) {
    std::mt19937_64 random(static_cast<std::uint64_t>(n));
    const Graph graph = random_graph(n, 2 * n, random);
    const std::vector<Index> ones(static_cast<std::size_t>(n), 1);
    this->check_steps(graph, n / 3 + random_interior(n / 3, random), ones, {},
                      static_cast<std::uint64_t>(n));
    if (n < 580)
      this->check_steps(graph, n / 2, random_weights(n, 2, random), {},
                        static_cast<std::uint64_t>(n));
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(Halo, EdgesBetweenHaloVerticesDoNotCount) {
  int edges = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    std::mt19937_64 random(seed);
    const Graph graph = any_graph(seed);
    const Index interior = random_interior(graph.size(), random);
    const Graph without = without_edges_of_halo(graph, interior);
    edges += without.edges() < graph.edges();
    ASSERT_EQ(this->order_of(view_of(graph), interior), this->order_of(view_of(without), interior))
        << "seed " << seed;
  }
  EXPECT_GT(edges, 0);
}

TEST(HaloAmd, OrderDoesNotDependOnRoomPositionsTagsOrEarlierGraphs) {
  AmdWorkspace shared;
  std::mt19937_64 random(3);
  for (int k = 0; k < 60; ++k) {
    const Graph graph =
        k < 50 ? random_graph(400, 300 + 20 * k, random) : shuffled(grid(30, 20 + k), random);
    const Index interior = random_interior(graph.size(), random);
    AmdWorkspace fresh;
    const auto expected = halo_order(view_of(graph), interior, {}, fresh);
    EXPECT_EQ(halo_order(view_of(graph), interior, {.elbow = 0}, shared), expected);
    EXPECT_EQ(halo_order(view_of(graph), interior, {.elbow = 5}, shared), expected);
    EXPECT_EQ(halo_order(view_of(graph), interior, {.elbow = 0, .wide = true}, shared), expected);
    EXPECT_EQ(halo_order(view_of(graph), interior, {.largest_tag = 3 * graph.size() + 10}, shared),
              expected);
  }
}

TYPED_TEST(Halo, SmallestGraphs) {
  EXPECT_TRUE(this->order_of(view_of(Graph()), 0).empty());
  EXPECT_EQ(this->order_of(view_of(path(1)), 1), std::vector<Index>{0});
  EXPECT_TRUE(this->order_of(view_of(path(1)), 0).empty());
  EXPECT_TRUE(this->order_of(view_of(clique(6)), 0).empty());
  EXPECT_EQ(this->order_of(view_of(path(2)), 1), std::vector<Index>{0});
}

// The more a vertex sees of the halo, the later it comes, though the halo adds nothing to the
// interior's own edges.
TYPED_TEST(Halo, CountsInDegrees) {
  std::vector<Edge> edges{{0, 1}, {1, 2}};
  const Index halo_of[] = {3, 0, 1};  // vertices of the halo that each of 0, 1, 2 sees alone
  Index n = 3;
  for (Index v = 0; v < 3; ++v)
    for (Index k = 0; k < halo_of[v]; ++k) edges.emplace_back(v, n++);
  std::vector<AmdPivot> trace;
  EXPECT_EQ(this->order_of(view_of(graph_of(n, edges)), 3, {.trace = &trace}).size(), 3U);
  ASSERT_GE(trace.size(), 2U);
  EXPECT_NE(trace[0].vertex, 0);
  EXPECT_EQ(trace[0].approximate, 2);
  EXPECT_EQ(trace.back().vertex, 0);
  EXPECT_EQ(trace.back().external, 4);
}

// 2 and 3 cannot be told apart once 0 and 1 are gone, though 0 was a neighbour of 2 alone. Together
// they have 4 neighbours, fewer than 4 has; apart, each would count the other.
TYPED_TEST(Halo, TwinsAreOneVertex) {
  std::vector<Edge> edges{{0, 2}, {1, 2}, {1, 3}};
  for (Index h = 5; h < 9; ++h) edges.insert(edges.end(), {{2, h}, {3, h}});
  for (Index h = 9; h < 14; ++h) edges.emplace_back(4, h);
  const Graph graph = graph_of(14, edges);
  std::vector<Index> weight(14, 1);
  weight[3] = 3;
  GraphView view = view_of(graph);
  view.weight = weight;
  std::vector<AmdPivot> trace;
  EXPECT_EQ(this->order_of(view, 5, {.trace = &trace}).size(), 5U);
  ASSERT_EQ(trace.size(), 4U);
  EXPECT_EQ(trace[0].vertex, 0);
  EXPECT_EQ(trace[1].vertex, 1);
  EXPECT_EQ(trace[2].weight, 4);
  EXPECT_EQ(trace[2].approximate, 4);
  EXPECT_EQ(trace[3].vertex, 4);
}

// A star with its centre in the halo has as many roots as leaves, and all of them come at degree 1.
TYPED_TEST(Halo, ManyRoots) {
  std::vector<AmdPivot> trace;
  EXPECT_EQ(this->order_of(view_of(star(40, 39)), 39, {.trace = &trace}).size(), 39U);
  EXPECT_EQ(trace.size(), 39U);
  for (const AmdPivot& step : trace) EXPECT_EQ(step.external, 1);

  std::mt19937_64 random(5);  // parts of the interior that only the halo joins
  const Graph parts = side_by_side({grid(5, 6), path(9), clique(5), star(7), path(1)});
  auto edges = edges_of(parts);
  for (Index v = 0; v < parts.size(); v += 3) edges.emplace_back(v, parts.size() + v % 2);
  const Graph graph = graph_of(parts.size() + 2, edges);
  this->check_steps(graph, parts.size(), random_weights(graph.size(), 2, random), {}, 0);
}

TYPED_TEST(Halo, Cliques) {
  for (Index interior = 1; interior <= 12; ++interior) {
    std::vector<AmdPivot> trace;
    EXPECT_EQ(this->order_of(view_of(clique(12)), interior, {.trace = &trace}).size(),
              static_cast<std::size_t>(interior));
    ASSERT_EQ(trace.size(), 1U);
    EXPECT_EQ(trace[0].eliminated, interior);
    EXPECT_EQ(trace[0].external, 11);
  }
}

/// Box of a larger seven-point grid, and its neighbours outside as halo.
struct Leaf {
  Graph graph;
  Index interior;
};

Leaf box_leaf(Index a, Index b, Index c, std::mt19937_64& random) {
  std::map<std::array<Index, 3>, Index> id;
  const auto name = random_numbering(a * b * c, random);
  for (Index v = 0; v < a * b * c; ++v) id[{v / (b * c), v / c % b, v % c}] = name[v];
  std::vector<Edge> edges;
  const auto inside = id;
  for (const auto& [at, v] : inside)
    for (int axis = 0; axis < 3; ++axis)
      for (const Index step : {-1, 1}) {
        auto to = at;
        to[axis] += step;
        edges.emplace_back(v, id.try_emplace(to, static_cast<Index>(id.size())).first->second);
      }
  return {graph_of(static_cast<Index>(id.size()), edges), a * b * c};
}

// Knowing the halo must pay: against plain minimum degree of the whole graph with the halo moved to
// the end.
TYPED_TEST(Halo, FillIsAtMostThatOfThePlainOrderWithTheHaloMovedLast) {
  AmdWorkspace amd;
  double sum = 0;
  int count = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    std::mt19937_64 random(seed);
    const auto side = [&] { return std::uniform_int_distribution<Index>(2, 5)(random); };
    const Index third = side();
    const Leaf leaf = seed % 2 == 0
                          ? box_leaf(side(), side(), third, random)
                          : Leaf{random_graph(90, 90 + static_cast<Index>(seed % 150), random), 50};
    const Index n = leaf.graph.size();
    std::vector<Index> plain(static_cast<std::size_t>(n));
    EXPECT_TRUE(approximate_minimum_degree(view_of(leaf.graph), {}, amd, plain));
    std::erase_if(plain, [&](Index v) { return v >= leaf.interior; });
    const auto fill = [&](const std::vector<Index>& order) {
      const auto counts = elimination_game(leaf.graph, halo_last(order, n));
      return std::accumulate(counts.begin(), counts.begin() + leaf.interior, 0.0);
    };
    sum += std::log(fill(this->order_of(view_of(leaf.graph), leaf.interior)) / fill(plain));
    ++count;
  }
  EXPECT_LE(std::exp(sum / count), 1.0);
}

}  // namespace
}  // namespace kauri::ordering
