// Steps of nested dissection against naive versions or their contracts: coarsening, refinement.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "ordering/dissection/multilevel/coarsen.hpp"
#include "ordering/dissection/multilevel/node_refine.hpp"
#include "support/process/seeds.hpp"
#include "support/systems/separations.hpp"

namespace kauri::ordering::dissection {
namespace {

using namespace kauri::test;
using ordering::view_of;

using EdgeWeights = std::map<std::pair<Index, Index>, Offset>;

EdgeWeights weights_of_edges(const GraphView& graph, std::span<const Index> edge_weight) {
  EdgeWeights weight;
  for (Index v = 0; v < graph.size(); ++v)
    for (Offset k = graph.ptr[v]; k < graph.ptr[v + 1]; ++k)
      weight[{v, graph.adjacency[k]}] += edge_weight.empty() ? 1 : edge_weight[k];
  return weight;
}

/// Returns the edges between different coarse vertices, with parallel ones added up.
EdgeWeights contracted(const EdgeWeights& fine, const std::vector<Index>& coarse_of) {
  EdgeWeights coarse;
  for (const auto& [edge, weight] : fine)
    if (coarse_of[edge.first] != coarse_of[edge.second])
      coarse[{coarse_of[edge.first], coarse_of[edge.second]}] += weight;
  return coarse;
}

/// Returns the fine vertices of each coarse vertex.
std::vector<std::vector<Index>> groups_of(const Coarser& coarser) {
  std::vector<std::vector<Index>> group(static_cast<std::size_t>(coarser.graph.size()));
  for (std::size_t v = 0; v < coarser.coarse_of.size(); ++v)
    group.at(coarser.coarse_of[v]).push_back(static_cast<Index>(v));
  return group;
}

void expect_contraction(const GraphView& fine, std::span<const Index> edge_weight,
                        const Coarser& coarser, Index most) {
  ASSERT_EQ(coarser.coarse_of.size(), static_cast<std::size_t>(fine.size()));
  ASSERT_EQ(coarser.graph.weight.size(), static_cast<std::size_t>(coarser.graph.size()));
  const auto group = groups_of(coarser);
  for (std::size_t c = 0; c < group.size(); ++c) {
    ASSERT_TRUE(group[c].size() == 1 || group[c].size() == 2);
    Offset weight = 0;
    for (const Index v : group[c]) weight += fine.weight_of(v);
    ASSERT_EQ(coarser.graph.weight[c], weight);
    ASSERT_TRUE(group[c].size() == 1 || weight <= most) << weight;
  }
  ASSERT_EQ(weights_of_edges(coarser.graph.view(), coarser.graph.edge_weight),
            contracted(weights_of_edges(fine, edge_weight), coarser.coarse_of));
  ASSERT_EQ(coarser.graph.adjacency.size(), static_cast<std::size_t>(coarser.graph.ptr.back()));
  ASSERT_EQ(coarser.graph.edge_weight.size(), coarser.graph.adjacency.size());
}

/// Expects that no two adjacent single vertices could form a pair, and that a pair without an edge
/// has a common neighbour.
void expect_maximal(const GraphView& fine, const Coarser& coarser, Index most) {
  const auto group = groups_of(coarser);
  const auto single = [&](Index v) { return group[coarser.coarse_of[v]].size() == 1; };
  for (Index v = 0; v < fine.size(); ++v)
    for (const Index u : fine.neighbours(v)) {
      if (!single(u) || !single(v)) continue;
      ASSERT_GT(fine.weight_of(u) + fine.weight_of(v), most) << u << " and " << v;
    }
  for (const auto& pair : group) {
    if (pair.size() < 2) continue;
    const auto a = fine.neighbours(pair[0]), b = fine.neighbours(pair[1]);
    if (std::find(a.begin(), a.end(), pair[1]) != a.end()) continue;
    ASSERT_TRUE(std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end())
        << pair[0] << " and " << pair[1];
  }
}

TEST(Coarsen, IsAContractionOfPairs) {
  CoarsenWorkspace shared;
  for (std::uint64_t seed = 0; seed < seeds(1200); ++seed) {
    const auto weighted = with_weights(graph_to_divide(seed, 150), seed);
    LevelGraph last;
    GraphView fine = weighted.view();
    for (int level = 0; level < 4; ++level) {
      const Index heaviest =
          fine.weight.empty() ? 1 : *std::max_element(fine.weight.begin(), fine.weight.end());
      const Index most =
          std::max<Index>(2, seed % 2 == 0 ? fine.total_weight() / 10 : heaviest + 1);
      Coarser next = coarsen(fine, last.edge_weight, most, seed % 4 < 2, shared);
      ASSERT_NO_FATAL_FAILURE(expect_contraction(fine, last.edge_weight, next, most))
          << "seed " << seed << " level " << level;
      ASSERT_NO_FATAL_FAILURE(expect_maximal(fine, next, most))
          << "seed " << seed << " level " << level;
      CoarsenWorkspace fresh;
      ASSERT_EQ(coarsen(fine, last.edge_weight, most, seed % 4 < 2, fresh).coarse_of,
                next.coarse_of)
          << "seed " << seed;
      last = std::move(next.graph);
      fine = last.view();
    }
  }
}

// A triangle with different edge weights and a vertex attached to it: each vertex in turn is
// matched along its heaviest edge.
TEST(Coarsen, TakesTheHeaviestEdge) {
  const Graph graph = graph_of(4, {{0, 1}, {0, 2}, {1, 2}, {2, 3}});
  const std::vector<Index> weight{1, 1, 1, 1}, edge{1, 3, /**/ 1, 9, /**/ 3, 9, 2, /**/ 2};
  CoarsenWorkspace workspace;
  const GraphView view{graph.ptr(), graph.adjacency(), weight};
  EXPECT_EQ(coarsen(view, edge, 10, false, workspace).coarse_of,
            (std::vector<Index>{0, 1, 0, 1}));  // 0 is matched with 2, the others with their common
                                                // neighbour
  EXPECT_EQ(coarsen(view, edge, 10, true, workspace).coarse_of,
            (std::vector<Index>{0, 0, 1, 1}));  // 3 is matched with 2, 1 with 0
}

TEST(Coarsen, TakesTheLightestOfEqualNeighbours) {
  const Graph graph = star(5);
  const std::vector<Index> weight{1, 4, 3, 2, 3}, ones(8, 1);
  CoarsenWorkspace workspace;
  for (const auto& edges : {std::vector<Index>{}, ones}) {
    const auto coarse_of =
        coarsen({graph.ptr(), graph.adjacency(), weight}, edges, 100, false, workspace).coarse_of;
    EXPECT_EQ(coarse_of[0], coarse_of[3]);
  }
}

TEST(Coarsen, StarsShrink) {
  CoarsenWorkspace workspace;
  for (const Index n : {10, 100, 1001}) {
    const Graph graph = star(n, n / 3);
    for (const bool backwards : {false, true})
      EXPECT_LE(coarsen(view_of(graph), {}, n, backwards, workspace).graph.size(), n / 2 + 1);
  }
  std::vector<Edge> edges;  // hubs in a ring
  for (Index hub = 0; hub < 10; ++hub) {
    edges.emplace_back(hub, (hub + 1) % 10);
    for (Index leaf = 0; leaf < 20; ++leaf) edges.emplace_back(hub, 10 + 20 * hub + leaf);
  }
  const Graph ring = graph_of(210, edges);
  EXPECT_LE(coarsen(view_of(ring), {}, 210, false, workspace).graph.size(), 120);
}

TEST(Coarsen, BackwardsIsAnotherHierarchy) {
  CoarsenWorkspace workspace;
  const Graph graph = path(101);
  const auto forwards = coarsen(view_of(graph), {}, 10, false, workspace),
             backwards = coarsen(view_of(graph), {}, 10, true, workspace);
  EXPECT_EQ(forwards.coarse_of[0], forwards.coarse_of[1]);
  EXPECT_NE(backwards.coarse_of[0], backwards.coarse_of[1]);
  EXPECT_EQ(backwards.coarse_of[100], backwards.coarse_of[99]);
}

void refine(const GraphView& graph, Separation& s, const RefineLimits& limits,
            RefineWorkspace& workspace) {
  NodeRefiner(graph, s, workspace).refine(limits);
}

TEST(NodeRefine, NeverWorseValidAndWithinTheLimit) {
  RefineWorkspace shared;
  int better = 0;
  for (std::uint64_t seed = 0; seed < seeds(3000); ++seed) {
    std::mt19937_64 random(seed);
    const auto weighted = with_weights(graph_to_divide(seed, 120), seed);
    const GraphView graph = weighted.view();
    const Separation before = random_separation(graph, random);
    const RefineLimits limits{
        most_side(graph.total_weight(), 0.5 + 0.1 * static_cast<double>(seed % 5)),
        1 + static_cast<int>(seed % 7), static_cast<int>(1 + random() % 60)};
    Separation now = before;
    refine(graph, now, limits, shared);
    ASSERT_EQ(flaw_of(graph, now), "") << "seed " << seed;
    for (const Side side : {kLeft, kRight}) {
      ASSERT_LE(now.weight[side], std::max(limits.most, before.weight[side])) << "seed " << seed;
    }
    const double reference = reference_of(before.weight);
    const double work = predicted_work(before.weight, reference, kSidesWhileMoving);
    // Later passes compare with a smaller reference, by which the sides weigh less and the
    // separator more.
    ASSERT_LE(predicted_work(now.weight, std::min(reference, reference_of(now.weight)),
                             kSidesWhileMoving),
              work)
        << "seed " << seed;
    better += now.weight[kSeparator] < before.weight[kSeparator];
    RefineWorkspace fresh;
    Separation again = before;
    refine(graph, again, limits, fresh);
    ASSERT_EQ(again.side, now.side) << "seed " << seed;
    for (const char state : shared.state) ASSERT_EQ(state, 0);
    ASSERT_TRUE(shared.heap.empty());
  }
  EXPECT_GT(better, static_cast<int>(seeds(3000)) / 2);  // enough of the separations can be
                                                         // improved
}

TEST(NodeRefine, APassIsNeverWorseByItsOwnReference) {
  RefineWorkspace shared;
  for (std::uint64_t seed = 0; seed < seeds(2000); ++seed) {
    std::mt19937_64 random(seed);
    const auto weighted = with_weights(graph_to_divide(seed, 100), seed);
    const GraphView graph = weighted.view();
    const Separation before = random_separation(graph, random);
    Separation now = before;
    refine(graph, now, {graph.total_weight(), 1}, shared);
    const double reference = reference_of(before.weight);
    ASSERT_LE(predicted_work(now.weight, reference, kSidesWhileMoving),
              predicted_work(before.weight, reference, kSidesWhileMoving));
    ASSERT_TRUE(now.side == before.side ||
                predicted_work(now.weight, reference, kSidesWhileMoving) <
                    predicted_work(before.weight, reference, kSidesWhileMoving));
  }
}

// A separator one column wide with a bulge on either side becomes one straight column.
TEST(NodeRefine, StraightensASeparatorOfAGrid) {
  constexpr Index kRows = 9, kColumns = 21;
  const Graph graph = grid(kRows, kColumns);
  RefineWorkspace workspace;
  for (const Index bulge : {-2, -1, 1, 2}) {
    Separation s{std::vector<Side>(static_cast<std::size_t>(graph.size())), {}};
    for (Index v = 0; v < graph.size(); ++v) {
      const Index row = v / kColumns, column = v % kColumns,
                  at = 10 + (row >= 3 && row <= 5 ? bulge : 0);
      const Index low = row == 2 || row == 6 ? std::min<Index>(10, 10 + bulge) : at,
                  high = row == 2 || row == 6 ? std::max<Index>(10, 10 + bulge) : at;
      s.side[v] = column < low ? kLeft : column > high ? kRight : kSeparator;
    }
    s.weight = recounted(view_of(graph), s.side);
    ASSERT_EQ(flaw_of(view_of(graph), s), "");
    ASSERT_GT(s.weight[kSeparator], kRows);
    refine(view_of(graph), s, {graph.size() * 6 / 10}, workspace);
    EXPECT_EQ(s.weight[kSeparator], kRows) << bulge;
  }
}

/// Returns the part weights after each move of a separator vertex with the greatest gain, including
/// vertices that the move brings into the separator.
std::vector<PartWeights> greatest_gains(const GraphView& graph, const Separation& s, Side to) {
  std::vector<PartWeights> best;
  for (Index v = 0; v < graph.size(); ++v) {
    if (s.side[v] != kSeparator) continue;
    auto side = s.side;
    side[v] = to;
    for (const Index u : graph.neighbours(v))
      if (side[u] == 1 - to) side[u] = kSeparator;
    const PartWeights moved = recounted(graph, side);
    if (!best.empty() && moved[kSeparator] > best[0][kSeparator]) continue;
    if (!best.empty() && moved[kSeparator] < best[0][kSeparator]) best.clear();
    best.push_back(moved);
  }
  return best;
}

// A pass begins with a move of the greatest gain. At the end, among the moves of that gain, at
// least one does not improve the separation.
TEST(NodeRefine, EndsWhereTheGreatestGainIsNone) {
  RefineWorkspace workspace;
  for (std::uint64_t seed = 0; seed < seeds(1500); ++seed) {
    std::mt19937_64 random(seed);
    const auto weighted = with_weights(graph_to_divide(seed, 60), seed);
    const GraphView graph = weighted.view();
    Separation s = random_separation(graph, random);
    refine(graph, s, {graph.total_weight(), 1000, 1}, workspace);
    const double reference = reference_of(s.weight),
                 work = predicted_work(s.weight, reference, kSidesWhileMoving);
    for (const Side to : {kLeft, kRight}) {
      const auto moved = greatest_gains(graph, s, to);
      const bool better =
          !moved.empty() && std::all_of(moved.begin(), moved.end(), [&](const PartWeights& w) {
            return predicted_work(w, reference, kSidesWhileMoving) < work;
          });
      ASSERT_FALSE(better) << "seed " << seed << " to " << int{to};
    }
  }
}

TEST(NodeRefine, GrowsHalf) {
  RefineWorkspace shared;
  for (std::uint64_t seed = 0; seed < seeds(2000); ++seed) {
    const auto weighted = with_weights(graph_to_divide(seed, 150), seed);
    const GraphView graph = weighted.view();
    const auto start = static_cast<Index>(seed * 7 % static_cast<std::uint64_t>(graph.size()));
    Separation s, again;
    NodeRefiner(graph, s, shared).grow(start);
    ASSERT_EQ(flaw_of(graph, s), "") << "seed " << seed;
    // The right side has at most half the weight, and would have had more with one step less.
    const Offset total = graph.total_weight();
    ASSERT_GE(2 * s.weight[kLeft] + s.weight[kSeparator], total) << "seed " << seed;
    ASSERT_LE(2 * s.weight[kRight], total) << "seed " << seed;
    ASSERT_NE(s.side[start], kRight);
    RefineWorkspace fresh;
    NodeRefiner(graph, again, fresh).grow(start);
    ASSERT_EQ(again.side, s.side) << "seed " << seed;
    for (const char state : shared.state) ASSERT_EQ(state, 0);
  }
}

TEST(NodeRefine, GrowsAsAFrontDoes) {
  const Graph line = path(101), square = grid(20, 20);
  RefineWorkspace workspace;
  Separation s;
  NodeRefiner(view_of(line), s, workspace).grow(0);
  EXPECT_EQ(s.weight[kSeparator], 1);
  EXPECT_EQ(s.weight[kLeft], 50);
  NodeRefiner(view_of(square), s, workspace).grow(0);
  EXPECT_LE(s.weight[kSeparator], 30);
  EXPECT_LE(s.weight[kLeft], 210);
}

}  // namespace
}  // namespace kauri::ordering::dissection
