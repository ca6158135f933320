// Separator trees fit their graphs; orders within them and after changes keep their guarantees.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/extras/separators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "kauri/extras/generate.hpp"
#include "support/process/error_text.hpp"
#include "support/systems/graphs.hpp"
#include "symbolic/check/quotient_elimination.hpp"

namespace kauri {
namespace {

using namespace kauri::test;

std::vector<Index> nodes_by_row(const Permutation& perm, const SeparatorTree& tree) {
  std::vector<Index> node(static_cast<std::size_t>(perm.size()));
  for (Index k = 0; k < tree.count(); ++k)
    for (Index place = tree.first[k]; place < tree.first[k + 1]; ++place)
      node[perm.old_of(place)] = k;
  return node;
}

bool is_above(const SeparatorTree& tree, Index a, Index b) {
  while (b != kNone && b < a) b = tree.parent[b];
  return b == a;
}

/// Expects by definition: postorder, all places, no edge between branches.
void expect_fits(const Graph& graph, const Permutation& perm, const SeparatorTree& tree) {
  ASSERT_EQ(tree.first.size(), tree.parent.size() + 1);
  ASSERT_EQ(tree.first.front(), 0);
  ASSERT_EQ(tree.first.back(), graph.size());
  std::vector<Index> size(tree.parent.size(), 1);
  for (Index k = 0; k < tree.count(); ++k) {
    ASSERT_LT(tree.first[k], tree.first[k + 1]);
    if (tree.parent[k] == kNone) continue;
    ASSERT_GT(tree.parent[k], k);
    size[tree.parent[k]] += size[k];
  }
  for (Index k = 0; k < tree.count(); ++k)
    for (Index below = k - size[k] + 1; below < k; ++below)
      ASSERT_TRUE(is_above(tree, k, below)) << below << " is not below " << k;
  const std::vector<Index> node = nodes_by_row(perm, tree);
  for (Index v = 0; v < graph.size(); ++v)
    for (const Index u : graph.neighbours(v)) {
      const Index a = std::max(node[u], node[v]), b = std::min(node[u], node[v]);
      ASSERT_TRUE(is_above(tree, a, b)) << "rows " << u << " and " << v;
    }
}

std::vector<Index> children_of(const SeparatorTree& tree) {
  std::vector<Index> children(tree.parent.size(), 0);
  for (const Index up : tree.parent)
    if (up != kNone) ++children[up];
  return children;
}

double flops(const Graph& graph, const Permutation& perm) {
  double sum = 0;
  for (const Index c : symbolic::quotient_column_counts(graph, perm))
    sum += static_cast<double>(c) * c;
  return sum;
}

Graph graph_of(const char* spec) { return Graph(generate(spec).pattern()); }

/// Returns the graph with some edges added or removed, and the rows at their ends.
Graph changed_graph(const Graph& graph, const std::set<std::pair<Index, Index>>& flipped,
                    std::vector<Index>& rows) {
  std::vector<std::set<Index>> list(static_cast<std::size_t>(graph.size()));
  for (Index v = 0; v < graph.size(); ++v)
    list[v] = {graph.neighbours(v).begin(), graph.neighbours(v).end()};
  for (const auto& [u, v] : flipped)
    for (const auto& [a, b] : {std::pair(u, v), std::pair(v, u)}) {
      if (!list[a].insert(b).second) list[a].erase(b);
      rows.push_back(a);
    }
  std::vector<Offset> ptr{0};
  std::vector<Index> adjacency;
  for (const auto& neighbours : list) {
    adjacency.insert(adjacency.end(), neighbours.begin(), neighbours.end());
    ptr.push_back(static_cast<Offset>(adjacency.size()));
  }
  return {std::move(ptr), std::move(adjacency)};
}

TEST(Separators, TreesFitAnyOrderingOfAnyGraph) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const Graph graph = any_graph(seed);
    for (const auto method :
         {OrderingMethod::natural, OrderingMethod::amd, OrderingMethod::nested_dissection}) {
      const Permutation perm = order(graph, {.method = method});
      for (const Index leaf : {1, 5, 200}) {
        SCOPED_TRACE("seed " + std::to_string(seed) + " leaf " + std::to_string(leaf));
        expect_fits(graph, perm, separator_tree(graph, perm, leaf));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Separators, OfADissectedGridAreDeepAndOfABandAreOneNode) {
  const Graph grid = graph_of("poisson2d 64");
  const Permutation perm = order(grid, {.method = OrderingMethod::nested_dissection});
  const SeparatorTree tree = separator_tree(grid, perm);
  Index largest = 0;
  const std::vector<Index> children = children_of(tree);
  for (Index k = 0; k < tree.count(); ++k)
    if (children[k] == 0) largest = std::max(largest, tree.first[k + 1] - tree.first[k]);
  EXPECT_GT(tree.count(), 20);
  EXPECT_LT(largest, 400);
  EXPECT_EQ(separator_tree(grid, Permutation::identity(grid.size())).count(), 1);
}

// A front's rows in a separator then form few runs, since rows with their lowest neighbours in the
// front's subtree are consecutive.
TEST(Separators, OfADissectionAscendByTheirLowestNeighbours) {
  for (const char* system : {"poisson2d 70", "poisson3d 14", "rgg3d 4000 9 1", "rgg3d 4000 9 2"}) {
    const Graph graph = graph_of(system);
    const Permutation perm = order(graph, {.method = OrderingMethod::nested_dissection});
    const SeparatorTree tree = separator_tree(graph, perm);
    const std::vector<Index> children = children_of(tree);
    const Index root = tree.count() - 1;
    ASSERT_GT(children[root], 1) << system;
    Index last = 0, distinct = 0;
    for (Index k = tree.first[root]; k < graph.size(); ++k) {
      Index lowest = tree.first[root];
      for (const Index u : graph.neighbours(perm.old_of(k)))
        lowest = std::min(lowest, perm.new_of(u));
      EXPECT_GE(lowest, last) << system << " at " << k;
      distinct += lowest != last ? 1 : 0;
      last = lowest;
    }
    EXPECT_GT(distinct, 10) << system;
  }
}

TEST(Separators, OrdersWithinKeepTheNodesAndOrderTheLeaves) {
  const Graph grid = graph_of("poisson2d 60");
  // Four domains of 30 x 30 minus a cross; rows backwards, an order that minimum degree would never
  // choose.
  std::vector<Index> old_of;
  SeparatorTree tree;
  const auto is_cross = [](Index v) { return v / 60 == 30 || v % 60 == 30; };
  for (const Index domain : {0, 1, 2, 3}) {
    for (Index v = grid.size() - 1; v >= 0; --v)
      if (!is_cross(v) && (v / 60 > 30) + 2 * (v % 60 > 30) == domain) old_of.push_back(v);
    tree.first.push_back(static_cast<Index>(old_of.size()));
    tree.parent.push_back(4);
  }
  for (Index v = 0; v < grid.size(); ++v)
    if (is_cross(v)) old_of.push_back(v);
  tree.first.push_back(grid.size());
  tree.parent.push_back(kNone);
  const Permutation given = Permutation::from_old_of(old_of);
  const Permutation found = order_within(grid, given, tree);
  EXPECT_EQ(nodes_by_row(found, tree), nodes_by_row(given, tree));
  for (Index place = tree.first[4]; place < grid.size(); ++place)
    EXPECT_EQ(found.old_of(place), given.old_of(place));
  EXPECT_LT(flops(grid, found),
            2 * flops(grid, order(grid, {.method = OrderingMethod::nested_dissection})));
  EXPECT_EQ(order_within(grid, given, tree, {.threads = 1}), found);
  tree.first[1] -= 100;  // a part of a domain that is not separated
  EXPECT_THROW((void)order_within(grid, given, tree), Error);
}

TEST(Separators, ReorderingKeepsWhatHasNotChanged) {
  for (const char* spec :
       {"poisson2d 70", "poisson3d 14", "rgg3d 3000 8 1", "poisson2d 30 --dof 3"}) {
    const Graph before = graph_of(spec);
    const Permutation perm = order(before, {.method = OrderingMethod::nested_dissection});
    const SeparatorTree tree = separator_tree(before, perm);
    const std::vector<Index> node = nodes_by_row(perm, tree), children = children_of(tree);
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      SCOPED_TRACE(std::string(spec) + " seed " + std::to_string(seed));
      std::mt19937_64 random(seed);
      std::set<std::pair<Index, Index>> flipped;
      for (int k = 0; k < 3; ++k) {  // removes an edge, or joins two rows near each other
        const auto v = static_cast<Index>(random() % static_cast<std::uint64_t>(before.size()));
        if (before.degree(v) == 0) continue;
        Index u = before.neighbours(v)[random() % before.neighbours(v).size()];
        if (seed % 2 == 0) u = before.neighbours(u)[random() % before.neighbours(u).size()];
        if (u != v) flipped.emplace(std::min(u, v), std::max(u, v));
      }
      std::vector<Index> rows;
      const Graph after = changed_graph(before, flipped, rows);
      const Permutation again = reorder(after, perm, tree, rows);
      // Places that may change: leaves with changed rows, and subtrees that an edge joins.
      std::vector<char> free(tree.parent.size(), 0), joined(tree.parent.size(), 0);
      for (const Index v : rows) {
        if (children[node[v]] == 0) free[node[v]] = 1;
        for (const Index u : after.neighbours(v)) {
          Index above = std::max(node[u], node[v]);
          while (!(is_above(tree, above, node[u]) && is_above(tree, above, node[v])))
            above = tree.parent[above];
          if (above == std::max(node[u], node[v])) continue;
          for (Index k = 0; k <= above; ++k)
            if (is_above(tree, above, k)) free[k] = joined[k] = 1;
        }
      }
      for (Index k = 0; k < tree.count(); ++k)
        for (Index place = tree.first[k]; place < tree.first[k + 1] && free[k] == 0; ++place)
          ASSERT_EQ(again.old_of(place), perm.old_of(place));
      // A joined subtree is not split again; otherwise the tree fits.
      SeparatorTree kept;
      std::vector<Index> number(tree.parent.size(), kNone);
      for (Index k = 0; k < tree.count(); ++k)
        if (tree.parent[k] == kNone || joined[k] == 0 || joined[tree.parent[k]] == 0) {
          number[k] = kept.count();
          kept.first.push_back(tree.first[k + 1]);
          kept.parent.push_back(kNone);
        }
      for (Index k = 0; k < tree.count(); ++k)
        if (number[k] != kNone && tree.parent[k] != kNone)
          kept.parent[number[k]] = number[tree.parent[k]];
      expect_fits(after, again, kept);
      EXPECT_LT(flops(after, again),
                1.3 * flops(after, order(after, {.method = OrderingMethod::nested_dissection})));
      EXPECT_EQ(reorder(after, perm, tree, rows, {.threads = 1}), again);
    }
    EXPECT_EQ(reorder(before, perm, tree, {}), perm);
  }
}

/// Rows that meet all others are set aside: time is not quadratic, and they come last in their
/// leaf.
TEST(Separators, HubsInLeavesAndAboveThem) {
  constexpr Index n = 20000;
  std::set<std::pair<Index, Index>> edges;
  for (Index v = 2; v < n; ++v) {
    edges.emplace(0, v);
    if (v > 2) edges.emplace(v - 1, v);
  }
  std::vector<Index> rows;
  const Graph hub = changed_graph(
      Graph(std::vector<Offset>(static_cast<std::size_t>(n) + 1, 0), {}), edges, rows);
  std::vector<Index> old_of;
  for (Index v = 1; v < n; ++v) old_of.push_back(v);
  old_of.push_back(0);
  const Permutation perm = Permutation::from_old_of(old_of);
  for (const SeparatorTree& tree :
       {SeparatorTree{{0, n}, {kNone}}, SeparatorTree{{0, n - 1, n}, {1, kNone}}}) {
    const Permutation found = order_within(hub, perm, tree);
    EXPECT_EQ(found.old_of(n - 1), 0);
    EXPECT_LE(flops(hub, found),
              16.0 * n);  // a column of the long path has three entries, and one in the hub's row
  }
}

/// An edge between components: they have no common subtree, so all rows are ordered anew.
TEST(Separators, ReorderingJoinsComponents) {
  std::vector<Index> rows;
  const Graph two = graph_of("poisson2d 20");
  std::set<std::pair<Index, Index>> cut;
  for (Index x = 0; x < 20; ++x) cut.emplace(9 * 20 + x, 10 * 20 + x);
  const Graph apart = changed_graph(two, cut, rows);
  const Permutation perm = order(apart, {.method = OrderingMethod::nested_dissection});
  const SeparatorTree tree = separator_tree(apart, perm, 20);
  const Permutation again = reorder(two, perm, tree, rows);
  EXPECT_LT(flops(two, again),
            1.3 * flops(two, order(two, {.method = OrderingMethod::nested_dissection})));
}

TEST(Separators, BadInputIsNamed) {
  const Graph graph = graph_of("poisson2d 4");
  const Permutation perm = Permutation::identity(16);
  const SeparatorTree one{{0, 16}, {kNone}};
  EXPECT_EQ(order_within(graph, perm, one).size(), 16);
  const auto text = [&](const SeparatorTree& tree) {
    return error_text(ErrorKind::input, [&] { (void)order_within(graph, perm, tree); });
  };
  EXPECT_NE(text({{0, 16}, {}}).find("one longer"), std::string::npos);
  EXPECT_NE(text({{0, 15}, {kNone}}).find("0 to 15"), std::string::npos);
  EXPECT_NE(text({{0, 9, 8, 16}, {2, 2, kNone}}).find("node 1"), std::string::npos);
  EXPECT_NE(text({{0, 8, 16}, {kNone, 0}}).find("parent of node 1"), std::string::npos);
  EXPECT_NE(text({{0, 4, 8, 12, 16}, {2, 3, 3, kNone}}).find("postorder"), std::string::npos);
  EXPECT_NE(text({{0, 8, 16}, {kNone, kNone}}).find("rows 4 and 8 are neighbours in nodes 0 and 1"),
            std::string::npos)
      << text({{0, 8, 16}, {kNone, kNone}});
  EXPECT_NE(error_text(ErrorKind::input,
                       [&] { (void)order_within(graph, Permutation::identity(15), one); })
                .find("15 rows for a graph of 16"),
            std::string::npos);
  const std::vector<Index> rows{3, 16};
  EXPECT_NE(error_text(ErrorKind::input, [&] { (void)reorder(graph, perm, one, rows); })
                .find("changed row 1 is 16, expected 0 to 15"),
            std::string::npos);
  EXPECT_THROW((void)separator_tree(graph, perm, 0), Error);
  EXPECT_THROW((void)separator_tree(graph, Permutation::identity(3)), Error);
  EXPECT_THROW((void)reorder(graph, perm, one, {}, {.threads = -1}), Error);
  OrderingOptions with_last;
  with_last.last = {0};
  EXPECT_NE(error_text(ErrorKind::usage, [&] { (void)reorder(graph, perm, one, {}, with_last); })
                .find("options.last"),
            std::string::npos);
  EXPECT_NE(error_text(ErrorKind::usage, [&] { (void)order_within(graph, perm, one, with_last); })
                .find("options.last"),
            std::string::npos);
}

TEST(Separators, NoVertices) {
  const Graph none;
  const SeparatorTree tree = separator_tree(none, Permutation::identity(0));
  EXPECT_EQ(tree, SeparatorTree{});
  EXPECT_EQ(order_within(none, Permutation::identity(0), tree).size(), 0);
  EXPECT_EQ(reorder(none, Permutation::identity(0), tree, {}).size(), 0);
}

}  // namespace
}  // namespace kauri
