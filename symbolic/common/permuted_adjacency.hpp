// The pairs of neighbours, by either end: what tree, counts, row structures and the map of A's entries are read from.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ordering/graph/compress.hpp"

namespace kauri::symbolic {

/// Supervariables of a graph by *place*: place k is that of the k-th eliminated. Each knows its neighbours at lower and at higher places.
/// Neighbours come in the caller's order. Read-only once built.
class PermutedAdjacency {
 public:
  PermutedAdjacency() = default;
  /// order: the supervariables of graph by elimination. By the threads of the calling arena of oneTBB. O(n + edges) time; 4 bytes per
  /// directed edge and 20 per supervariable are held.
  PermutedAdjacency(const ordering::CompressedGraph& graph, std::vector<Index> order);

  [[nodiscard]] Index size() const { return static_cast<Index>(order_.size()); }
  /// The supervariable at place k.
  [[nodiscard]] Index vertex(Index k) const { return order_[k]; }
  /// Its rows: 1 where nothing is merged.
  [[nodiscard]] Index weight(Index k) const { return weight_.empty() ? 1 : weight_[k]; }
  [[nodiscard]] bool merged() const { return !weight_.empty(); }
  /// Places below k of its neighbours.
  [[nodiscard]] std::span<const Index> lower(Index k) const { return between(ptr_[k], middle_[k]); }
  /// Places above k of its neighbours.
  [[nodiscard]] std::span<const Index> higher(Index k) const { return between(middle_[k], ptr_[k + 1]); }

 private:
  [[nodiscard]] std::span<const Index> between(Offset begin, Offset end) const {
    return {neighbour_.get() + begin, static_cast<std::size_t>(end - begin)};
  }

  std::vector<Index> order_;    // by place
  std::vector<Index> weight_;   // by place; empty: all are 1
  std::vector<Offset> ptr_{0};  // by place: its neighbours, first those at lower places
  std::vector<Offset> middle_;
  std::unique_ptr<Index[]> neighbour_;
};

}  // namespace kauri::symbolic
