// Orders subsets of the rows of a graph, with their neighbours as a halo.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "base/threads/per_thread.hpp"
#include "kauri/core/graph.hpp"
#include "kauri/core/ordering.hpp"

namespace kauri::ordering {

/// Orders sets of rows of one graph by nested dissection, each as if all neighbours outside the set
/// came later. Threads may concurrently order disjoint sets.
class PieceOrderer {
 public:
  /// Borrows graph and options, which must outlive the orderer. Uses seed, effort, compress and
  /// dense of the options.
  PieceOrderer(const Graph& graph, const OrderingOptions& options)
      : graph_(graph), options_(options), number_(static_cast<std::size_t>(graph.size()), kNone) {}

  /// Permutes `rows`, distinct rows of the graph, into elimination order. The result depends on the
  /// set of rows, not on their sequence on entry. Merges indistinguishable rows; rows that are
  /// dense in the graph come last. Throws std::bad_alloc, and Error(cancelled) if the stop token of
  /// the current call was asked to stop. O(edges of the rows) beyond the dissection.
  void run(std::span<Index> rows);

 private:
  const Graph& graph_;
  const OrderingOptions& options_;
  PerThread<std::vector<Index>> number_;  // by row: its number in the set being ordered, else kNone
};

}  // namespace kauri::ordering
