// Tests the quick estimates for banded orderings against counts entry by entry and distances found
// in rounds.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/choose/envelope.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "kauri/core/graph.hpp"
#include "kauri/core/permutation.hpp"
#include "ordering/graph/compress.hpp"
#include "support/systems/patterns.hpp"
#include "symbolic/choose/ordering_selection.hpp"
#include "symbolic/common/cost_table.hpp"

namespace kauri::test {
namespace {

/// Returns the envelope computed from columns 0, step, 2 step, ... only.
double naive_envelope(const OwnedPattern& a, const Permutation& perm, Index step = 1) {
  const Pattern lower = a.view();
  std::vector<Index> first(static_cast<std::size_t>(lower.n));
  std::iota(first.begin(), first.end(), 0);
  for (Index j = 0; j < lower.n; j += step)
    for (Offset k = lower.col_ptr[j]; k < lower.col_ptr[j + 1]; ++k) {
      const Index x = perm.new_of(j), y = perm.new_of(lower.row[k]);
      first[std::max(x, y)] = std::min({first[std::max(x, y)], x, y});
    }
  double entries = 0;
  for (Index i = 0; i < lower.n; ++i) entries += i - first[i] + 1;
  return entries;
}

double envelope(const OwnedPattern& a, const Permutation& perm, bool merge = true,
                const std::vector<Index>& apart = {}) {
  const Pattern lower = a.view();
  return symbolic::envelope_entries(
      ordering::CompressedGraph(ordering::GraphSource(lower), merge, apart), perm);
}

TEST(Envelope, EnvelopeIsCountedRowByRow) {
  EXPECT_EQ(envelope(diagonal_pattern(0), Permutation::identity(0)), 0);
  EXPECT_EQ(envelope(diagonal_pattern(7), Permutation::identity(7)), 7);
  const OwnedPattern edges = pattern_of(6, {{0, 5}, {1, 2}, {3, 5}, {2, 4}});
  EXPECT_EQ(envelope(edges, Permutation::identity(6)), 1 + 1 + 2 + 1 + 3 + 6);
  EXPECT_EQ(symbolic::envelope_entries(edges.view()), 1 + 1 + 2 + 1 + 3 + 6);
  // In this order the edges become {0,1}, {2,3}, {3,4}, {1,5}.
  EXPECT_EQ(envelope(edges, Permutation::from_old_of({0, 5, 1, 2, 4, 3})), 1 + 2 + 1 + 2 + 2 + 5);
}

TEST(Envelope, SupervariablesTellTheEnvelopeOfTheirRows) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::vector<Index> weight(60);
    for (std::size_t v = 0; v < weight.size(); ++v)
      weight[v] = 1 + static_cast<Index>((seed * v) % 4);
    for (const Numbering numbering :
         {Numbering::together, Numbering::shuffled, Numbering::by_unknown}) {
      const OwnedPattern a = blown_up(grid_pattern(5, 4, 3), weight, numbering, seed);
      for (const Permutation& perm : {Permutation::identity(a.n()), random_order(a.n(), seed + 1)})
        for (const std::vector<Index>& apart : {std::vector<Index>{}, {0, 7, 30}}) {
          EXPECT_EQ(envelope(a, perm, true, apart), naive_envelope(a, perm)) << "seed " << seed;
          EXPECT_EQ(envelope(a, perm, false), naive_envelope(a, perm)) << "seed " << seed;
          EXPECT_EQ(symbolic::envelope_entries(a.view(), perm), naive_envelope(a, perm))
              << "seed " << seed;
        }
    }
  }
}

TEST(Envelope, SomeColumnsTellAPartOfTheEnvelope) {
  EXPECT_EQ(symbolic::envelope_entries(diagonal_pattern(0).view()), 0);
  EXPECT_EQ(symbolic::envelope_entries(diagonal_pattern(0).view(), 8), 0);
  EXPECT_EQ(symbolic::envelope_entries(diagonal_pattern(1).view(), 8), 1);
  EXPECT_EQ(symbolic::envelope_entries(diagonal_pattern(17).view(), 8), 17);
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const OwnedPattern a = shuffled(grid_pattern(9, 7, 3), seed);
    const Permutation same = Permutation::identity(a.n());
    double last = 0;
    for (const Index step : {400, 8, 2, 1}) {
      const double entries = symbolic::envelope_entries(a.view(), step);
      EXPECT_EQ(entries, naive_envelope(a, same, step)) << step;
      EXPECT_GE(entries, last) << "each has the columns of the one before";
      last = entries;
    }
  }
}

/// The predicted time must rise with the width, since the selection compares part of an envelope
/// with all of it.
TEST(Envelope, AWiderBandNeverTakesLess) {
  const OwnedPattern a = chain_pattern(5000);
  for (const symbolic::CostTable& table : symbolic::cost_tables()) {
    if (!table.target.starts_with("cpu")) continue;
    for (const auto& [factorizations, solves] : {std::pair{1, 1}, {1000, 0}, {1, 100000}}) {
      AnalyzeOptions options;
      options.target = table.target;
      options.factorizations = factorizations;
      options.solves = solves;
      const Pattern lower = a.view();
      const symbolic::OrderingSelector selector(lower, options);
      double last = 0;
      for (double width = 1; width < 3000; width *= 1.003) {
        const double seconds = selector.band_seconds(width * a.n());
        EXPECT_GE(seconds, last) << table.target << ", width " << width;
        last = seconds;
      }
    }
  }
}

/// Returns the distances from a vertex, computed in rounds over all edges; n if it is not reached.
std::vector<Index> distances(const ordering::GraphView& graph, Index start) {
  const Index n = graph.size();
  std::vector<Index> distance(static_cast<std::size_t>(n), n);
  distance[start] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (Index v = 0; v < n; ++v)
      for (const Index u : graph.neighbours(v))
        if (distance[u] + 1 < distance[v]) {
          distance[v] = distance[u] + 1;
          changed = true;
        }
  }
  return distance;
}

/// Returns the vertex that a breadth-first search reaches last.
Index found_last(const ordering::GraphView& graph, Index start, std::vector<char>& seen) {
  std::vector<Index> queue{start};
  seen[start] = 1;
  for (std::size_t k = 0; k < queue.size(); ++k)
    for (const Index u : graph.neighbours(queue[k]))
      if (seen[u] == 0) {
        seen[u] = 1;
        queue.push_back(u);
      }
  return queue.back();
}

double naive_banded_entries(const ordering::GraphView& graph) {
  const Index n = graph.size();
  std::vector<char> seen(static_cast<std::size_t>(n), 0);
  double squares = 0;
  for (Index v = 0; v < n; ++v) {
    if (seen[v] != 0) continue;
    std::vector<double> width(static_cast<std::size_t>(n) + 1, 0);
    for (const Index d : distances(graph, found_last(graph, v, seen))) ++width[d];
    for (Index d = 0; d < n; ++d) squares += width[d] * width[d];
  }
  return squares / 2;
}

TEST(Envelope, OfManyGraphsAreThoseOfDistances) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    std::mt19937_64 random(seed);
    const auto n = static_cast<Index>(1 + random() % 60);
    const std::size_t edges = random() % (1 + 2 * static_cast<std::size_t>(n));
    EdgeList pairs;
    for (std::size_t e = 0; e < edges; ++e)
      pairs.emplace_back(static_cast<Index>(random() % n), static_cast<Index>(random() % n));
    const Graph graph(pattern_of(n, std::move(pairs)).view());
    EXPECT_EQ(symbolic::banded_entries(ordering::view_of(graph)),
              naive_banded_entries(ordering::view_of(graph)))
        << "seed " << seed;
  }
}

TEST(Envelope, CountsWidthsFromTheEnds) {
  const OwnedPattern strip = grid_pattern(4, 100, 1);
  const double entries = symbolic::banded_entries(ordering::view_of(Graph(strip.view())));
  EXPECT_LT(entries, 0.5 * 16 * 103);  // 103 levels of at most 4
  EXPECT_GT(entries, 0.5 * 16 * 90);
  EXPECT_EQ(symbolic::banded_entries(ordering::view_of(Graph(diagonal_pattern(10).view()))), 5);
  const Graph points(strip.view());
  const std::vector<Index> unknowns(400, 3);
  EXPECT_EQ(symbolic::banded_entries({points.ptr(), points.adjacency(), unknowns}), 9 * entries);
  EXPECT_EQ(symbolic::banded_entries(ordering::view_of(Graph(diagonal_pattern(0).view()))), 0);
}

}  // namespace
}  // namespace kauri::test
