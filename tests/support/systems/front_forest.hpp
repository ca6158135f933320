// Fronts of given sizes without a matrix: supernodes, assembly from their children, and a device's
// schedule.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "kauri/core/plan.hpp"
#include "symbolic/common/children.hpp"
#include "symbolic/layout/layout.hpp"

namespace kauri::test {

/// A front with this many pivots, and rows below them at about this share of its parent's rows,
/// including its pivots; at least one row. A share of 0 gives a single row.
struct FrontSpec {
  Index pivots;
  double share;
  std::vector<FrontSpec> children;
};

inline FrontSpec leaf(Index pivots, double share) { return {pivots, share, {}}; }

inline FrontSpec host(Index pivots, double share, std::size_t leaves, const FrontSpec& of_leaves) {
  return {pivots, share, std::vector<FrontSpec>(leaves, of_leaves)};
}

/// Returns a chain of fronts, each with one child.
inline FrontSpec chain(const std::vector<Index>& pivots, double share) {
  FrontSpec tree = leaf(pivots.front(), share);
  for (std::size_t k = 1; k < pivots.size(); ++k) tree = {pivots[k], share, {std::move(tree)}};
  return tree;
}

/// Returns a random tree with few large fronts among many small ones.
inline FrontSpec random_tree(std::mt19937_64& random, int depth) {
  const auto below = [&](std::uint64_t end) { return static_cast<Index>(random() % end); };
  const Index kind = below(12);
  FrontSpec tree{kind < 6    ? 1 + below(9)
                 : kind < 9  ? 56 + below(20)
                 : kind < 11 ? 60 + below(300)
                             : 500 + below(700),
                 static_cast<double>(1 + below(10)) / 10,
                 {}};
  const Index children = depth == 0 ? 0 : below(5);
  for (Index k = 0; k < children; ++k) tree.children.push_back(random_tree(random, depth - 1));
  return tree;
}

struct FrontForest {
  Supernodes nodes;
  symbolic::Assembly assembly;  ///< assembly without entries
  symbolic::DeviceSchedule device;
  [[nodiscard]] Index n() const { return nodes.first.back(); }
};

namespace forest {

/// Numbers the fronts in postorder, and appends the share of each.
inline Index number(const FrontSpec& tree, Supernodes& nodes, std::vector<double>& share) {
  std::vector<Index> children;
  for (const FrontSpec& child : tree.children) children.push_back(number(child, nodes, share));
  const Index s = nodes.count();
  for (const Index child : children) nodes.parent[child] = s;
  nodes.parent.push_back(kNone);
  nodes.first.push_back(nodes.first.back() + tree.pivots);
  share.push_back(tree.share);
  return s;
}

inline void add_rows(const std::vector<double>& share, std::mt19937_64& random, Supernodes& nodes) {
  std::vector<std::vector<Index>> rows(share.size());
  for (Index s = nodes.count(); s-- > 0;) {
    for (Index j = nodes.first[s]; j < nodes.first[s + 1]; ++j) rows[s].push_back(j);
    const Index up = nodes.parent[s];
    if (up == kNone) continue;
    const Index needed =
        nodes.first[up] +
        static_cast<Index>(random() % static_cast<std::uint64_t>(nodes.pivots(up)));
    for (const Index row : rows[up])
      if (row == needed || std::uniform_real_distribution<double>(0, 1)(random) < share[s])
        rows[s].push_back(row);
  }
  nodes.row_ptr.assign(1, 0);
  for (const std::vector<Index>& of : rows) {
    nodes.row.insert(nodes.row.end(), of.begin(), of.end());
    nodes.row_ptr.push_back(static_cast<Offset>(nodes.row.size()));
  }
}

inline symbolic::Assembly gather(const Supernodes& nodes) {
  symbolic::Assembly out;
  symbolic::Children children = symbolic::children_of(nodes.parent);
  out.child_ptr.assign(children.ptr.begin(), children.ptr.end() - 1);
  out.child.assign(children.child.begin(), children.child.begin() + out.child_ptr.back());
  out.run_ptr.assign(1, 0);
  for (Index s = 0; s < nodes.count(); ++s) {
    for (Index k = 0; k < nodes.contribution(s); ++k) {
      const auto rows = nodes.rows(nodes.parent[s]);
      const Index row = nodes.rows(s)[static_cast<std::size_t>(nodes.pivots(s) + k)];
      const auto at =
          static_cast<Index>(std::lower_bound(rows.begin(), rows.end(), row) - rows.begin());
      if (k > 0 && out.run.back().parent + out.run.back().length == at)
        ++out.run.back().length;
      else
        out.run.push_back({k, at, 1});
    }
    out.run_ptr.push_back(static_cast<Offset>(out.run.size()));
  }
  return out;
}

}  // namespace forest

inline FrontForest forest_of(const std::vector<FrontSpec>& trees, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  FrontForest out;
  std::vector<double> share;
  out.nodes.first.assign(1, 0);
  for (const FrontSpec& tree : trees) forest::number(tree, out.nodes, share);
  forest::add_rows(share, random, out.nodes);
  out.assembly = forest::gather(out.nodes);
  out.device = symbolic::make_device_schedule(out.nodes, out.assembly);
  return out;
}

inline FrontForest random_forest(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<FrontSpec> trees;
  for (std::uint64_t k = 0; k < 1 + seed % 3; ++k) trees.push_back(random_tree(random, 3));
  return forest_of(trees, seed);
}

/// Returns fronts of one pivot tile with few and with many rows below, of more than two chunks of
/// pivot tiles with and without rows below, with and without gathered children, small fronts below
/// tiled ones, and a chain.
inline FrontForest all_kinds() {
  return forest_of({host(130, 1, 80, leaf(3, 0.9)),
                    {300,
                     1,
                     {{1200, 0.6, {leaf(40, 0.1), leaf(200, 0.3)}},
                      host(20, 1, 300, leaf(2, 0.2)),
                      host(850, 0.1, 1500, leaf(1, 0.05)),
                      {60, 1, {leaf(5, 0.4)}}}},
                    chain({5, 20, 70, 64, 1, 9, 130}, 0.8),
                    leaf(1450, 1)});
}

}  // namespace kauri::test
