// Minimum degree against the elimination game, step by step, and on hard shapes.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/minimum_degree/minimum_degree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stop_token>
#include <string>

#include "base/threads/stopping.hpp"
#include "kauri/core/error.hpp"
#include "kauri/core/permutation.hpp"
#include "ordering/minimum_degree/ties.hpp"
#include "support/oracles/elimination_game.hpp"
#include "support/process/seeds.hpp"
#include "support/systems/graph_families.hpp"

namespace kauri {
namespace {

using namespace kauri::test;
using ordering::GraphView;
using ordering::minimum_degree;
using ordering::MinimumDegreeEvent;
using ordering::MinimumDegreeWorkspace;
using ordering::view_of;
using Kind = MinimumDegreeEvent::EventKind;

constexpr TieBreak kTies[] = {TieBreak::first, TieBreak::last, TieBreak::pseudo_peripheral};

OrderingOptions options_of(TieBreak tie, int delta, double dense = 0) {
  OrderingOptions options;
  options.tie_break = tie;
  options.delta = delta;
  options.dense = dense;
  return options;
}

/// Replays the events of a run on the elimination graph and checks every claim that they make.
class Replay {
 public:
  Replay(const Graph& graph, std::vector<Index> weight, int delta,
         const std::vector<Index>& removed = {})
      : game_(graph),
        weight_(std::move(weight)),
        delta_(delta),
        members_(static_cast<std::size_t>(graph.size())),
        reach_(static_cast<std::size_t>(graph.size())),
        touched_(static_cast<std::size_t>(graph.size()), 0) {
    for (Index v = 0; v < graph.size(); ++v) members_[v] = {v};
    for (const Index v : removed) game_.remove(v), members_[v].clear();
  }

  /// Stops at the first claim that fails. order: the result of the run.
  void check(const std::vector<MinimumDegreeEvent>& events, std::vector<Index> order) {
    for (const auto& event : events) {
      if (event.kind != Kind::select) end_selection();
      switch (event.kind) {
        case Kind::round:
          begin_round(event.other);
          break;
        case Kind::select:
          select(event.vertex, event.other);
          break;
        case Kind::mass:
          mass(event.vertex, event.other);
          break;
        case Kind::merge:
          merge(event.vertex, event.other);
          break;
      }
      if (testing::Test::HasFailure()) return;
    }
    for (Index v = 0; v < game_.size(); ++v)
      EXPECT_FALSE(game_.alive(v)) << "never eliminated: " << v;
    order.resize(std::min(order.size(), order_.size()));
    EXPECT_EQ(order, order_);
  }

  Index multiple_rounds = 0, merges = 0, masses = 0;

 private:
  bool is_live_group(Index v) const { return !members_[v].empty() && game_.alive(v); }
  Index external_degree(Index v) const {
    Index degree = 0;
    for (const Index u : game_.neighbours(v)) degree += weight_[u];
    for (const Index u : members_[v]) degree -= u == v ? 0 : weight_[u];
    return degree;
  }
  void begin_round(Index claimed) {
    start_degree_.assign(members_.size(), kNone);
    Index least = std::numeric_limits<Index>::max();
    for (Index v = 0; v < game_.size(); ++v)
      if (is_live_group(v)) least = std::min(least, start_degree_[v] = external_degree(v));
    EXPECT_EQ(claimed, least);
    least_ = least;
    std::fill(touched_.begin(), touched_.end(), 0);
    selecting_ = true;
    selected_ = 0;
  }
  void select(Index v, Index claimed) {
    ASSERT_TRUE(selecting_ && is_live_group(v));
    EXPECT_EQ(claimed, start_degree_[v]);
    EXPECT_LE(claimed, least_ + delta_);
    EXPECT_FALSE(touched_[v]) << "not independent: " << v;
    if (selected_ == 0) {
      EXPECT_EQ(claimed, least_);
    }
    ++selected_;
    eliminate(v);
    for (const Index u : reach_[v]) touched_[u] = 1;
  }
  /// Checks that a round leaves no vertex that it could have taken.
  void end_selection() {
    if (!selecting_) return;
    selecting_ = false;
    EXPECT_GE(selected_, 1);
    multiple_rounds += selected_ > 1;
    for (Index v = 0; v < game_.size(); ++v)
      if (is_live_group(v) && !touched_[v]) {
        EXPECT_GT(start_degree_[v], least_ + delta_) << "passed over: " << v;
      }
  }
  void mass(Index v, Index element) {
    ++masses;
    ASSERT_TRUE(is_live_group(v));
    const auto& reach = reach_[element];
    EXPECT_TRUE(std::binary_search(reach.begin(), reach.end(), v));
    const std::vector<Index> neighbours = game_.neighbours(v);
    EXPECT_TRUE(std::includes(reach.begin(), reach.end(), neighbours.begin(), neighbours.end()));
    for (const Index a : neighbours)
      for (const Index b : neighbours)
        EXPECT_TRUE(a == b || game_.adjacent(a, b)) << "mass elimination makes fill";
    eliminate(v);
  }
  void merge(Index v, Index into) {
    ++merges;
    ASSERT_TRUE(is_live_group(v) && is_live_group(into));
    EXPECT_TRUE(game_.indistinguishable(v, into)) << v << " and " << into;
    members_[into].insert(members_[into].end(), members_[v].begin(), members_[v].end());
    members_[v].clear();
  }
  void eliminate(Index v) {
    for (const Index u : members_[v]) {
      reach_[v] = game_.eliminate(u);
      order_.push_back(u);
    }
  }

  EliminationGame game_;
  std::vector<Index> weight_;
  int delta_;
  std::vector<std::vector<Index>> members_, reach_;
  std::vector<char> touched_;
  std::vector<Index> start_degree_, order_;
  Index least_ = 0, selected_ = 0;
  bool selecting_ = false;
};

Offset naive_fill(const Graph& graph, const std::vector<Index>& old_of) {
  Offset total = 0;
  for (const auto& rows : naive_structures(graph, Permutation::from_old_of(old_of)))
    total += static_cast<Offset>(rows.size());
  return total;
}

/// Minimum degree by its definition: one vertex at a time, the first of least degree.
std::vector<Index> naive_minimum_degree(const Graph& graph) {
  EliminationGame game(graph);
  std::vector<Index> order;
  for (Index k = 0; k < graph.size(); ++k) {
    Index best = kNone;
    std::size_t least = 0;
    for (Index v = 0; v < graph.size(); ++v) {
      if (!game.alive(v)) continue;
      const std::size_t degree = game.neighbours(v).size();
      if (best == kNone || degree < least) best = v, least = degree;
    }
    game.eliminate(best);
    order.push_back(best);
  }
  return order;
}

void expect_permutation(const Graph& graph, const std::vector<Index>& old_of) {
  ASSERT_EQ(old_of.size(), static_cast<std::size_t>(graph.size()));
  EXPECT_NO_THROW((void)Permutation::from_old_of(old_of));
}

TEST(MinimumDegree, EveryStepAgreesWithTheEliminationGame) {
  MinimumDegreeWorkspace workspace;  // reused: an earlier graph must have no influence
  Index multiple_rounds = 0, merges = 0, masses = 0;
  for (std::uint32_t seed = 0; seed < seeds(14000); ++seed) {
    const Graph graph = random_graph(seed, seed % 3 == 0 ? 60 : 25);
    std::mt19937 random(seed + 1);
    std::vector<Index> weight(static_cast<std::size_t>(graph.size()), 1);
    const bool weighted = seed % 2 == 1;
    if (weighted)
      for (Index& w : weight) w = 1 + below(random, 4);
    const int delta = seed % 5 == 0 ? 2 : 0;
    const TieBreak tie = kTies[seed / 7 % 3];
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::vector<MinimumDegreeEvent> events;
    const auto old_of = minimum_degree(
        weighted ? GraphView{graph.ptr(), graph.adjacency(), weight} : view_of(graph),
        options_of(tie, delta), workspace, &events);
    expect_permutation(graph, old_of);
    Replay replay(graph, weight, delta);
    replay.check(events, old_of);
    if (HasFailure()) return;
    multiple_rounds += replay.multiple_rounds, merges += replay.merges, masses += replay.masses;
  }
  EXPECT_GT(multiple_rounds, 1000);  // the checks above were exercised
  EXPECT_GT(merges, 1000);
  EXPECT_GT(masses, 1000);
}

/// Rows that are long compared with their neighbourhood are updated late; no selection may depend
/// on that.
TEST(MinimumDegree, EveryStepAgreesWhereThereAreHubs) {
  MinimumDegreeWorkspace workspace;
  for (std::uint32_t seed = 0; seed < 90; ++seed) {
    std::mt19937 random(seed);
    const Index n = 120 + below(random, 140), hubs = 1 + below(random, 6),
                share = 1 + below(random, 3);
    std::vector<Edge> edges;
    for (Index v = 1; v < n; ++v) {
      edges.emplace_back(v, seed % 3 == 0 ? v - 1 : below(random, v));
      for (Index h = 0; h < hubs; ++h)
        if (below(random, 4) <= share) edges.emplace_back(v, h);
    }
    if (seed % 2 == 1)
      for (Index k = 0; k < n / 2; ++k) edges.emplace_back(below(random, n), below(random, n));
    if (seed % 5 == 1)  // a part that becomes dense: hubs meet elements of their own size
      for (Index k = 0; k < 400; ++k) edges.emplace_back(below(random, 50), below(random, 50));
    const Graph graph = renumbered(graph_of(n, edges), random_permutation(n, random));
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::vector<MinimumDegreeEvent> events;
    const int delta = seed % 4 == 0 ? 2 : 0;
    const auto old_of =
        minimum_degree(view_of(graph), options_of(kTies[seed % 3], delta), workspace, &events);
    expect_permutation(graph, old_of);
    Replay(graph, std::vector<Index>(static_cast<std::size_t>(n), 1), delta).check(events, old_of);
    if (HasFailure()) return;
  }
}

TEST(MinimumDegree, DenseRowsComeLastAndDoNotCount) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    const Graph graph = random_graph(seed * 7 + 6, 200);
    const auto options = options_of(TieBreak::first, 0, 1.0);
    const double limit = std::max(16.0, std::sqrt(static_cast<double>(graph.size())));
    std::vector<Index> dense;
    for (Index v = 0; v < graph.size(); ++v)
      if (graph.degree(v) > limit) dense.push_back(v);
    SCOPED_TRACE("seed " + std::to_string(seed));
    MinimumDegreeWorkspace workspace;
    std::vector<MinimumDegreeEvent> events;
    const auto old_of = minimum_degree(view_of(graph), options, workspace, &events);
    expect_permutation(graph, old_of);
    std::vector<Index> last(old_of.end() - static_cast<std::ptrdiff_t>(dense.size()), old_of.end());
    std::sort(last.begin(), last.end());
    EXPECT_EQ(last, dense);
    Replay(graph, std::vector<Index>(static_cast<std::size_t>(graph.size()), 1), 0, dense)
        .check(events, old_of);
    if (HasFailure()) return;
  }
}

TEST(MinimumDegree, FillIsThatOfNaiveMinimumDegree) {
  double log_ratio = 0, worst = 0;
  Index count = 0;
  MinimumDegreeWorkspace workspace;
  for (std::uint32_t seed = 0; seed < 700; ++seed) {
    const Graph graph = random_graph(seed, 60);
    const auto naive = static_cast<double>(naive_fill(graph, naive_minimum_degree(graph)));
    for (const TieBreak tie : kTies) {
      const double ratio =
          static_cast<double>(
              naive_fill(graph, minimum_degree(view_of(graph), options_of(tie, 0), workspace))) /
          naive;
      log_ratio += std::log(ratio);
      worst = std::max(worst, ratio);
      ++count;
    }
  }
  EXPECT_LT(std::exp(log_ratio / count), 1.01);
  EXPECT_GT(std::exp(log_ratio / count), 0.95);
  EXPECT_LT(worst, 1.35);
}

TEST(MinimumDegree, ForestsHaveNoFill) {
  MinimumDegreeWorkspace workspace;
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    std::mt19937 random(seed);
    const Index n = 1 + below(random, 80);
    std::vector<Edge> edges;
    for (Index v = 1; v < n; ++v)
      if (below(random, 8) > 0) edges.emplace_back(v, below(random, v));
    const Graph graph = renumbered(graph_of(n, edges), random_permutation(n, random));
    for (const TieBreak tie : kTies)
      EXPECT_EQ(naive_fill(graph, minimum_degree(view_of(graph), options_of(tie, 0), workspace)),
                n + graph.edges() / 2);
  }
}

TEST(MinimumDegree, SmallestGraphs) {
  MinimumDegreeWorkspace workspace;
  for (const TieBreak tie : kTies) {
    const auto options = options_of(tie, 0, 10.0);
    EXPECT_TRUE(minimum_degree(view_of(Graph()), options, workspace).empty());
    EXPECT_EQ(minimum_degree(view_of(path(1)), options, workspace), std::vector<Index>{0});
    expect_permutation(path(2), minimum_degree(view_of(path(2)), options, workspace));
    const Graph diagonal = graph_of(1000, {});
    expect_permutation(diagonal, minimum_degree(view_of(diagonal), options, workspace));
  }
  EXPECT_EQ(minimum_degree(view_of(graph_of(4, {})), options_of(TieBreak::first, 0), workspace),
            (std::vector<Index>{0, 1, 2, 3}));
  EXPECT_EQ(minimum_degree(view_of(graph_of(4, {})), options_of(TieBreak::last, 0), workspace),
            (std::vector<Index>{3, 2, 1, 0}));
}

TEST(MinimumDegree, PseudoPeripheralTiesWorkFromBothEndsInwards) {
  const auto order_of = [](const Graph& graph) {
    return ordering::initial_order(view_of(graph), TieBreak::pseudo_peripheral);
  };
  EXPECT_EQ(order_of(path(7)), (std::vector<Index>{0, 6, 1, 5, 2, 4, 3}));
  const Graph chain = renumbered(path(5), {3, 1, 4, 0, 2});  // 3 - 1 - 4 - 0 - 2
  EXPECT_EQ(order_of(chain), (std::vector<Index>{2, 3, 0, 1, 4}));
  EXPECT_TRUE(order_of(Graph()).empty());
  const auto parts = order_of(graph_of(5, {{0, 3}, {3, 1}, {2, 4}}));  // 0 - 3 - 1 and 2 - 4: only
                                                                       // 3 is in the middle
  EXPECT_EQ(parts.back(), 3);
  // In a run, the corners of a ladder come first by any rule; then the two ends, and the middle
  // last.
  MinimumDegreeWorkspace workspace;
  const auto old_of =
      minimum_degree(view_of(grid(9, 2, 1)), options_of(TieBreak::pseudo_peripheral, 0), workspace);
  EXPECT_TRUE(old_of[0] % 9 == 0 || old_of[0] % 9 == 8);
}

TEST(MinimumDegree, LargeHardShapes) {
  MinimumDegreeWorkspace workspace;
  const Graph shapes[] = {star(100001),         clique(1500),        path(1000000),
                          hub_and_chain(50000), grid(20, 20, 20, 3), grid(200, 200, 1),
                          graph_of(300000, {})};
  for (const Graph& graph : shapes)
    for (const double dense : {0.0, 10.0})
      expect_permutation(
          graph, minimum_degree(view_of(graph), options_of(TieBreak::first, 0, dense), workspace));
}

TEST(MinimumDegree, SameResultFromAnyWorkspace) {
  MinimumDegreeWorkspace used;
  (void)minimum_degree(view_of(grid(30, 30, 1)), options_of(TieBreak::last, 1), used);
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const Graph graph = random_graph(seed, 60);
    for (const TieBreak tie : kTies) {
      MinimumDegreeWorkspace fresh;
      EXPECT_EQ(minimum_degree(view_of(graph), options_of(tie, 0), used),
                minimum_degree(view_of(graph), options_of(tie, 0), fresh));
    }
  }
}

TEST(MinimumDegree, MisuseIsAnError) {
  MinimumDegreeWorkspace workspace;
  const auto kind_of = [&](std::vector<Index> weight, int delta) {
    try {
      const Graph graph = path(3);
      (void)minimum_degree(GraphView{graph.ptr(), graph.adjacency(), weight},
                           options_of(TieBreak::first, delta), workspace);
    } catch (const Error& error) {
      return static_cast<int>(error.kind());
    }
    return -1;
  };
  EXPECT_EQ(kind_of({}, 0), -1);
  EXPECT_EQ(kind_of({1, 2, 3}, 0), -1);
  EXPECT_EQ(kind_of({1, 2}, 0), static_cast<int>(ErrorKind::usage));
  EXPECT_EQ(kind_of({1, 0, 1}, 0), static_cast<int>(ErrorKind::usage));
  EXPECT_EQ(kind_of({}, -1), static_cast<int>(ErrorKind::usage));
  const Index big = std::numeric_limits<Index>::max() / 2;
  EXPECT_EQ(kind_of({big, big, big}, 0), static_cast<int>(ErrorKind::overflow));
  // A sum of the largest Index is accepted; the stop comes before the lists of 16 GB.
  std::stop_source stop;
  stop.request_stop();
  const std::stop_token token = stop.get_token();
  const StopScope scope(token);
  EXPECT_EQ(kind_of({big, big, 1}, 0), static_cast<int>(ErrorKind::cancelled));
  EXPECT_EQ(kind_of({big, big, 2}, 0), static_cast<int>(ErrorKind::overflow));
}

TEST(MinimumDegree, HugeDeltaIsOneIndependentSetPerRound) {
  MinimumDegreeWorkspace workspace;
  const Graph graph = grid(6, 6, 1);
  std::vector<MinimumDegreeEvent> events;
  const int delta = std::numeric_limits<int>::max();
  const auto old_of =
      minimum_degree(view_of(graph), options_of(TieBreak::first, delta), workspace, &events);
  expect_permutation(graph, old_of);
  EXPECT_GT(std::count_if(events.begin(), events.end(),
                          [](const auto& e) { return e.kind == Kind::select; }),
            2 * std::count_if(events.begin(), events.end(),
                              [](const auto& e) { return e.kind == Kind::round; }));
}

}  // namespace
}  // namespace kauri
