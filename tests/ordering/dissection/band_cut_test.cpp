// Refinement of separators by maximum flow against all subsets, against Edmonds-Karp, and on hard
// shapes.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/flow/band_cut.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "support/oracles/vertex_cut.hpp"
#include "support/systems/graphs.hpp"

namespace kauri::ordering::dissection {
namespace {

using namespace kauri::test;

/// A graph with weights and three parts, no edge between left and right.
struct Separation {
  Graph graph;
  std::vector<Index> weight;  // or empty
  std::vector<std::uint8_t> side;

  [[nodiscard]] GraphView view() const { return {graph.ptr(), graph.adjacency(), weight}; }
  [[nodiscard]] PartWeights weights() const {
    PartWeights sum{};
    for (Index v = 0; v < graph.size(); ++v) sum[side[v]] += view().weight_of(v);
    return sum;
  }
  [[nodiscard]] Offset total() const { return view().total_weight(); }
};

enum class Weights { none, equal, different, twins };

std::vector<Index> weights_for(Index n, Weights kind, std::mt19937_64& random) {
  std::vector<Index> weight(kind == Weights::none ? 0 : static_cast<std::size_t>(n), 3);
  if (kind == Weights::different)
    for (Index& w : weight) w = 1 + static_cast<Index>(random() % 5);
  if (kind == Weights::twins)  // a few weights with a common divisor
    for (Index& w : weight) w = random() % 6 == 0 ? 6 + 3 * static_cast<Index>(random() % 2) : 3;
  return weight;
}

/// Returns a random separation: sides are grown from random vertices or drawn independently; then
/// one end of each edge between them, and some further vertices, go to the separator.
Separation random_separation(Graph graph, Weights kind, std::mt19937_64& random) {
  const Index n = graph.size();
  Separation s{std::move(graph), weights_for(n, kind, random),
               std::vector<std::uint8_t>(static_cast<std::size_t>(n))};
  if (random() % 3 == 0) {
    for (auto& p : s.side) p = random() % 2;
  } else {  // left of a random vertex in a breadth-first order
    std::vector<Index> order;
    std::vector<char> met(static_cast<std::size_t>(n), 0);
    for (const Index start : random_numbering(n, random)) {
      if (!met[start]) order.push_back(start), met[start] = 1;
      for (std::size_t head = order.size() - 1; head < order.size(); ++head)
        for (const Index u : s.graph.neighbours(order[head]))
          if (!met[u]) order.push_back(u), met[u] = 1;
    }
    const Index cut = n > 0 ? static_cast<Index>(random() % static_cast<std::uint64_t>(n + 1)) : 0;
    for (Index k = 0; k < n; ++k) s.side[order[k]] = k < cut ? kLeft : kRight;
  }
  for (Index v = 0; v < n; ++v)
    for (const Index u : s.graph.neighbours(v))
      if (s.side[v] != s.side[u] && s.side[v] != kSeparator && s.side[u] != kSeparator)
        s.side[random() % 2 ? u : v] = kSeparator;
  for (auto& p : s.side)
    if (random() % 10 == 0) p = kSeparator;
  return s;
}

/// Returns a band as a problem for the oracles.
CutProblem problem_of(const Band& band) {
  CutProblem problem;
  for (Index i = 0; i < band.size(); ++i) {
    problem.neighbours.emplace_back(band.neighbours(i).begin(), band.neighbours(i).end());
    problem.weight.push_back(band.weight(i));
    problem.at_source.push_back(band.at_source(i));
    problem.at_sink.push_back(band.at_sink(i));
  }
  return problem;
}

template <class Graph, class Flow>
void expect_cuts(const Graph& band, Flow& flow, const ExtremeCuts& expected) {
  std::vector<std::uint8_t> part(static_cast<std::size_t>(band.size()));
  for (int twice = 0; twice < 2; ++twice) {  // in both orders, twice
    flow.cut_near_source(band, part);
    ASSERT_EQ(part, expected.near_source);
    flow.cut_near_sink(band, part);
    ASSERT_EQ(part, expected.near_sink);
  }
}

/// Expects the cuts of a band that is divided into vertices of one weight; all parts of a vertex
/// lie on its side.
void expect_unit_cuts(const Separation& s, const Band& band, const ExtremeCuts& expected,
                      BandCutWorkspace& w) {
  ASSERT_TRUE(w.units.divide(band, 1e9));
  const auto divided = [&](const std::vector<std::uint8_t>& part) {
    std::vector<std::uint8_t> all;
    for (Index i = 0; i < band.size(); ++i)
      all.insert(all.end(), static_cast<std::size_t>(band.weight(i) / w.units.unit()), part[i]);
    return all;
  };
  w.paths.run(w.units, static_cast<Index>(s.weights()[kSeparator] / w.units.unit()));
  ASSERT_EQ(Offset{w.paths.count()} * w.units.unit(), expected.weight);
  expect_cuts(w.units, w.paths,
              {expected.weight, divided(expected.near_source), divided(expected.near_sink)});
  ASSERT_EQ(w.units.divide(band, 1), band.uniform());
}

void expect_flows(const Separation& s, const Band& band, const ExtremeCuts& expected,
                  BandCutWorkspace& w) {
  const Offset separator = s.weights()[kSeparator];
  w.flow.run(band, separator);
  ASSERT_EQ(w.flow.value(), expected.weight);
  ASSERT_NO_FATAL_FAILURE(expect_cuts(band, w.flow, expected));
  if (band.size() == 0) return;
  expect_unit_cuts(s, band, expected, w);
  if (!band.uniform()) return;
  w.paths.run(band, static_cast<Index>(separator / band.weight(0)));
  ASSERT_EQ(Offset{w.paths.count()} * band.weight(0), expected.weight);
  ASSERT_NO_FATAL_FAILURE(expect_cuts(band, w.paths, expected));
}

constexpr Weights kWeights[] = {Weights::none, Weights::equal, Weights::different, Weights::twins};

TEST(BandFlow, ExtremeCutsBySubsets) {
  BandCutWorkspace w;
  int bands = 0, lighter = 0, apart = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    std::mt19937_64 random(seed);
    const Index n = 2 + static_cast<Index>(random() % 20);
    const auto s = random_separation(random_graph(n, n + static_cast<Index>(random() % 30), random),
                                     kWeights[seed % 4], random);
    w.band.collect(s.view(), s.side, s.weights(), 1 + static_cast<Index>(random() % 4),
                   {s.total(), s.total()});
    if (w.band.size() > 13) continue;
    const auto expected = cuts_by_subsets(problem_of(w.band));
    ASSERT_NO_FATAL_FAILURE(expect_flows(s, w.band, expected, w)) << "seed " << seed;
    ++bands;
    lighter += expected.weight < s.weights()[kSeparator];
    apart += expected.near_source != expected.near_sink;
  }
  EXPECT_GT(bands, 600);  // enough of the graphs have bands
  EXPECT_GT(lighter, 300);
  EXPECT_GT(apart, 200);
}

TEST(BandFlow, ExtremeCutsByEdmondsKarp) {
  BandCutWorkspace w;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    std::mt19937_64 random(seed);
    const Index n = 40 + static_cast<Index>(random() % 80);
    Graph graph = seed % 2 ? shuffled(grid(6 + static_cast<Index>(seed % 5), 15), random)
                           : random_graph(n, 3 * n, random);
    const auto s = random_separation(std::move(graph), kWeights[seed % 4], random);
    w.band.collect(s.view(), s.side, s.weights(), 1 + static_cast<Index>(random() % 4),
                   {s.total(), s.total()});
    ASSERT_NO_FATAL_FAILURE(expect_flows(s, w.band, SplitNetwork(problem_of(w.band)).cuts(), w))
        << "seed " << seed;
  }
}

TEST(BandFlow, AllTogetherMayWeighNearlyTheLargestIndex) {
  CapacityFlow flow;
  Band band;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::mt19937_64 random(seed);
    auto s = random_separation(random_graph(30, 80, random), Weights::different, random);
    for (Index& w : s.weight)
      w = std::numeric_limits<Index>::max() / 150 * w - static_cast<Index>(random() % 1000);
    if (seed % 2 == 0) {  // one vertex has nearly all the weight
      for (Index& w : s.weight) w = 1 + static_cast<Index>(random() % 1000);
      s.weight[random() % s.weight.size()] = std::numeric_limits<Index>::max() - 30000;
    }
    band.collect(s.view(), s.side, s.weights(), 3, {s.total(), s.total()});
    const auto expected = SplitNetwork(problem_of(band)).cuts();
    flow.run(band, s.weights()[kSeparator]);
    ASSERT_EQ(flow.value(), expected.weight) << "seed " << seed;
    ASSERT_NO_FATAL_FAILURE(expect_cuts(band, flow, expected));
  }
}

TEST(BandFlow, OraclesAgree) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::mt19937_64 random(seed);
    const auto s = random_separation(random_graph(10, 20, random), kWeights[seed % 4], random);
    Band band;
    band.collect(s.view(), s.side, s.weights(), 2, {s.total(), s.total()});
    const auto subsets = cuts_by_subsets(problem_of(band)),
               flow = SplitNetwork(problem_of(band)).cuts();
    ASSERT_EQ(subsets.weight, flow.weight);
    ASSERT_EQ(subsets.near_source, flow.near_source);
    ASSERT_EQ(subsets.near_sink, flow.near_sink);
  }
}

constexpr Index kNever = std::numeric_limits<Index>::max();

/// Returns each vertex's distance from the separator within its side; kNever if it is not
/// reachable.
std::vector<Index> layers_of(const Separation& s) {
  std::vector<Index> layer(s.side.size(), kNever), queue;
  for (Index v = 0; v < s.graph.size(); ++v)
    if (s.side[v] == kSeparator) layer[v] = 0, queue.push_back(v);
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (const Index u : s.graph.neighbours(queue[head]))
      if (layer[u] == kNever) layer[u] = layer[queue[head]] + 1, queue.push_back(u);
  return layer;
}

// Expects that the neighbours of each vertex are those of the graph, in the band or as a terminal
// beyond it.
void expect_subgraph(const Separation& s, const Band& band, const std::vector<Index>& number) {
  for (Index i = 0; i < band.size(); ++i) {
    std::vector<Index> inside;
    bool beyond[2] = {false, false};
    for (const Index u : s.graph.neighbours(band.vertex(i))) {
      if (number[u] != kNone) inside.push_back(number[u]);
      if (number[u] == kNone) beyond[s.side[u]] = true;
    }
    ASSERT_EQ(std::vector<Index>(band.neighbours(i).begin(), band.neighbours(i).end()), inside);
    ASSERT_EQ(band.at_source(i), beyond[kLeft]);
    ASSERT_EQ(band.at_sink(i), beyond[kRight]);
    ASSERT_EQ(band.weight(i), s.view().weight_of(band.vertex(i)));
  }
}

void expect_band(const Separation& s, const Band& band, Index width,
                 const std::array<Offset, 2>& room) {
  std::vector<Index> number(static_cast<std::size_t>(s.graph.size()), kNone);
  PartWeights taken{};
  for (Index i = 0; i < band.size(); ++i) {
    ASSERT_EQ(number[band.vertex(i)], kNone);
    number[band.vertex(i)] = i;
    taken[s.side[band.vertex(i)]] += band.weight(i);
  }
  ASSERT_EQ(band.weights(), taken);
  ASSERT_EQ(taken[kSeparator], s.weights()[kSeparator]);
  const auto layer = layers_of(s);
  for (const std::uint8_t p : {kLeft, kRight}) {
    ASSERT_LE(taken[p], std::max<Offset>(room[p], 0));
    Index last = 0, first_left_out = kNever;
    for (Index v = 0; v < s.graph.size(); ++v) {
      if (s.side[v] != p) continue;
      if (number[v] != kNone) last = std::max(last, layer[v]);
      if (number[v] == kNone && layer[v] <= width)
        first_left_out = std::min(first_left_out, layer[v]);
    }
    ASSERT_LE(last, width);
    ASSERT_LE(last, first_left_out) << "no vertex is taken while one is left out in a layer before";
    if (s.weight.empty() && first_left_out != kNever) {  // then for lack of room
      ASSERT_EQ(taken[p], std::max<Offset>(0, std::min(room[p], s.weights()[p] - 1)));
    }
  }
  ASSERT_NO_FATAL_FAILURE(expect_subgraph(s, band, number));
}

TEST(Band, IsTheLayersThatHaveRoom) {
  Band band;  // reused for graphs of all sizes
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    std::mt19937_64 random(seed);
    const auto s = random_separation(any_graph(seed), kWeights[random() % 4], random);
    const Index width = static_cast<Index>(random() % 5);
    std::array<Offset, 2> room;
    for (auto& r : room) r = random() % 2 ? s.total() : static_cast<Offset>(random() % 40) - 3;
    band.collect(s.view(), s.side, s.weights(), width, room);
    ASSERT_NO_FATAL_FAILURE(expect_band(s, band, width, room)) << "seed " << seed;
  }
}

void expect_apart(const Separation& s) {
  for (const auto& [u, v] : edges_of(s.graph))
    ASSERT_FALSE(s.side[u] + s.side[v] == 1) << u << " and " << v;
}

// Improves s with a reused workspace and with a new one, and checks that both agree and keep the
// promises. Returns the result.
BandCutResult improved(Separation& s, const BandCutOptions& options, BandCutWorkspace& used) {
  const Separation old = s;
  PartWeights weight = s.weights(), again = weight;
  const auto result = improve_separator(s.view(), s.side, weight, options, used);
  auto other = old.side;
  BandCutWorkspace fresh;
  EXPECT_EQ(improve_separator(old.view(), other, again, options, fresh).improved, result.improved);
  EXPECT_EQ(other, s.side);
  EXPECT_EQ(again, weight);
  EXPECT_EQ(weight, s.weights());
  expect_apart(s);
  const auto before = old.weights();
  EXPECT_LE(weight[kSeparator], before[kSeparator]);
  for (const std::uint8_t p : {kLeft, kRight}) {
    EXPECT_LE(weight[p], std::max(options.most_side, before[p]));
    EXPECT_TRUE(weight[p] > 0 || before[p] == 0);
  }
  if (result.improved) {
    EXPECT_EQ(weight[kSeparator], result.flow);
    const auto heavier = [](const PartWeights& w) { return std::max(w[kLeft], w[kRight]); };
    EXPECT_TRUE(options.score || weight[kSeparator] < before[kSeparator] ||
                heavier(weight) < heavier(before));
  } else {
    EXPECT_EQ(s.side, old.side);
    const bool roomy =
        options.most_side >= std::max(before[kLeft], before[kRight]) + before[kSeparator];
    EXPECT_TRUE(options.score || !roomy || result.flow == before[kSeparator])
        << "a lighter cut of the band keeps the limits";
  }
  return result;
}

TEST(ImproveSeparator, KeepsItsPromises) {
  BandCutWorkspace w;
  int better = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    std::mt19937_64 random(seed);
    auto s = random_separation(any_graph(seed), kWeights[random() % 4], random);
    BandCutOptions options;
    options.width = static_cast<Index>(random() % 8);
    options.most_side = s.total() * static_cast<Offset>(40 + random() % 61) / 100;
    if (random() % 4 == 0)
      options.score = [](const PartWeights& p) {
        return static_cast<double>(3 * p[kSeparator] + p[kRight]);
      };
    BandCutResult result;
    int calls = 0;
    do {
      result = improved(s, options, w);
      better += result.improved;
      ASSERT_LT(++calls, 100) << "seed " << seed;
    } while (result.improved && !HasFailure());
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(better, 1000);
}

/// Returns a path with the separator at vertex `at`, of weight 2 among vertices of weight 1.
Separation path_with_heavy(Index n, Index at) {
  Separation s{path(n), std::vector<Index>(static_cast<std::size_t>(n), 1),
               std::vector<std::uint8_t>(static_cast<std::size_t>(n), kRight)};
  std::fill_n(s.side.begin(), at, kLeft);
  s.side[at] = kSeparator;
  s.weight[at] = 2;
  return s;
}

BandCutOptions options_of(Index width, Offset most_side) {
  BandCutOptions options;
  options.width = width;
  options.most_side = most_side;
  return options;
}

TEST(ImproveSeparator, TakesTheBetterBalancedOfTwo) {
  BandCutWorkspace w;
  auto s = path_with_heavy(21, 8);
  EXPECT_TRUE(improved(s, options_of(3, 22), w).improved);
  EXPECT_EQ(s.side[11], kSeparator);
  s = path_with_heavy(21, 12);
  EXPECT_TRUE(improved(s, options_of(3, 22), w).improved);
  EXPECT_EQ(s.side[9], kSeparator);
}

TEST(ImproveSeparator, TheBandEndsWhereASideCouldGetTooHeavy) {
  BandCutWorkspace w;
  auto s = path_with_heavy(21, 10);  // the extreme cuts at distance three would leave 14 on one
                                     // side
  EXPECT_TRUE(improved(s, options_of(3, 13), w).improved);
  EXPECT_EQ(s.weights()[kSeparator], 1);
}

TEST(ImproveSeparator, EqualWeightAndBetterBalance) {
  BandCutWorkspace w;
  Separation s{path(21), {}, std::vector<std::uint8_t>(21, kRight)};
  s.side[0] = s.side[1] = s.side[2] = s.side[3] = s.side[4] = kLeft;
  s.side[5] = kSeparator;
  EXPECT_TRUE(improved(s, options_of(3, 15), w).improved);
  EXPECT_EQ(s.side[8], kSeparator);
  EXPECT_TRUE(improved(s, options_of(2, 15), w).improved);
  EXPECT_EQ(s.side[10], kSeparator);
  EXPECT_FALSE(improved(s, options_of(3, 15), w).improved);
}

TEST(ImproveSeparator, ScoreDecides) {
  BandCutWorkspace w;
  auto options = options_of(3, 22);
  options.score = [](const PartWeights&) { return 1.0; };
  auto s = path_with_heavy(21, 8);
  EXPECT_FALSE(improved(s, options, w).improved);
  options.score = [](const PartWeights& p) { return static_cast<double>(p[kLeft]); };
  EXPECT_TRUE(improved(s, options, w).improved);
  EXPECT_EQ(s.side[5], kSeparator);
}

TEST(ImproveSeparator, AnOverweightSideMayStayButNotGrow) {
  BandCutWorkspace w;
  auto s = path_with_heavy(21, 4);
  EXPECT_TRUE(improved(s, options_of(3, 11), w).improved);  // 4 + 2 + 16
  EXPECT_EQ(s.weights(), (PartWeights{8, 13, 1}));
  s = path_with_heavy(21, 4);
  s.side[0] = s.side[1] = kSeparator;  // no weight moves from the side with room to the one without
  EXPECT_TRUE(improved(s, options_of(0, 11), w).improved);
  EXPECT_EQ(s.weights(), (PartWeights{4, 16, 2}));
}

TEST(ImproveSeparator, EmptyParts) {
  BandCutWorkspace w;
  Separation none{Graph(), {}, {}};
  EXPECT_FALSE(improved(none, options_of(3, 1), w).improved);
  Separation whole{
      grid(4, 4), {}, std::vector<std::uint8_t>(16, kLeft)};  // no separator, no right side
  EXPECT_EQ(improved(whole, options_of(3, 16), w).band_vertices, 0);
  Separation all{grid(4, 4), {}, std::vector<std::uint8_t>(16, kSeparator)};
  EXPECT_TRUE(improved(all, options_of(3, 16), w).improved);  // nothing to separate
  EXPECT_EQ(all.weights()[kSeparator], 0);
  std::fill(all.side.begin(), all.side.end(), kSeparator);
  EXPECT_FALSE(improved(all, options_of(3, 15), w).improved);  // but no side may hold all
  Separation row{grid(5, 5), {}, std::vector<std::uint8_t>(25, kLeft)};
  std::fill_n(row.side.begin(), 5, kSeparator);  // with nothing behind it
  EXPECT_TRUE(improved(row, options_of(2, 25), w).improved);
  EXPECT_EQ(row.weights(), (PartWeights{25, 0, 0}));
}

TEST(ImproveSeparator, StarAndClique) {
  BandCutWorkspace w;
  Separation hub{star(21), {}, std::vector<std::uint8_t>(21, kLeft)};
  std::fill_n(hub.side.begin() + 11, 10, kRight);
  hub.side[0] = kSeparator;
  EXPECT_FALSE(improved(hub, options_of(5, 15), w).improved);
  std::fill_n(hub.side.begin() + 8, 6, kSeparator);  // leaves join the hub in the separator
  EXPECT_TRUE(improved(hub, options_of(5, 15), w).improved);
  EXPECT_EQ(hub.weights()[kSeparator], 1);
  EXPECT_EQ(hub.side[0], kSeparator);
  Separation complete{clique(12), {}, std::vector<std::uint8_t>(12, kSeparator)};
  complete.side[3] = kLeft;
  EXPECT_FALSE(improved(complete, options_of(5, 11), w).improved);
}

TEST(ImproveSeparator, DisconnectedPieces) {
  BandCutWorkspace w;
  Separation s{
      side_by_side({grid(5, 4), grid(5, 4), path(7)}), {}, std::vector<std::uint8_t>(47, kLeft)};
  std::fill_n(s.side.begin() + 8, 4, kSeparator);  // the middle row of the first grid
  std::fill_n(s.side.begin() + 12, 8, kRight);
  EXPECT_TRUE(improved(s, options_of(9, 40), w).improved);  // the first grid's left half may move
                                                            // completely
  EXPECT_EQ(s.weights(), (PartWeights{27, 20, 0}));
}

TEST(ImproveSeparator, ABandOfEverythingButOneVertexOfEachSide) {
  BandCutWorkspace w;
  Separation s{grid(20, 3), {}, std::vector<std::uint8_t>(60, kRight)};
  std::fill_n(s.side.begin(), 27, kLeft);
  std::fill_n(s.side.begin() + 27, 9, kSeparator);
  const auto result = improved(s, options_of(60, 60), w);
  EXPECT_TRUE(result.improved);
  EXPECT_EQ(result.band_vertices, 58);
  EXPECT_EQ(s.weights()[kSeparator], 2);  // around the vertex that is kept in a corner
}

TEST(ImproveSeparator, TouchesTheBandOnly) {
  BandCutWorkspace w;
  Separation s{path(100000), {}, std::vector<std::uint8_t>(100000, kRight)};
  std::fill_n(s.side.begin(), 50000, kLeft);
  std::fill_n(s.side.begin() + 50000, 3, kSeparator);
  const auto result = improved(s, options_of(4, 60000), w);
  EXPECT_TRUE(result.improved);
  EXPECT_EQ(result.band_vertices, 11);
  EXPECT_EQ(result.band_edges, 20);
  EXPECT_EQ(result.flow, 1);
}

TEST(ImproveSeparator, ViewsThatBeginInTheMiddle) {
  const Graph both = side_by_side({clique(5), grid(9, 9)});
  const auto ptr = both.ptr().subspan(5);
  std::vector<Index> adjacency(both.adjacency().begin(), both.adjacency().end());
  for (std::size_t e = static_cast<std::size_t>(ptr.front()); e < adjacency.size(); ++e)
    adjacency[e] -= 5;
  Separation s{grid(9, 9), {}, std::vector<std::uint8_t>(81, kRight)};
  std::fill_n(s.side.begin(), 27, kLeft);
  std::fill_n(s.side.begin() + 27, 18, kSeparator);
  auto side = s.side;
  PartWeights weight = s.weights();
  BandCutWorkspace w;
  EXPECT_TRUE(improve_separator({ptr, adjacency, {}}, side, weight, options_of(3, 50), w).improved);
  EXPECT_TRUE(improved(s, options_of(3, 50), w).improved);
  EXPECT_EQ(side, s.side);
}

}  // namespace
}  // namespace kauri::ordering::dissection
