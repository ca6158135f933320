// Neighbours of each supervariable by places of an elimination, each pair listed at both ends: the
// input of the elimination tree, the column counts, the row structures and the map of A's entries.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ordering/graph/compress.hpp"

namespace kauri::symbolic {

/// The supervariables of a graph by *place*: the supervariable at place k is eliminated k-th. Lists
/// the places of the neighbours of each, lower and higher ones, both in the order in which the
/// graph lists them. Read-only once built.
class PermutedAdjacency {
 public:
  PermutedAdjacency() = default;
  /// Builds the lists by the threads of the calling arena of oneTBB. order: the supervariables of
  /// graph in the order of elimination. The graph is not read afterwards. O(n + edges) time; holds
  /// 4 bytes per directed edge and 20 per supervariable, 24 if rows are merged.
  PermutedAdjacency(const ordering::CompressedGraph& graph, std::vector<Index> order);

  [[nodiscard]] Index size() const { return static_cast<Index>(order_.size()); }
  /// Returns the supervariable at place k.
  [[nodiscard]] Index vertex(Index k) const { return order_[k]; }
  /// Returns the number of rows of the supervariable at place k: 1 if no rows are merged.
  [[nodiscard]] Index weight(Index k) const { return weight_.empty() ? 1 : weight_[k]; }
  [[nodiscard]] bool merged() const { return !weight_.empty(); }
  /// Returns the lower places of the neighbours of the supervariable at place k.
  [[nodiscard]] std::span<const Index> lower(Index k) const { return between(ptr_[k], middle_[k]); }
  /// Returns the higher places of the neighbours of the supervariable at place k.
  [[nodiscard]] std::span<const Index> higher(Index k) const {
    return between(middle_[k], ptr_[k + 1]);
  }

 private:
  [[nodiscard]] std::span<const Index> between(Offset begin, Offset end) const {
    return {neighbour_.get() + begin, static_cast<std::size_t>(end - begin)};
  }

  std::vector<Index> order_;   // by place
  std::vector<Index> weight_;  // by place: rows of the supervariable; empty: all are 1
  std::vector<Offset> ptr_{
      0};  // by place: beginning of its neighbours; those at lower places come first
  std::vector<Offset> middle_;  // by place: beginning of its neighbours at higher places
  std::unique_ptr<Index[]> neighbour_;
};

}  // namespace kauri::symbolic
