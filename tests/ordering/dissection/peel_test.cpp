// Vertices eliminated before a dissection: against the elimination game step by step; fill and
// height by column counts and trees.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/peel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "base/threads/allowed_threads.hpp"
#include "kauri/core/ordering.hpp"
#include "ordering/dissection/dissect.hpp"
#include "ordering/graph/compress.hpp"
#include "support/oracles/elimination_game.hpp"
#include "support/process/many_threads.hpp"
#include "support/process/seeds.hpp"
#include "support/systems/separations.hpp"
#include "symbolic/check/quotient_elimination.hpp"
#include "symbolic/tree/elimination_tree.hpp"

namespace kauri::ordering {
namespace {

using namespace kauri::test;
using dissection::peel;
using dissection::Peeling;

/// Replaces each edge by a path with up to `most` further vertices.
Graph subdivided(const Graph& graph, Index most, std::mt19937_64& random) {
  std::vector<Edge> edges;
  Index n = graph.size();
  for (auto [u, v] : edges_of(graph)) {
    for (Index k = static_cast<Index>(random() % static_cast<std::uint64_t>(most + 1)); k > 0; --k)
      edges.emplace_back(u, n), u = n++;
    edges.emplace_back(u, v);
  }
  return graph_of(n, edges);
}

/// Adds a tree of `more` vertices; each new vertex is joined to one of all earlier ones.
Graph with_trees(const Graph& graph, Index more, std::mt19937_64& random) {
  std::vector<Edge> edges = edges_of(graph);
  for (Index v = graph.size(); v < graph.size() + more; ++v)
    edges.emplace_back(static_cast<Index>(random() % static_cast<std::uint64_t>(v)), v);
  return graph_of(graph.size() + more, edges);
}

Graph cycle(Index n) {
  std::vector<Edge> edges = edges_of(path(n));
  edges.emplace_back(0, n - 1);
  return graph_of(n, edges);
}

/// Returns a sparse graph of at most some hundred vertices, of any kind that can be peeled,
/// possibly disconnected.
Graph any_sparse_graph(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](Index end) {
    return static_cast<Index>(random() % static_cast<std::uint64_t>(end));
  };
  const Index n = 3 + below(60);
  const auto one = [&] {
    switch (below(9)) {
      case 0:
        return random_tree(n, 1 + below(n), random);
      case 1:
        return cycle(n);
      case 2:
        return with_trees(cycle(n), below(40), random);
      case 3:
        return subdivided(random_graph(4 + below(8), 4 + below(16), random), 1 + below(50), random);
      case 4:
        return with_trees(subdivided(clique(3 + below(4)), below(6), random), below(40), random);
      case 5:
        return subdivided(grid(2, 2 + below(9)), below(3), random);
      case 6:
        return subdivided(star(3 + below(9)), 40, random);
      case 7:
        return path(1 + below(150));
      default:
        return random_graph(n, n + below(n / 3), random);
    }
  };
  const Graph graph = below(3) == 0 ? side_by_side({one(), one()}) : one();
  return shuffled(graph, random);
}

/// Plays the peeling in the elimination game, and expects the reported neighbours and the core.
void expect_elimination(const Graph& graph, Index interior, const Peeling& peeling) {
  EliminationGame game(graph);
  ASSERT_EQ(peeling.peeled.size(), peeling.above.size());
  for (std::size_t k = 0; k < peeling.peeled.size(); ++k) {
    const Index v = peeling.peeled[k];
    ASSERT_TRUE(v >= 0 && v < interior && game.alive(v)) << "step " << k;
    std::vector<Index> above(peeling.above[k].begin(), peeling.above[k].end());
    std::erase(above, kNone);
    std::sort(above.begin(), above.end());
    ASSERT_EQ(game.eliminate(v), above) << "step " << k;
  }
  const GraphView core = peeling.core.view();
  ASSERT_EQ(core.size(), static_cast<Index>(peeling.vertex.size()));
  ASSERT_EQ(core.size() + static_cast<Index>(peeling.peeled.size()), graph.size());
  ASSERT_TRUE(std::is_sorted(peeling.vertex.begin(), peeling.vertex.end()));
  for (Index v = 0; v < core.size(); ++v) {
    std::vector<Index> neighbours;
    for (const Index u : core.neighbours(v)) neighbours.push_back(peeling.vertex[u]);
    ASSERT_EQ(game.neighbours(peeling.vertex[v]), neighbours) << "vertex " << v << " of the core";
    ASSERT_EQ(v < peeling.interior, peeling.vertex[v] < interior);
  }
}

TEST(Peel, IsAnElimination) {
  Index peeled = 0;
  for (std::uint64_t seed = 0; seed < seeds(1600); ++seed) {
    const Graph graph = any_sparse_graph(seed);
    const auto peeling = peel(view_of(graph), graph.size());
    if (!peeling) continue;
    ++peeled;
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_elimination(graph, graph.size(), *peeling);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(peeled, static_cast<Index>(seeds(1600)) / 2);
}

TEST(Peel, TakesNoHalo) {
  Index peeled = 0, stopped = 0;
  for (std::uint64_t seed = 0; seed < seeds(800); ++seed) {
    const Graph graph = any_sparse_graph(seed);
    const Index interior =
        1 + static_cast<Index>(seed * 7 % static_cast<std::uint64_t>(graph.size()));
    const auto peeling = peel(view_of(graph), interior);
    if (!peeling) continue;
    peeled += peeling->peeled.empty() ? 0 : 1;
    for (Index v = 0; v < peeling->core.size(); ++v)
      stopped += peeling->vertex[v] >= interior && peeling->core.view().degree(v) <= 1;
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_elimination(graph, interior, *peeling);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(peeled, static_cast<Index>(seeds(800)) / 2);
  EXPECT_GT(stopped,
            static_cast<Index>(seeds(800)));  // vertices that stay because they belong to the halo
}

/// The weight of the edge that the elimination of v adds between its neighbours is at most that of
/// v's own edges.
TEST(Peel, HeavyNeighboursAreNotJoined) {
  Index joined = 0, kept = 0;
  for (std::uint64_t seed = 0; seed < seeds(800); ++seed) {
    const Graph graph = any_sparse_graph(seed);
    std::mt19937_64 random(seed);
    std::vector<Index> weight;
    for (Index v = 0; v < graph.size(); ++v)
      weight.push_back(random() % 4 != 0 ? 1 : 1 + static_cast<Index>(random() % 9));
    const auto peeling = peel({graph.ptr(), graph.adjacency(), weight}, graph.size());
    if (!peeling) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_elimination(graph, graph.size(), *peeling);
    if (HasFatalFailure()) return;
    for (std::size_t k = 0; k < peeling->peeled.size(); ++k) {
      const auto [a, b] = peeling->above[k];
      if (b == kNone) continue;
      ASSERT_LE(weight[a] * weight[b], weight[peeling->peeled[k]] * (weight[a] + weight[b]))
          << "step " << k;
      joined += weight[a] != weight[b];
    }
    for (Index v = 0; v < peeling->core.size(); ++v) {
      ASSERT_EQ(peeling->core.weight[v], weight[peeling->vertex[v]]);
      kept += peeling->core.view().degree(v) == 2;
    }
  }
  EXPECT_GT(joined, static_cast<Index>(seeds(800)));
  EXPECT_GT(kept, static_cast<Index>(seeds(800)));  // mostly where weights forbid the elimination
}

// A path between two cliques: if light vertices separate heavy cliques, one vertex of the path
// stays in the core.
TEST(Peel, OneVertexOfAChainParts) {
  std::vector<Edge> edges = edges_of(side_by_side({clique(4), path(20), clique(4)}));
  edges.emplace_back(3, 4), edges.emplace_back(23, 24);
  const Graph graph = graph_of(28, edges);
  for (const Index heavy : {1, 2, 3, 30}) {
    std::vector<Index> weight(28, 1);
    for (const Index v : {0, 1, 2, 3, 24, 25, 26, 27}) weight[v] = heavy;
    const auto peeling = peel({graph.ptr(), graph.adjacency(), weight}, 28);
    ASSERT_TRUE(peeling);
    EXPECT_EQ(peeling->core.size(), heavy <= 2 ? 8 : 9) << heavy;
  }
}

// Arms of a hub, each with a long light stretch and then a heavy one; leaves peel from the end. A
// light vertex between heavy ends is not eliminated before it has become a leaf.
TEST(Peel, LongHangingChainsAreShortenedByWeight) {
  for (const Index light : {31, 32, 40, 75})
    for (const Index tip : {20, 31, 32, 33, 64, 70})
      for (const Index heavy : {1, 2, 3, 9}) {
        std::vector<Edge> edges;
        std::vector<Index> weight{heavy};
        for (int arm = 0; arm < 4; ++arm)
          for (Index k = 0; k < light + tip; ++k) {
            const auto v = static_cast<Index>(weight.size());
            edges.emplace_back(k == 0 ? 0 : v - 1, v);
            weight.push_back(k < light ? 1 : heavy);
          }
        const auto n = static_cast<Index>(weight.size());
        const Graph graph = graph_of(n, edges);
        for (const Index interior :
             {n, n - 1, n - light - tip}) {  // the last tip, or the last arm, belongs to the halo
          const auto peeling = peel({graph.ptr(), graph.adjacency(), weight}, interior);
          ASSERT_TRUE(peeling);
          SCOPED_TRACE(std::to_string(light) + ", " + std::to_string(tip) + ", " +
                       std::to_string(heavy));
          expect_elimination(graph, interior, *peeling);
          if (HasFatalFailure()) return;
          if (interior == n) {
            EXPECT_LE(peeling->core.size(), 1);
          }
          for (std::size_t k = 0; k < peeling->peeled.size(); ++k)
            if (const auto [a, b] = peeling->above[k]; b != kNone) {
              ASSERT_LE(weight[a] * weight[b],
                        weight[peeling->peeled[k]] * (weight[a] + weight[b]));
            }
        }
      }
}

TEST(Peel, LeavesAloneWhatHasFewToTake) {
  std::mt19937_64 random(1);
  for (const Graph& graph : {graph_of(0, {}), grid(30, 30), clique(50), grid(2, 60),
                             with_trees(grid(30, 30), 50, random)})
    EXPECT_FALSE(peel(view_of(graph), graph.size()));
  EXPECT_TRUE(peel(view_of(path(3)), 3));
}

// Trees, cycles and series-parallel extensions of them leave no core, or almost none.
TEST(Peel, TakesNearlyAllOfThinGraphs) {
  std::mt19937_64 random(2);
  for (const Graph& graph : {random_tree(3000, 3000, random), path(3000), cycle(3000), star(3000),
                             with_trees(path(1500), 1500, random)}) {
    const auto peeling = peel(view_of(graph), graph.size());
    ASSERT_TRUE(peeling);
    EXPECT_LE(peeling->core.size(), 3);
  }
  const Graph network = with_trees(subdivided(grid(12, 12), 20, random), 2000, random);
  EXPECT_LE(peel(view_of(network), network.size())->core.size(), 144);
}

TEST(PlaceAll, KeepsSubtreesTogetherBelowTheirParents) {
  Index placed = 0;
  for (std::uint64_t seed = 0; seed < seeds(400); ++seed) {
    const Graph graph = any_sparse_graph(seed);
    const Index n = graph.size(), interior = seed % 2 == 0 ? n : 1 + n / 2;
    const auto peeling = peel(view_of(graph), interior);
    if (!peeling) continue;
    placed += !peeling->peeled.empty() && peeling->interior > 0;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::vector<Index> core(static_cast<std::size_t>(peeling->interior)),
        order(static_cast<std::size_t>(interior), kNone);
    std::iota(core.begin(), core.end(), 0);
    std::shuffle(core.begin(), core.end(), std::mt19937_64(seed));
    place_all(*peeling, core, order);
    std::vector<Index> place(static_cast<std::size_t>(n), n);
    for (Index k = 0; k < interior; ++k) place[order[k]] = k;
    ASSERT_EQ(std::count(place.begin(), place.end(), n), n - interior);
    // First place of each vertex's subtree; peeled vertices come before those above them, so theirs
    // are final first.
    std::vector<Index> first = place;
    for (std::size_t k = 0; k < peeling->peeled.size(); ++k) {
      const Index v = peeling->peeled[k];
      const auto [a, b] = peeling->above[k];
      const Index up = b == kNone || place[a] < place[b] ? a : b;
      ASSERT_LT(place[v], place[up]);
      if (up < interior) first[up] = std::min(first[up], first[v]);
    }
    std::vector<Index> size(static_cast<std::size_t>(n), 1);
    for (std::size_t k = 0; k < peeling->peeled.size(); ++k) {
      const auto [a, b] = peeling->above[k];
      const Index v = peeling->peeled[k];
      ASSERT_EQ(place[v] - first[v] + 1, size[v]);
      size[b == kNone || place[a] < place[b] ? a : b] += size[v];
    }
    for (std::size_t k = 1; k < core.size(); ++k)
      ASSERT_LT(place[peeling->vertex[core[k - 1]]], place[peeling->vertex[core[k]]]);
  }
  EXPECT_GT(placed, static_cast<Index>(seeds(400)) / 2);
}

struct Outcome {
  Offset entries = 0;
  Index height = 0;
};

Outcome outcome_of(const Graph& graph,
                   const OrderingOptions& options = {.method = OrderingMethod::nested_dissection}) {
  const Permutation permutation = order(graph, options);
  Outcome outcome;
  for (const Index c : symbolic::quotient_column_counts(graph, permutation)) outcome.entries += c;
  const CompressedGraph whole(graph, false);
  const auto old_of = permutation.old_of();
  const auto parent = symbolic::elimination_tree(
      symbolic::PermutedAdjacency(whole, {old_of.begin(), old_of.end()}));
  std::vector<Index> height(parent.size(), 1);
  for (std::size_t j = 0; j < parent.size(); ++j) {
    outcome.height = std::max(outcome.height, height[j]);
    if (parent[j] != kNone) height[parent[j]] = std::max(height[parent[j]], height[j] + 1);
  }
  return outcome;
}

// Fill equals that of exact minimum degree: none in trees, n - 3 entries in a cycle.
TEST(Peel, FillIsThatOfMinimumDegree) {
  std::mt19937_64 random(3);
  for (const Index n : {300, 5000}) {
    for (const Graph& tree :
         {random_tree(n, n, random), star(n), with_trees(path(20), n - 20, random),
          subdivided(star(n / 50), 60, random)})
      EXPECT_EQ(outcome_of(shuffled(tree, random)).entries, 2 * Offset{tree.size()} - 1);
    EXPECT_EQ(outcome_of(shuffled(cycle(n), random)).entries, 3 * Offset{n} - 3);
    const Graph forest = shuffled(
        side_by_side({random_tree(n, n, random), random_tree(n / 2, n, random), path(20)}), random);
    EXPECT_EQ(outcome_of(forest).entries, 2 * Offset{forest.size()} - 3);
  }
  for (std::uint64_t seed = 0; seed < seeds(40);
       ++seed) {  // chords, which alone are no reason to contract a chain
    const Graph graph = shuffled(with_trees(random_tree(600, 600, random), 600, random), random);
    std::vector<Edge> edges = edges_of(graph);
    for (Index k = 0; k < 40; ++k)
      edges.emplace_back(static_cast<Index>(random() % 1200), static_cast<Index>(random() % 1200));
    const Graph network = graph_of(1200, edges);
    const auto least = outcome_of(network, {.method = OrderingMethod::minimum_degree}).entries;
    ASSERT_LE(outcome_of(network).entries, least + least / 25) << "seed " << seed;
  }
}

// Eliminating the vertices of a long chain one after another would give as many levels of the
// elimination tree.
TEST(Peel, LongChainsAreShallow) {
  constexpr Index n = kSanitized ? 20000 : 1000000;
  std::mt19937_64 random(4);
  const Graph combs = with_trees(path(n / 2), n / 2, random);
  for (const Graph& graph : {path(n), shuffled(path(n), random), cycle(n), combs}) {
    const Outcome outcome = outcome_of(graph);
    EXPECT_LE(outcome.height, 110);
    EXPECT_LE(outcome.entries, 3 * Offset{n} - 3);
  }
  std::vector<Edge> edges;  // a spine of combs, each with teeth longer than the layers of a round
  for (Index v = 1; v < n; ++v)
    edges.emplace_back(v % 40 != 0 ? v - 1 : v % 40000 != 0 ? v - 40 : v - 40000, v);
  EXPECT_LE(outcome_of(graph_of(n, edges)).height, 250);
}

TEST(Peel, ThreadsChangeNothing) {
  const ManyThreads many;
  std::mt19937_64 random(5);
  for (const Graph& graph :
       {with_trees(subdivided(grid(60, 60), 2, random), 3000, random),
        with_trees(random_graph(2000, 6000, random), 4000, random), path(5000)})
    for (const Effort effort : {Effort::fast, Effort::standard, Effort::best}) {
      std::vector<Index> first;
      for (const int threads : {1, 2, 5}) {
        std::vector<Index> found(static_cast<std::size_t>(graph.size()), kNone);
        with_threads(threads, [&] { nested_dissection(view_of(graph), {7, effort}, found); });
        if (first.empty()) first = found;
        ASSERT_EQ(found, first) << threads;
      }
    }
}

// The core is dissected as it would be alone: a body with trees attached has the fill of the body
// and no more.
TEST(Peel, TheCoreIsDissected) {
  std::mt19937_64 random(6);
  const Graph body = grid(70, 70), dressed = with_trees(subdivided(body, 2, random), 4000, random);
  const auto alone = outcome_of(body).entries, with = outcome_of(dressed).entries;
  EXPECT_LE(with, alone + 3 * Offset{dressed.size() - body.size()});
}

TEST(Peel, RowsThatComeLastDo) {
  std::mt19937_64 random(7);
  const Graph graph =
      shuffled(with_trees(subdivided(grid(20, 20), 3, random), 800, random), random);
  OrderingOptions options{.method = OrderingMethod::nested_dissection};
  for (Index k = 0; k < 30; ++k) options.last.push_back(37 * k + 5);
  const Permutation found = order(graph, options);
  for (Index k = 0; k < 30; ++k) EXPECT_EQ(found.old_of(graph.size() - 30 + k), options.last[k]);
}

// Long strips are divided across although their separators are thin, for half as many entries more.
TEST(Dissection, LongStripsAreShallow) {
  std::mt19937_64 random(5);
  for (const auto& [width, length] :
       {std::pair<Index, Index>{2, 20000}, {3, 9000}, {10, 4000}, {40, 2000}}) {
    for (const Graph& graph : {grid(width, length), shuffled(grid(width, length), random)}) {
      for (const Effort effort : {Effort::fast, Effort::standard, Effort::best}) {
        const Outcome nd =
            outcome_of(graph, {.method = OrderingMethod::nested_dissection, .effort = effort});
        EXPECT_LE(nd.height, 30 * width + 200)
            << width << " x " << length << ' ' << name_of(effort);
      }
      const Outcome nd = outcome_of(graph),
                    amd = outcome_of(graph, {.method = OrderingMethod::amd});
      EXPECT_LE(static_cast<double>(nd.entries), 1.6 * static_cast<double>(amd.entries));
    }
  }
}

}  // namespace
}  // namespace kauri::ordering
