// Compression, dense rows and components against their definitions.
// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/graph/reduce.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "base/common/disjoint_sets.hpp"
#include "base/threads/allowed_threads.hpp"
#include "kauri/core/permutation.hpp"
#include "kauri/extras/generate.hpp"
#include "support/process/many_threads.hpp"
#include "support/process/seeds.hpp"
#include "support/systems/graphs.hpp"
#include "support/systems/patterns.hpp"

namespace kauri::ordering {
namespace {

using namespace kauri::test;

void expect_representatives(const Graph& graph, const std::vector<char>& kept, std::uint64_t seed) {
  const auto representative = indistinguishable(view_of(graph), kept);
  ASSERT_EQ(static_cast<Index>(representative.size()), graph.size());
  ASSERT_EQ(indistinguishable(view_of(graph), kept, 0), representative)
      << "comparison must decide where all hashes are equal";
  for (Index v = 0; v < graph.size(); ++v) {
    Index expected = v;
    for (Index u = v - 1; u >= 0 && (kept.empty() || kept[v]); --u)
      if ((kept.empty() || kept[u]) &&
          closed_neighbourhood(graph, u, kept) == closed_neighbourhood(graph, v, kept))
        expected = u;
    ASSERT_EQ(representative[v], expected) << "seed " << seed << " vertex " << v;
  }
}

TEST(Reduce, RepresentativesAreEqualClosedNeighbourhoods) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    const Graph graph = any_graph(seed);
    expect_representatives(graph, {}, seed);
    std::mt19937_64 random(seed);
    std::vector<char> kept(static_cast<std::size_t>(graph.size()));
    for (char& k : kept) k = random() % 5 != 0;
    expect_representatives(graph, kept, seed);
  }
}

TEST(Reduce, DenseDegree) {
  EXPECT_EQ(dense_degree(1000, 0), 1000);
  EXPECT_EQ(dense_degree(1000, -1), 1000);
  EXPECT_EQ(dense_degree(1000, std::numeric_limits<double>::quiet_NaN()), 1000);
  EXPECT_EQ(dense_degree(1000, std::numeric_limits<double>::infinity()), 1000);
  EXPECT_EQ(dense_degree(10000, 10), 1000);
  EXPECT_EQ(dense_degree(100, 1), 16);
  EXPECT_EQ(dense_degree(5, 1), 5);
}

// Expects whole supervariables, ordered by their least members, each ascending.
void expect_by_supervariable(const CompressedGraph& compressed, const std::vector<Index>& rows) {
  std::vector<Index> expected, vertices;
  for (const Index row : rows)
    if (row == compressed.member(compressed.vertex_of(row), 0))
      vertices.push_back(compressed.vertex_of(row));
  ASSERT_TRUE(std::is_sorted(vertices.begin(), vertices.end()));
  for (const Index v : vertices)
    for (Index t = 0; t < compressed.weight(v); ++t) expected.push_back(compressed.member(v, t));
  ASSERT_EQ(rows, expected);
}

TEST(Compress, SupervariablesAreClassesWithTheirGraph) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    const Graph graph = any_graph(seed);
    const auto representative = indistinguishable(view_of(graph), {});
    const CompressedGraph compressed(graph, true), plain(graph, false);
    ASSERT_FALSE(plain.merged());
    ASSERT_EQ(plain.size(), graph.size());
    ASSERT_EQ(compressed.merged(), compressed.size() < graph.size());
    std::vector<std::vector<Index>> members(static_cast<std::size_t>(graph.size()));
    for (Index row = 0; row < graph.size(); ++row) members[representative[row]].push_back(row);
    std::erase_if(members, [](const auto& rows) { return rows.empty(); });
    ASSERT_EQ(static_cast<std::size_t>(compressed.size()), members.size());
    for (Index v = 0; v < compressed.size(); ++v) {
      ASSERT_EQ(compressed.weight(v), static_cast<Index>(members[v].size()));
      for (Index t = 0; t < compressed.weight(v); ++t) {
        ASSERT_EQ(compressed.member(v, t), members[v][t]);
        ASSERT_EQ(compressed.vertex_of(members[v][t]), v);
      }
      std::set<Index> expected;
      for (const Index u : graph.neighbours(members[v][0]))
        if (compressed.vertex_of(u) != v) expected.insert(compressed.vertex_of(u));
      const auto list = compressed.view().neighbours(v);
      ASSERT_TRUE(std::is_sorted(list.begin(), list.end()));
      ASSERT_EQ(list.size(), expected.size()) << "seed " << seed;
      ASSERT_TRUE(std::equal(list.begin(), list.end(), expected.begin())) << "seed " << seed;
    }
  }
}

/// Returns the graph without `rows`, whose neighbours become cliques, in the same numbering.
Graph without(const Graph& graph, const std::vector<Index>& rows) {
  std::set<Index> gone(rows.begin(), rows.end());
  std::set<Edge> edges;
  for (Index v = 0; v < graph.size(); ++v)
    for (const Index u : graph.neighbours(v)) {
      if (gone.count(v) == 0 && gone.count(u) == 0) edges.emplace(std::min(u, v), std::max(u, v));
      if (gone.count(v) != 0)
        for (const Index w : graph.neighbours(v))
          if (u < w) edges.emplace(u, w);
    }
  return graph_of(graph.size(), {edges.begin(), edges.end()});
}

/// Returns the rows that are not in old_of.
std::vector<Index> missing(Index n, const std::vector<Index>& old_of) {
  std::vector<char> there(static_cast<std::size_t>(n), 0);
  for (const Index v : old_of) there[v] = 1;
  std::vector<Index> rows;
  for (Index v = 0; v < n; ++v)
    if (there[v] == 0) rows.push_back(v);
  return rows;
}

/// Expects that eliminated small rows have no other small row as neighbour, and come right before
/// the first of their neighbours, or before further small rows that do.
void expect_small_rows(const Graph& graph, const Reduction& reduction,
                       const std::vector<Index>& rest, const std::vector<Index>& small) {
  const auto p = Permutation::from_old_of(reduction.with_small_rows(rest));
  ASSERT_EQ(p.size(), graph.size());
  const std::set<Index> gone(small.begin(), small.end());
  std::vector<Index> others;
  Index next = kNone;  // the next place of a row that is not small
  for (Index k = graph.size() - 1; k >= 0; --k) {
    const Index v = p.old_of(k);
    if (gone.count(v) == 0) {
      others.push_back(v);
      next = k;
      continue;
    }
    Index first = graph.size();
    for (const Index u : graph.neighbours(v))
      if (reduction.compressed().vertex_of(u) != reduction.compressed().vertex_of(v)) {
        ASSERT_EQ(gone.count(u), 0U);
        first = std::min(first, p.new_of(u));
      }
    ASSERT_EQ(first, next);
  }
  std::reverse(others.begin(), others.end());
  ASSERT_EQ(others, rest);
}

/// Returns all rows but the small ones: those of components, each in its own order, then those set
/// aside.
std::vector<Index> rest_of(const Reduction& reduction) {
  std::vector<Index> old_of;
  for (Index c = 0; c < reduction.components(); ++c)
    for (Index v = 0; v < reduction.size(c); ++v)
      reduction.expand(c, std::vector<Index>{v}, old_of);
  reduction.append_rest(old_of);
  return old_of;
}

// Component c, with its own numbers, is the subgraph of the caller's graph without small rows that
// expand() names.
void expect_reduction(const Graph& given, bool compress, double dense, std::uint64_t seed) {
  const Reduction reduction(given, compress, dense);
  const std::vector<Index> rest = rest_of(reduction), small = missing(given.size(), rest);
  ASSERT_NO_FATAL_FAILURE(expect_small_rows(given, reduction, rest, small));
  const Graph graph = without(given, small);
  std::vector<Index> old_of;
  Index least_before = -1;
  for (Index c = 0; c < reduction.components(); ++c) {
    const GraphView view = reduction.component(c);
    ASSERT_EQ(view.size(), reduction.size(c));
    std::vector<std::vector<Index>> members;
    for (Index v = 0; v < view.size(); ++v) {
      std::vector<Index> group;
      reduction.expand(c, std::vector<Index>{v}, group);
      ASSERT_EQ(static_cast<Index>(group.size()), view.weight_of(v));
      ASSERT_NO_FATAL_FAILURE(expect_by_supervariable(reduction.compressed(), group));
      ASSERT_TRUE(members.empty() || members.back().front() < group.front());
      old_of.insert(old_of.end(), group.begin(), group.end());
      members.push_back(std::move(group));
    }
    ASSERT_GT(members.front().front(), least_before) << "components come by their least vertex";
    least_before = members.front().front();
    for (Index v = 0; v < view.size(); ++v) {
      ASSERT_TRUE(std::is_sorted(view.neighbours(v).begin(), view.neighbours(v).end()));
      std::set<Index> expected;
      for (Index u = 0; u < view.size(); ++u)
        for (const Index i : members[v])
          for (const Index j : members[u]) {
            const auto list = graph.neighbours(i);
            if (u != v && std::binary_search(list.begin(), list.end(), j)) expected.insert(u);
          }
      ASSERT_EQ(std::set<Index>(view.neighbours(v).begin(), view.neighbours(v).end()), expected)
          << "seed " << seed;
    }
  }
  const std::size_t sparse = old_of.size();
  reduction.append_rest(old_of);
  ASSERT_EQ(old_of, rest);
  ASSERT_NO_FATAL_FAILURE(expect_by_supervariable(
      reduction.compressed(),
      {old_of.begin() + static_cast<std::ptrdiff_t>(sparse), old_of.end()}));
  if (!small.empty() && sparse == old_of.size()) return;  // more than half would have been dense
  const Index limit = dense_degree(static_cast<Index>(rest.size()), dense);
  for (std::size_t k = 0; k < old_of.size(); ++k)
    ASSERT_EQ(graph.degree(old_of[k]) > limit, k >= sparse);
}

/// Returns a path of n vertices in which each `step`-th, from `first` on, is the tip of a triangle,
/// whose other two vertices are twins.
Graph path_with_twins(Index n, Index first, Index step) {
  std::vector<Edge> edges = edges_of(path(n));
  Index size = n;
  for (Index v = first; v < n; v += step) {
    edges.emplace_back(v, size), edges.emplace_back(v, size + 1),
        edges.emplace_back(size, size + 1);
    size += 2;
  }
  return graph_of(size, edges);
}

// In large graphs a sample detects twins wherever they are; if they are few, none are merged.
TEST(Compress, TwinsAreMergedWhereTheyAreMany) {
  for (const Index n : {50, 3000, 20000, 40000})
    for (const Index step : {2, 3, 8, 16, 30})
      for (const Index first : {0, 1, step - 1}) {
        const Graph graph = path_with_twins(n, first, step);
        EXPECT_EQ(CompressedGraph(graph, true).size(), graph.size() - (n - first + step - 1) / step)
            << n << ' ' << step;
      }
  const auto merged = [](const Graph& graph) { return CompressedGraph(graph, true).merged(); };
  for (const Index n : {3000, 20000, 40000}) {
    EXPECT_FALSE(merged(path_with_twins(n, 0, 500))) << n;
    EXPECT_FALSE(merged(path(n))) << n;
  }
  EXPECT_TRUE(merged(clique(5000)));
}

TEST(DisjointSets, AreThoseOfTheirLabels) {
  for (std::uint64_t seed = 0; seed < seeds(100); ++seed) {
    std::mt19937_64 random(seed);
    const auto n = static_cast<Index>(1 + random() % 60);
    DisjointSets sets(n);
    std::vector<Index> label(static_cast<std::size_t>(n));
    std::iota(label.begin(), label.end(), 0);
    for (Index k = 0; k < 2 * n; ++k) {
      const auto u = static_cast<Index>(random() % static_cast<std::uint64_t>(n)),
                 v = static_cast<Index>(random() % static_cast<std::uint64_t>(n));
      ASSERT_EQ(sets.unite(u, v), label[u] != label[v]);
      const auto [least, other] = std::minmax(label[u], label[v]);
      std::replace(label.begin(), label.end(), Index{other}, Index{least});
      for (Index w = 0; w < n; ++w) ASSERT_EQ(sets.representative(w), label[w]);
    }
  }
}

TEST(Reduce, ComponentsAreTheSubgraphsTheyName) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const Graph graph = any_graph(seed);
    expect_reduction(graph, true, 10, seed);
    expect_reduction(graph, false, 1, seed);
    expect_reduction(graph, true, 0.5, seed);
  }
}

TEST(Reduce, WhatADenseRowToldApartIsMerged) {
  std::vector<Edge> edges{{0, 1}, {0, 2}, {1, 2}};
  for (Index v = 2; v < 23; ++v)
    edges.emplace_back(v, 23);  // of 0, 1 and 2 only 2 is a neighbour
                                // of the hub
  for (Index v = 4; v < 23; ++v) edges.emplace_back(v - 1, v);
  const Graph graph = graph_of(24, edges);
  const Reduction reduction(graph, true, 1);
  EXPECT_EQ(reduction.compressed().size(), 23);  // 0 and 1
  ASSERT_EQ(reduction.size(0), 1);
  EXPECT_EQ(reduction.component(0).weight_of(0), 3);
  EXPECT_EQ(Reduction(graph, false, 1).size(0), 3);
}

// The graphs have many components, some twins, dense rows and rows set aside, and are large enough
// for several tasks.
TEST(Reduce, IsTheSameByManyThreads) {
  const ManyThreads many;
  for (const double degree : {1.5, 4.0}) {
    std::vector<Edge> edges = edges_of(Graph(random_pattern(70000, degree, 3).view()));
    for (Index k = 1; k <= 40; ++k)
      for (const Index hub : {100, 40000}) edges.emplace_back(hub, hub + k);
    edges.emplace_back(100, 69000);
    const Graph graph = graph_of(70000, edges);
    const auto in_words = [&](int threads) {
      std::vector<Index> words;
      with_threads(threads, [&] {
        const std::vector<Index> last{5, 69000, 17};
        const Reduction reduction(graph, true, 0.04, last);
        const GraphView& view = reduction.compressed().view();
        words.insert(words.end(), view.adjacency.begin(), view.adjacency.end());
        words.insert(words.end(), view.weight.begin(), view.weight.end());
        for (Index c = 0; c < reduction.components(); ++c) {
          words.push_back(reduction.size(c));
          for (Index v = 0; v < reduction.size(c); ++v) {
            const auto list = reduction.component(c).neighbours(v);
            words.insert(words.end(), list.begin(), list.end());
            reduction.expand(c, std::vector<Index>{v}, words);
          }
        }
        const std::size_t before = words.size();
        reduction.append_rest(words);
        EXPECT_EQ(words.size() - before, 2 + last.size());
      });
      return words;
    };
    const std::vector<Index> alone = in_words(1);
    EXPECT_GT(alone.size(), 200000u);
    EXPECT_EQ(alone, in_words(8));
  }
}

TEST(Reduce, ComponentsAreConnectedAndApart) {
  const Graph graph = side_by_side({path(4), clique(3), star(5), Graph(), path(1)});
  const Reduction plain(graph, false, 0), compressed(graph, true, 0);
  ASSERT_EQ(plain.components(), 4);
  EXPECT_EQ(plain.size(0), 4);
  EXPECT_EQ(plain.size(1), 3);
  EXPECT_EQ(plain.size(2), 5);
  EXPECT_EQ(plain.size(3), 1);
  ASSERT_EQ(compressed.components(), 4);
  EXPECT_EQ(compressed.size(1), 1);
  EXPECT_EQ(compressed.component(1).weight[0], 3);
}

// Bundle adjustment: the cameras remain, whether or not all of them are connected.
TEST(Reduce, SmallRowsOfABlockArrowAreEliminated) {
  const auto a = generate("bundle 30 2000 3 1 --shuffle 2"),
             sparse = generate("bundle 120 2500 3 1 --shuffle 2"),
             small = generate("bundle 12 300 3 1");
  const Graph graph(a.pattern()), wide(sparse.pattern());
  expect_reduction(Graph(small.pattern()), true, 10, 1);
  const Reduction dense(graph, true, 10), cameras(wide, true, 10);
  ASSERT_EQ(dense.components(), 1);
  EXPECT_EQ(dense.size(), 30);
  EXPECT_EQ(dense.edges(), 30 * 29);
  EXPECT_EQ(dense.component(0).weight_of(0), 9);
  EXPECT_EQ(cameras.size(), 120);
  EXPECT_GT(cameras.edges(), 8000);
  EXPECT_LT(cameras.edges(), 120 * 119);
  EXPECT_LE(cameras.edges(), cameras.compressed().view().edges());
  EXPECT_EQ(static_cast<Index>(rest_of(cameras).size()), 9 * 120);
}

// Rows that come last have no influence, and a row that meets all others is dense whether or not
// rows are eliminated.
TEST(Reduce, SmallRowsBesideRowsThatComeLastAndDenseOnes) {
  const auto a = generate("bundle 25 1500 3 4");
  Graph graph(a.pattern());
  std::vector<Edge> edges = edges_of(graph);
  const Index n = graph.size(), hub = n, after = n + 1;
  for (Index v = 0; v < n; ++v) edges.emplace_back(v, hub);
  for (Index v = 0; v < n; ++v)
    if (v / 3 % 2 == 0) edges.emplace_back(v, after);
  graph = graph_of(n + 2, edges);
  const std::vector<Index> last{after, 0};
  const Reduction reduction(graph, true, 10, last);
  const std::vector<Index> rest = rest_of(reduction);
  EXPECT_EQ(static_cast<Index>(rest.size()), 9 * 25 + 3);
  EXPECT_EQ(std::vector<Index>(rest.end() - 2, rest.end()), last);
  const auto all = reduction.with_small_rows(rest);
  ASSERT_EQ(Permutation::from_old_of(all).size(), n + 2);
  EXPECT_EQ(std::vector<Index>(all.end() - 2, all.end()), last);
}

TEST(Reduce, NothingIsEliminatedWhereRowsAreAlike) {
  for (const char* spec : {"poisson2d 30", "elast3d 5", "rgg3d 2000 8 1", "tree 3000 1",
                           "powerlaw 3000 4 1", "shell2d 20"}) {
    const auto a = generate(spec);
    const Graph graph(a.pattern());
    EXPECT_EQ(static_cast<Index>(rest_of(Reduction(graph, true, 10)).size()), graph.size()) << spec;
  }
}

}  // namespace
}  // namespace kauri::ordering
