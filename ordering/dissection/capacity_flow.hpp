// Minimum vertex cut of a band whose vertices weigh differently: the most flow where a vertex lets through no more than its weight.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ordering/dissection/band.hpp"

namespace kauri::ordering::dissection {

/// Flow from source to sink, kept by directed edge; the split of each vertex into an arc of its weight is implied. Same use as
/// DisjointPaths, which is several times faster where weights are equal.
class CapacityFlow {
 public:
  /// Finds the most flow. bound: no more than this can be (the old separator); the search for more ends there.
  void run(const Band& band, Offset bound);

  [[nodiscard]] Offset value() const { return value_; }   ///< of the flow, and weight of a minimum cut
  [[nodiscard]] Index phases() const { return phases_; }  ///< breadth-first passes over the band

  /// As in DisjointPaths.
  void cut_near_source(const Band& band, std::span<std::uint8_t> part);
  void cut_near_sink(const Band& band, std::span<std::uint8_t> part);

 private:
  void pair_edges(const Band& band);
  bool label(const Band& band);
  void label_into(const Band& band, Index state);
  void reach(Index state, Index level);
  void search(const Band& band, Index root);
  Index next_state(const Band& band, Index state, Offset arc) const;
  Offset room(const Band& band, Index state, Offset arc) const;
  void push(const Band& band, Index state, Offset arc, Offset amount);
  Index augment(const Band& band, Index top);

  // State 2v: flow arrives at v; state 2v+1: it has passed v. Arc 0 of either leads to the other, arc k+1 to or from neighbour k.
  std::vector<Index> reverse_;   // by directed edge, within the list of the vertex that it leads to: its place there
  std::vector<Offset> flow_;     // by directed edge: from its vertex, once passed, to its neighbour
  std::vector<Offset> through_;  // by vertex
  std::vector<Index> level_;     // by state: steps to the sink, or kClosed
  std::vector<Offset> at_;       // by state: arc that the search stands at
  std::vector<Index> queue_, stack_, root_;
  Offset value_ = 0;
  Index phases_ = 0;
  bool labelled_ = false;  // level_ tells from where the sink is reached now
};

}  // namespace kauri::ordering::dissection
