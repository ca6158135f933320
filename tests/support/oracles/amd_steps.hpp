// Properties that the steps of approximate minimum degree promise, for comparison with the
// elimination game.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "ordering/amd/amd.hpp"
#include "support/systems/graphs.hpp"

namespace kauri::test {

struct WeightedGraph {
  Graph graph;
  std::vector<Index> weight;

  [[nodiscard]] ordering::GraphView view() const {
    return {graph.ptr(), graph.adjacency(), weight};
  }
};

/// Returns a graph in which vertex 0 enters 4096 elements, all of which also contain vertex 1,
/// before vertex 2 is eliminated, which is a neighbour of 0 and not of 1. The weights of these
/// elements outside the newest one then add up to 2^32 + 4096, though all vertices together weigh
/// less than 2^23.
inline WeightedGraph overlapping_elements() {
  constexpr Index count = 4096, unit = 1 << 19;
  std::vector<Edge> edges{{0, 2}, {1, 3}, {1, 4}, {2, 3}, {3, 4}};
  for (Index pivot = 5; pivot < 5 + count; ++pivot) {
    edges.insert(edges.end(), {{0, pivot}, {1, pivot}});
    edges.insert(edges.end(),
                 {{pivot, pivot + count}, {pivot + count, 3}});  // keeps each element from being
                                                                 // part of another
  }
  WeightedGraph heavy{graph_of(5 + 2 * count, edges),
                      std::vector<Index>(5 + 2 * std::size_t{count}, 1)};
  heavy.weight[1] = 2 * unit;
  heavy.weight[2] = heavy.weight[3] = heavy.weight[4] = 3 * unit;
  return heavy;
}

/// Returns the entries of L that the steps promise: `eliminated` columns of a front that begins
/// with weight + external rows.
inline Offset fill_of(const std::vector<ordering::AmdPivot>& trace) {
  Offset sum = 0;
  for (const ordering::AmdPivot& step : trace) {
    const Offset front = Offset{step.weight} + step.external, columns = step.eliminated;
    sum += columns * front - columns * (columns - 1) / 2;
  }
  return sum;
}

/// Returns the order with the pivot first in each front. (A vertex that leaves together with it may
/// have fewer neighbours while the pivot is still there.)
inline std::vector<Index> pivots_first(std::vector<Index> order,
                                       const std::vector<ordering::AmdPivot>& trace,
                                       std::span<const Index> weight) {
  std::vector<Index> leaving(order.size(), 0);  // by pivot
  for (const ordering::AmdPivot& step : trace) leaving[step.vertex] = step.eliminated;
  for (std::size_t first = 0; first < order.size();) {
    std::size_t at = first;  // the first pivot from here on belongs to the front that begins here,
                             // since each front has one
    while (leaving[order[at]] == 0) ++at;
    Index left = leaving[order[at]];
    std::rotate(order.begin() + static_cast<std::ptrdiff_t>(first),
                order.begin() + static_cast<std::ptrdiff_t>(at),
                order.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    while (left > 0) left -= weight.empty() ? 1 : weight[order[first]], ++first;
  }
  return order;
}

}  // namespace kauri::test
