// Helpers of the studies of orderings: clocks, and costs of L for an ordering.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <time.h>  // NOLINT(modernize-deprecated-headers): clock_gettime is POSIX

#include <vector>

#include "kauri/core/graph.hpp"
#include "ordering/graph/compress.hpp"
#include "symbolic/tree/column_counts.hpp"
#include "symbolic/tree/elimination_tree.hpp"

namespace kauri::bench {

inline double now_on(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Entries and operations of L, exact and simplicial.
struct OrderCosts {
  double entries = 0, flops = 0;
};

/// Returns the costs of an ordering. old_of: length graph.size().
inline OrderCosts costs_of(const Graph& graph, const std::vector<Index>& old_of) {
  const ordering::CompressedGraph whole(graph, false);
  const symbolic::PermutedAdjacency adjacency(whole, old_of);
  const auto tree = symbolic::elimination_tree(adjacency);
  const auto position = symbolic::postorder(tree);
  std::vector<Index> parent(tree.size());
  for (std::size_t j = 0; j < parent.size(); ++j)
    parent[position[j]] = tree[j] == kNone ? kNone : position[tree[j]];
  OrderCosts sum;
  for (const Index c : symbolic::column_counts(adjacency, position, parent))
    sum.entries += c, sum.flops += static_cast<double>(c) * c;
  return sum;
}

}  // namespace kauri::bench
