// A few rows of a graph in an order of their own, with all others in sight.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "base/threads/per_thread.hpp"
#include "kauri/graph.hpp"
#include "kauri/ordering.hpp"

namespace kauri::ordering {

/// Nested dissection of sets of rows of one graph, each as if all of its neighbours came later. Threads may order sets that have no row in
/// common at the same time.
class PieceOrderer {
 public:
  /// Borrows both, which outlive this. options: seed, effort, compress and dense.
  PieceOrderer(const Graph& graph, const OrderingOptions& options)
      : graph_(graph), options_(options), number_(static_cast<std::size_t>(graph.size()), kNone) {}

  /// Rows in any sequence on entry, in their order on return, which is a function of the set of rows. Indistinguishable ones are merged,
  /// dense ones come last. Throws std::bad_alloc. O(edges of the rows) beyond the dissection.
  void run(std::span<Index> rows);

 private:
  const Graph& graph_;
  const OrderingOptions& options_;
  PerThread<std::vector<Index>> number_;  // by row, while a set is ordered: its number in the piece; else kNone
};

}  // namespace kauri::ordering
