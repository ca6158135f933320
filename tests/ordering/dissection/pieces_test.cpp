// Separations of whole graphs, the pieces that they leave, and the order of the last pieces.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "base/threads/allowed_threads.hpp"
#include "ordering/dissection/candidates.hpp"
#include "ordering/dissection/leaf.hpp"
#include "ordering/dissection/multilevel/multilevel.hpp"
#include "ordering/dissection/piece.hpp"
#include "support/process/many_threads.hpp"
#include "support/process/seeds.hpp"
#include "support/systems/separations.hpp"

namespace kauri::ordering::dissection {
namespace {

using namespace kauri::test;
using ordering::view_of;

bool connected(const GraphView& graph) {
  LevelSetWorkspace workspace;
  return breadth_first(graph, 0, workspace).reached == graph.size();
}

TEST(Multilevel, ValidAndRepeats) {
  MultilevelWorkspace shared;
  for (std::uint64_t seed = 0; seed < seeds(700); ++seed) {
    const auto weighted = with_weights(graph_to_divide(seed, seed % 5 == 0 ? 900 : 300), seed);
    const GraphView graph = weighted.view();
    for (const bool backwards : {false, true}) {
      const MultilevelOptions options{.backwards = backwards, .thorough = seed % 3 == 0};
      const Separation s = multilevel_separation(graph, options, seed, shared);
      ASSERT_EQ(flaw_of(graph, s), "") << "seed " << seed;
      MultilevelWorkspace fresh;
      ASSERT_EQ(multilevel_separation(graph, options, seed, fresh).side, s.side) << "seed " << seed;
    }
  }
}

TEST(Multilevel, SmallestGraphs) {
  MultilevelWorkspace workspace;
  for (Index n = 1; n <= 4; ++n)
    for (std::uint64_t seed = 0; seed < 20; ++seed)
      for (const Graph& graph : {path(n), clique(n), star(n), graph_of(n, {})})
        ASSERT_EQ(
            flaw_of(view_of(graph), multilevel_separation(view_of(graph), {}, seed, workspace)), "")
            << n;
}

TEST(Multilevel, NearlyTheShortestSideOfAGrid) {
  MultilevelWorkspace workspace;
  std::mt19937_64 random(1);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Graph square = shuffled(grid(40, 40), random), slab = shuffled(grid(15, 150), random);
    for (const Graph& graph : {square, slab}) {
      const Separation s = multilevel_separation(view_of(graph), {}, seed, workspace);
      EXPECT_LE(s.weight[kSeparator], graph.size() == 1600 ? 50 : 18);
      EXPECT_LE(heavier_side(s.weight), graph.size() * 2 / 3);
    }
  }
}

TEST(Multilevel, SeedAndDirectionMatter) {
  MultilevelWorkspace workspace;
  std::mt19937_64 random(2);
  const Graph graph = random_graph(1500, 4000, random);
  const auto first = multilevel_separation(view_of(graph), {}, 1, workspace).side;
  EXPECT_NE(multilevel_separation(view_of(graph), {.backwards = true}, 1, workspace).side, first);
  bool other = false;
  for (std::uint64_t seed = 2; seed < 10; ++seed)
    other = other || multilevel_separation(view_of(graph), {}, seed, workspace).side != first;
  EXPECT_TRUE(other);
}

TEST(Multilevel, WeighsTheSameBeforeTheLastLevelAndNoMoreBehindIt) {
  MultilevelWorkspace shared;
  for (std::uint64_t seed = 0; seed < seeds(200); ++seed) {
    const auto weighted = with_weights(graph_to_divide(seed, seed % 5 == 0 ? 3000 : 300), seed);
    const GraphView graph = weighted.view();
    const MultilevelOptions options{.thorough = seed % 3 == 0};
    MultilevelSearch search(graph, options, seed, shared);
    const PartWeights before = search.weight();
    MultilevelWorkspace fresh;  // as in another thread
    const Separation s = search.finish(fresh);
    ASSERT_EQ(before[kLeft] + before[kRight] + before[kSeparator], graph.total_weight())
        << "seed " << seed;
    ASSERT_FALSE(costs_less(before, s.weight)) << "seed " << seed;
    ASSERT_EQ(multilevel_separation(graph, options, seed, fresh).side, s.side) << "seed " << seed;
  }
}

/// Returns trials chosen by the seed: each kind alone, both, the most expensive.
Trials any_trials(std::uint64_t seed) {
  Trials trials;
  trials.multilevel = seed % 5 != 1;
  trials.level_sets = seed % 5 != 2;
  trials.backwards = seed % 2 == 0;
  trials.follow = seed % 3 != 0;
  trials.sources = 1 + static_cast<int>(seed % 4);
  trials.refined = 1 + static_cast<int>(seed % 3);
  trials.rounds = static_cast<int>(seed % 4);
  trials.polish_all = seed % 7 == 0;
  trials.thorough = seed % 4 == 1;
  return trials;
}

bool same(const Trials& a, const Trials& b) {
  return a.multilevel == b.multilevel && a.level_sets == b.level_sets &&
         a.backwards == b.backwards && a.follow == b.follow && a.sources == b.sources &&
         a.refined == b.refined && a.rounds == b.rounds && a.polish_all == b.polish_all &&
         a.thorough == b.thorough;
}

TEST(BestSeparation, ValidOrDisconnected) {
  SeparatorWorkspaces shared;
  int divided = 0, empty = 0;
  for (std::uint64_t seed = 0; seed < seeds(1200); ++seed) {
    const auto weighted = with_weights(graph_to_divide(seed, seed % 5 == 0 ? 900 : 250), seed);
    const GraphView graph = weighted.view();
    const Trials trials = any_trials(seed);
    const SeparatorSearch found = best_separation(graph, trials, seed, shared);
    // Without level sets the search does not check whether the graph is connected.
    ASSERT_EQ(found.best.has_value(), !trials.level_sets || connected(graph)) << "seed " << seed;
    ++(found.best ? divided : empty);
    ASSERT_TRUE(same(found.below, trials) || (found.best && trials.follow)) << "seed " << seed;
    if (!found.best) continue;
    ASSERT_EQ(flaw_of(graph, *found.best), "") << "seed " << seed;
    ASSERT_TRUE(found.below.multilevel || found.below.level_sets);
    SeparatorWorkspaces fresh;
    const SeparatorSearch again = best_separation(graph, trials, seed, fresh);
    ASSERT_EQ(again.best->side, found.best->side) << "seed " << seed;
    ASSERT_TRUE(same(again.below, found.below)) << "seed " << seed;
  }
  EXPECT_GT(divided, static_cast<int>(seeds(1200)) / 2);
  EXPECT_GT(empty, static_cast<int>(seeds(1200)) / 20);
}

// Sums of weights reach the limit of Index.
TEST(BestSeparation, ValidWhateverTheWeights) {
  SeparatorWorkspaces shared;
  for (std::uint64_t seed = 0; seed < seeds(240); ++seed) {
    WeightedGraph weighted{graph_to_divide(seed, 400), {}};
    const auto n = static_cast<std::size_t>(weighted.size());
    weighted.weight.assign(n,
                           seed % 2 == 0 ? 1 : std::numeric_limits<Index>::max() / weighted.size());
    if (seed % 2 == 0)
      weighted.weight[seed % n] = std::numeric_limits<Index>::max() - weighted.size() + 1;
    const SeparatorSearch found = best_separation(weighted.view(), any_trials(seed), seed, shared);
    ASSERT_EQ(found.best ? flaw_of(weighted.view(), *found.best) : "", "") << "seed " << seed;
  }
}

// The winner is one of the two kinds, or better than both after refinement by flow. A thin level
// set wins at once.
TEST(BestSeparation, NoWorseThanEitherKindAlone) {
  SeparatorWorkspaces shared;
  for (std::uint64_t seed = 0; seed < seeds(300); ++seed) {
    const auto weighted = with_weights(graph_to_divide(seed, 300), seed);
    const GraphView graph = weighted.view();
    if (!connected(graph)) continue;
    Trials both, multilevel, level_sets;
    multilevel.level_sets = level_sets.multilevel = false;
    both.rounds = multilevel.rounds = level_sets.rounds = 0;
    const PartWeights b = best_separation(graph, both, seed, shared).best->weight;
    const PartWeights m = best_separation(graph, multilevel, seed, shared).best->weight;
    const PartWeights l = best_separation(graph, level_sets, seed, shared).best->weight;
    ASSERT_TRUE(b == m || b == l) << "seed " << seed;
    const double reference = std::min(reference_of(m), reference_of(l));
    const Offset most =
        most_side(graph.total_weight(), 0.72);    // less work wins if neither is lopsided
    if (is_thin(l) && heavier_side(l) <= most) {  // a thin level set ends the search
      ASSERT_EQ(b, l) << "seed " << seed;
      continue;
    }
    if (std::max(heavier_side(m), heavier_side(l)) > most) continue;
    ASSERT_LE(predicted_work(b, reference),
              std::min(predicted_work(m, reference), predicted_work(l, reference)))
        << "seed " << seed;
    both.rounds = 2;
    const PartWeights polished = best_separation(graph, both, seed, shared).best->weight;
    ASSERT_LE(predicted_work(polished, reference_of(b)), predicted_work(b, reference_of(b)))
        << "seed " << seed;
  }
}

// On large graphs the search abandons multilevel separations if level sets are far ahead before the
// last refinement; this must not happen if the multilevel one would win.
TEST(BestSeparation, NoWorseThanEitherKindAloneOnLargeGraphs) {
  SeparatorWorkspaces shared;
  std::mt19937_64 random(4);
  int multilevel_won = 0, far_behind = 0;
  for (const Graph& graph :
       {box_graph(30, 30, 30), grid(150, 150), shuffled(grid(160, 150), random),
        geometric_graph(21000, 0.015, random)}) {
    if (!connected(view_of(graph))) continue;
    Trials both, multilevel, level_sets;
    multilevel.level_sets = level_sets.multilevel = false;
    both.rounds = multilevel.rounds = level_sets.rounds = 0;
    const SeparatorSearch found = best_separation(view_of(graph), both, 1, shared);
    const PartWeights b = found.best->weight;
    const PartWeights m = best_separation(view_of(graph), multilevel, 1, shared).best->weight;
    const PartWeights l = best_separation(view_of(graph), level_sets, 1, shared).best->weight;
    ASSERT_EQ(b, costs_less(l, m) ? l : m) << graph.size();
    multilevel_won += costs_less(m, l) ? 1 : 0;
    far_behind += !found.below.multilevel ? 1 : 0;
  }
  EXPECT_GT(multilevel_won, 0);
  EXPECT_GT(far_behind, 0);
}

TEST(BestSeparation, ThreadsChangeNothing) {
  const ManyThreads many;
  std::mt19937_64 random(3);
  const auto large = with_weights(shuffled(grid(150, 150), random), 1);  // large enough for threads
                                                                         // to share the search
  const Graph parts = side_by_side({grid(120, 120), grid(110, 110)});
  Trials dear;
  dear.backwards = dear.polish_all = true;
  dear.sources = dear.refined = dear.rounds = 3;
  for (const Trials& trials : {Trials{}, dear}) {
    std::vector<Side> expected;
    Trials below;
    for (const int threads : {1, 2, 8, 8}) {
      SeparatorWorkspaces fresh;
      SeparatorSearch found, none;
      with_threads(threads, [&] { found = best_separation(large.view(), trials, 5, fresh); });
      with_threads(threads, [&] { none = best_separation(view_of(parts), trials, 5, fresh); });
      EXPECT_FALSE(none.best);
      ASSERT_EQ(flaw_of(large.view(), *found.best), "");
      if (expected.empty()) expected = found.best->side, below = found.below;
      ASSERT_EQ(found.best->side, expected) << threads;
      ASSERT_TRUE(same(found.below, below));
    }
  }
}

/// Expects the piece that these vertices, ascending, form.
void expect_piece(const PieceView& from, const Piece& piece, const std::vector<Index>& member) {
  std::vector<Index> number(static_cast<std::size_t>(from.graph.size()), kNone), name;
  for (const Index v : member)
    number[v] = static_cast<Index>(name.size()), name.push_back(from.vertex_of(v));
  ASSERT_EQ(piece.vertex, name);
  ASSERT_EQ(piece.graph.size(), static_cast<Index>(member.size()));
  ASSERT_EQ(piece.graph.weight.size(), from.graph.weight.empty() ? 0 : member.size());
  for (std::size_t k = 0; k < member.size(); ++k) {
    std::vector<Index> near;
    for (const Index u : from.graph.neighbours(member[k]))
      if (number[u] != kNone) near.push_back(number[u]);
    const auto got = piece.graph.view().neighbours(static_cast<Index>(k));
    ASSERT_EQ(std::vector<Index>(got.begin(), got.end()), near);
    ASSERT_EQ(piece.graph.view().weight_of(static_cast<Index>(k)), from.graph.weight_of(member[k]));
  }
  ASSERT_EQ(piece.graph.adjacency.size(), static_cast<std::size_t>(piece.graph.ptr.back()));
}

std::vector<Index> members_of(const std::vector<Side>& side, Side which) {
  std::vector<Index> member;
  for (std::size_t v = 0; v < side.size(); ++v)
    if (side[v] == which) member.push_back(static_cast<Index>(v));
  return member;
}

TEST(Piece, SidesOfSides) {
  for (std::uint64_t seed = 0; seed < seeds(600); ++seed) {
    std::mt19937_64 random(seed);
    const auto weighted = with_weights(graph_to_divide(seed, 150), seed);
    const PieceView whole{weighted.view(), {}};
    const Separation s = random_separation(whole.graph, random);
    for (const Side side : {kLeft, kRight}) {
      const Piece piece = extract_side(whole, s, side);
      ASSERT_NO_FATAL_FAILURE(expect_piece(whole, piece, members_of(s.side, side)))
          << "seed " << seed;
      const Separation again = random_separation(piece.graph.view(), random);
      for (const Side below : {kLeft, kRight})
        ASSERT_NO_FATAL_FAILURE(expect_piece(view_of(piece),
                                             extract_side(view_of(piece), again, below),
                                             members_of(again.side, below)));
    }
  }
}

/// Returns the vertices of each component, ordered by the components' least vertices.
std::vector<std::vector<Index>> naive_components(const GraphView& graph) {
  std::vector<Index> label(static_cast<std::size_t>(graph.size()));
  for (Index v = 0; v < graph.size(); ++v) label[v] = v;
  for (bool again = true; again;) {
    again = false;
    for (Index v = 0; v < graph.size(); ++v)
      for (const Index u : graph.neighbours(v))
        if (label[u] < label[v]) label[v] = label[u], again = true;
  }
  std::vector<std::vector<Index>> component(label.size());
  for (Index v = 0; v < graph.size(); ++v) component[label[v]].push_back(v);
  std::erase_if(component, [](const auto& c) { return c.empty(); });
  return component;
}

TEST(Piece, Components) {
  int batched = 0;
  for (std::uint64_t seed = 0; seed < seeds(900); ++seed) {
    std::mt19937_64 random(seed);
    const auto n = 1 + static_cast<Index>(random() % 120);
    const auto weighted = with_weights(
        seed % 2 == 0 ? random_graph(n, n / 2, random) : graph_to_divide(seed, 120), seed);
    const auto batch = static_cast<Index>(random() % 40);
    const Piece owner = extract_side(
        {weighted.view(), {}},
        {std::vector<Side>(static_cast<std::size_t>(weighted.size()), kLeft), {}}, kLeft);
    const PieceView from = seed % 4 < 2 ? PieceView{weighted.view(), {}} : view_of(owner);
    std::vector<std::vector<Index>> expected;
    for (const auto& c : naive_components(from.graph)) {
      if (expected.empty() || expected.back().size() + c.size() > static_cast<std::size_t>(batch))
        expected.push_back(c);
      else
        expected.back().insert(expected.back().end(), c.begin(), c.end()), ++batched;
      std::sort(expected.back().begin(), expected.back().end());
    }
    const auto pieces = extract_components(from, batch);
    ASSERT_EQ(pieces.size(), expected.size()) << "seed " << seed;
    for (std::size_t k = 0; k < pieces.size(); ++k)
      ASSERT_NO_FATAL_FAILURE(expect_piece(from, pieces[k], expected[k])) << "seed " << seed;
  }
  EXPECT_GT(batched, 100);
}

/// A leaf's graph with its halo, numbered in order of discovery: neighbours of the leaf's first
/// vertex first.
struct NaiveHalo {
  LevelGraph graph;
  std::vector<Index> halo;

  NaiveHalo(const GraphView& whole, const std::vector<Index>& vertex) {
    std::map<Index, Index> number;
    std::vector<std::vector<Index>> near(vertex.size());
    for (std::size_t k = 0; k < vertex.size(); ++k) number[vertex[k]] = static_cast<Index>(k);
    for (std::size_t k = 0; k < vertex.size(); ++k)
      for (const Index u : whole.neighbours(vertex[k])) {
        if (!number.contains(u))
          number[u] = static_cast<Index>(near.size()), near.emplace_back(), halo.push_back(u);
        near[k].push_back(number[u]);
        if (number[u] >= static_cast<Index>(vertex.size()))
          near[number[u]].push_back(static_cast<Index>(k));
      }
    for (const auto& list : near) {
      graph.adjacency.insert(graph.adjacency.end(), list.begin(), list.end());
      graph.ptr.push_back(static_cast<Offset>(graph.adjacency.size()));
    }
    if (whole.weight.empty()) return;
    for (const Index v : vertex) graph.weight.push_back(whole.weight[v]);
    for (const Index v : halo) graph.weight.push_back(whole.weight[v]);
  }
};

TEST(Leaf, MinimumDegreeWithAllNeighboursInSight) {
  LeafOrderWorkspace shared;
  LeafWorkspace plain;
  int halos = 0;
  for (std::uint64_t seed = 0; seed < seeds(1500); ++seed) {
    std::mt19937_64 random(seed);
    const auto weighted = with_weights(graph_to_divide(seed, seed % 10 == 0 ? 700 : 150), seed);
    const GraphView whole = weighted.view();
    const Separation s = random_separation(whole, random);
    const auto member = members_of(s.side, random() % 2 == 0 ? kLeft : kRight);
    if (member.empty()) continue;
    const Piece piece = extract_side({whole, {}}, s, s.side[member[0]]);
    // Other vertices have places before and after those of the leaf.
    const auto first = static_cast<Index>(
        random() % static_cast<std::uint64_t>(whole.size() - piece.graph.size() + 1));
    std::vector<Index> place(static_cast<std::size_t>(whole.size()), kNone);
    for (std::size_t k = 0; k < member.size(); ++k)
      place[member[k]] = first + static_cast<Index>(k);
    Index next = 0;
    for (Index v = 0; v < whole.size(); ++v)
      if (place[v] == kNone) {
        if (next == first) next += piece.graph.size();
        place[v] = next++;
      }
    const auto sequence = order_leaf(whole, view_of(piece), place, first, shared);
    const NaiveHalo naive(whole, piece.vertex);
    std::vector<Index> expected(member.size());
    leaf_minimum_degree(naive.graph.view(), piece.graph.size(), plain, expected);
    ASSERT_EQ(std::vector<Index>(sequence.begin(), sequence.end()), expected) << "seed " << seed;
    ASSERT_EQ(shared.halo, naive.halo) << "seed " << seed;
    halos += !naive.halo.empty();
  }
  EXPECT_GT(halos, static_cast<int>(seeds(1500)) / 2);
}

}  // namespace
}  // namespace kauri::ordering::dissection
