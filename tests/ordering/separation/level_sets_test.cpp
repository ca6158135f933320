// Separations by level sets against naive ones: distances, thresholds of one and of two distances.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/separation/level_sets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "support/process/seeds.hpp"
#include "support/systems/separations.hpp"

namespace kauri::ordering::dissection {
namespace {

using namespace kauri::test;
using ordering::view_of;

Distances naive_distances(const GraphView& graph, Index start) {
  Distances d;
  d.of.assign(static_cast<std::size_t>(graph.size()), kNone);
  d.of[start] = 0;
  for (Index level = 0;; ++level) {
    bool any = false;
    for (Index v = 0; v < graph.size(); ++v)
      if (d.of[v] == level)
        for (const Index u : graph.neighbours(v))
          if (d.of[u] == kNone) d.of[u] = level + 1, any = true;
    if (!any) break;
  }
  for (Index v = 0; v < graph.size(); ++v) {
    if (d.of[v] == kNone) continue;
    ++d.reached;
    const auto rank = [&](Index u) { return std::make_pair(-d.of[u], graph.degree(u)); };
    if (d.farthest == kNone || rank(v) < rank(d.farthest)) d.farthest = v;
  }
  return d;
}

TEST(LevelSets, BreadthFirst) {
  LevelSetWorkspace shared;
  for (std::uint64_t seed = 0; seed < seeds(800); ++seed) {
    const Graph graph = graph_to_divide(seed, 120);
    const auto start = static_cast<Index>(seed * 5 % static_cast<std::uint64_t>(graph.size()));
    const Distances d = breadth_first(view_of(graph), start, shared),
                    expected = naive_distances(view_of(graph), start);
    ASSERT_EQ(d.of, expected.of) << "seed " << seed;
    ASSERT_EQ(d.reached, expected.reached) << "seed " << seed;
    ASSERT_EQ(d.farthest, expected.farthest) << "seed " << seed;
    ASSERT_EQ(d.levels(), 1 + *std::max_element(d.of.begin(), d.of.end()));
  }
}

/// Returns the separation at a threshold by definition.
Separation naive_threshold(const GraphView& graph, std::span<const Index> key, Index at,
                           bool upper) {
  Separation s{std::vector<Side>(key.size()), {}};
  for (Index v = 0; v < graph.size(); ++v) {
    const bool above = key[v] >= at;
    bool crosses = false;
    for (const Index u : graph.neighbours(v)) crosses = crosses || (key[u] >= at) != above;
    s.side[v] = crosses && above == upper ? kSeparator : above ? kRight : kLeft;
  }
  s.weight = recounted(graph, s.side);
  return s;
}

/// Returns all separations from thresholds of the difference of two distances; element 2 k + 1 is
/// the upper one of threshold k + 1.
std::vector<Separation> naive_differences(const GraphView& graph, const Distances& a,
                                          const Distances& b) {
  std::vector<Index> key(a.of.size());
  for (std::size_t v = 0; v < key.size(); ++v) key[v] = a.of[v] - b.of[v] + b.levels() - 1;
  std::vector<Separation> all;
  for (Index at = 1; at < a.levels() + b.levels() - 1; ++at)
    for (const bool upper : {false, true}) all.push_back(naive_threshold(graph, key, at, upper));
  return all;
}

/// Returns all separations from one distance, in the same layout: whole levels.
std::vector<Separation> naive_levels(const GraphView& graph, const Distances& d) {
  std::vector<Separation> all;
  for (Index at = 1; at < d.levels(); ++at)
    for (const Index level : {at - 1, at}) {
      Separation s{std::vector<Side>(d.of.size()), {}};
      for (std::size_t v = 0; v < d.of.size(); ++v)
        s.side[v] = d.of[v] == level ? kSeparator : d.of[v] < level ? kLeft : kRight;
      s.weight = recounted(graph, s.side);
      all.push_back(std::move(s));
    }
  return all;
}

/// Computes the criterion that compares thresholds: predicted work, and a penalty for a heavy side.
/// The reference is the lighter separator of the least threshold with half the weight below it.
class Criterion {
 public:
  Criterion(const std::vector<Separation>& all, Offset total, double most)
      : limit_(most * static_cast<double>(total)) {
    for (std::size_t k = 0; k < all.size(); k += 2) {
      const PartWeights &lower = all[k].weight, &upper = all[k + 1].weight;
      reference_ =
          static_cast<double>(std::max<Offset>(1, std::min(upper[kSeparator], lower[kSeparator])));
      if (2 * (lower[kLeft] + lower[kSeparator]) >= total) return;
    }
  }
  [[nodiscard]] double operator()(const PartWeights& weight) const {
    const auto heavier = static_cast<double>(heavier_side(weight));
    return predicted_work(weight, reference_) +
           (heavier > limit_ ? 1e6 * reference_ * reference_ * reference_ * heavier / limit_ : 0);
  }

 private:
  double limit_, reference_ = 1;
};

void expect_the_best(const GraphView& graph, const Separation& found,
                     const std::vector<Separation>& all, double most) {
  ASSERT_EQ(flaw_of(graph, found), "");
  const Criterion cost(all, graph.total_weight(), most);
  bool among = false;
  for (const Separation& s : all) {
    among = among || s.side == found.side;
    ASSERT_LE(cost(found.weight), cost(s.weight));
  }
  ASSERT_TRUE(among);
}

TEST(LevelSets, TheBestOfAllThresholds) {
  LevelSetWorkspace shared;
  int levels = 0, differences = 0, within = 0;
  for (std::uint64_t seed = 0; seed < seeds(1500) && !testing::Test::HasFatalFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const auto weighted = with_weights(graph_to_divide(seed, 120), seed);
    const GraphView graph = weighted.view();
    const double most = 0.55 + 0.1 * static_cast<double>(seed % 4);
    const auto any = [&](std::uint64_t k) {
      return static_cast<Index>((seed * 7919 + k) % static_cast<std::uint64_t>(graph.size()));
    };
    const Distances a = breadth_first(graph, any(0), shared),
                    b = breadth_first(graph, seed % 2 == 0 ? a.farthest : any(1), shared);
    if (a.reached != graph.size() || a.levels() < 3 || b.levels() < 3) continue;
    const Separation level = level_separation(graph, a, most, shared),
                     difference = difference_separation(graph, a, b, most, shared);
    expect_the_best(graph, level, naive_levels(graph, a), most);
    expect_the_best(graph, difference, naive_differences(graph, a, b), most);
    ++levels, differences += difference.side != level.side;
    within += heavier_side(level.weight) <= most_side(graph.total_weight(), most);
  }
  EXPECT_GT(levels, static_cast<int>(seeds(1500)) / 3);
  EXPECT_GT(differences, levels / 2);
  EXPECT_GT(within, levels / 2);
}

// The second source outweighs all others: no vertex lies beyond the threshold that would halve the
// graph.
TEST(LevelSets, AHeavySource) {
  LevelSetWorkspace workspace;
  const Graph graph = path(4);
  const std::vector<Index> weight{1, 1, 1, 9};
  const GraphView view{graph.ptr(), graph.adjacency(), weight};
  const Distances a = breadth_first(view, 0, workspace), b = breadth_first(view, 3, workspace);
  EXPECT_EQ(difference_separation(view, a, b, 0.8, workspace).weight, (PartWeights{2, 9, 1}));
}

// A dumbbell: the separation must be at the thinnest place between the halves.
TEST(LevelSets, FindsTheNeck) {
  LevelSetWorkspace workspace;
  std::vector<Edge> edges = edges_of(side_by_side({grid(8, 8), path(1), grid(8, 8)}));
  edges.emplace_back(63, 64);
  edges.emplace_back(64, 65);
  const Graph graph = graph_of(129, edges);
  const Distances d = breadth_first(view_of(graph), 0, workspace);
  const Separation s = level_separation(view_of(graph), d, 0.65, workspace);
  EXPECT_EQ(s.weight, (PartWeights{64, 64, 1}));
  EXPECT_EQ(s.side[64], kSeparator);
}

}  // namespace
}  // namespace kauri::ordering::dissection
