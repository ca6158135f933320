// Minimum vertex cut of a band whose vertices weigh differently: the most flow where a vertex lets through no more than its weight.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ordering/dissection/flow/band.hpp"

namespace kauri::ordering::dissection {

/// Flow from source to sink, kept by directed edge; the split of each vertex into an arc of its weight is implied. Same use as
/// DisjointPaths, which takes a half to a third of the time where weights are equal.
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
  [[nodiscard]] Index next_state(const Band& band, Index state) const;
  Index& flow_into(const Band& band, Index v, Index arc);
  Index room(const Band& band, Index state);
  bool find_arc(const Band& band, Index state);
  void push(const Band& band, Index state, Index amount);
  void search(const Band& band, Index root);
  Index augment(const Band& band, Index top);

  // State 2v: flow arrives at v, in short v_in; state 2v+1: it has passed v, v_out. Arc 0 leads from either to the other, arc k > 0 to v's
  // k-th neighbour u: from v_out to u_in without limit, from v_in to u_out as far as there is flow from u to v to take back.
  std::vector<Index> flow_;     // by directed edge: from its vertex, once passed, to its neighbour
  std::vector<Index> reverse_;  // by directed edge: the place of its vertex among the neighbours of its neighbour
  std::vector<Index> through_;  // by vertex: flow that passes it
  std::vector<Index> level_;    // by state: steps to the sink, or kClosed
  std::vector<Index> at_;       // by state: arc that the search stands at
  std::vector<Index> queue_;    // states in the order of their levels, and a place to write in vain
  std::vector<Index> root_;     // vertices where paths of this phase may begin
  std::vector<Index> stack_;    // states of the path that is searched
  Offset value_ = 0;
  Index phases_ = 0;
  bool labelled_ = false;  // level_ tells from where the sink is reached now
};

}  // namespace kauri::ordering::dissection
