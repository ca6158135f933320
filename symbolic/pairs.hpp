// The pairs of neighbours, by either end: what tree, counts, row structures and the map of A's entries are read from.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ordering/compress.hpp"

namespace kauri::symbolic {

/// Supervariables of a graph by *place*: place k is that of the k-th eliminated. Each knows its neighbours at lower and at higher places.
/// Neighbours come in the caller's order. Read-only once built.
class Pairs {
 public:
  Pairs() = default;
  /// order: the supervariables of graph by elimination. O(n + edges) time; 4 bytes per directed edge and 16 per supervariable are held.
  Pairs(const ordering::CompressedGraph& graph, std::vector<Index> order);

  [[nodiscard]] Index size() const { return static_cast<Index>(order_.size()); }
  /// Pairs of neighbours.
  [[nodiscard]] Offset pairs() const { return higher_ptr_.back(); }
  /// The supervariable at place k.
  [[nodiscard]] Index vertex(Index k) const { return order_[k]; }
  /// Its rows: 1 where nothing is merged.
  [[nodiscard]] Index weight(Index k) const { return weight_.empty() ? 1 : weight_[k]; }
  [[nodiscard]] bool merged() const { return !weight_.empty(); }
  /// Places below k of its neighbours.
  [[nodiscard]] std::span<const Index> lower(Index k) const {
    return {lower_.get() + lower_ptr_[k], static_cast<std::size_t>(lower_ptr_[k + 1] - lower_ptr_[k])};
  }
  /// Places above k of its neighbours.
  [[nodiscard]] std::span<const Index> higher(Index k) const {
    return {higher_.get() + higher_ptr_[k], static_cast<std::size_t>(higher_ptr_[k + 1] - higher_ptr_[k])};
  }
  /// Where higher(k) begins, were all of them one list: length size()+1.
  [[nodiscard]] std::span<const Offset> higher_ptr() const { return higher_ptr_; }

 private:
  std::vector<Index> order_;   // by place
  std::vector<Index> weight_;  // by place; empty: all are 1
  std::vector<Offset> lower_ptr_{0}, higher_ptr_{0};
  std::unique_ptr<Index[]> lower_, higher_;
};

}  // namespace kauri::symbolic
