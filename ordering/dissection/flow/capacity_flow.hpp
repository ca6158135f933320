// Minimum vertex cut of a band with different vertex weights: maximum flow with the weights as
// vertex capacities.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ordering/dissection/flow/band.hpp"

namespace kauri::ordering::dissection {

/// A flow from source to sink, stored by directed edge; the split of each vertex into an arc of its
/// weight is implied. Used like DisjointPaths, which takes a half to a third of the time if all
/// weights are equal.
class CapacityFlow {
 public:
  /// Computes a maximum flow. bound: a known upper bound of its value, as the weight of any
  /// separator; no phase begins once the flow has this value.
  void run(const Band& band, Offset bound);

  [[nodiscard]] Offset value() const {
    return value_;
  }  ///< value of the flow, and weight of a minimum cut
  [[nodiscard]] Index phases() const { return phases_; }  ///< breadth-first passes over the band

  /// Write the minimum cut nearest to the source, or to the sink, after run() with the same band:
  /// part[i] becomes kSeparator in the cut, kLeft on the source's side of the cut, kRight on the
  /// sink's. part: length band.size(), output only.
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

  // State 2v (v_in): flow arrives at v. State 2v+1 (v_out): flow has passed v. Arc 0 leads from
  // either to the other. Arc k > 0 leads to v's k-th neighbour u: from v_out to u_in without limit;
  // from v_in to u_out up to the flow from u to v, which it cancels.
  std::vector<Index> flow_;     // by directed edge: flow from its vertex to its neighbour
  std::vector<Index> reverse_;  // by directed edge: position of its vertex in its neighbour's list
  std::vector<Index> through_;  // by vertex: flow that passes the vertex, at most its weight
  std::vector<Index> level_;    // by state: steps to the sink, or kNoLevel
  std::vector<Index> at_;       // by state: current arc of the search
  std::vector<Index> queue_;    // states in the order of their levels, and one dummy entry
  std::vector<Index> root_;     // vertices where paths of this phase may begin
  std::vector<Index> stack_;    // states of the path being searched
  Offset value_ = 0;
  Index phases_ = 0;
  bool labelled_ = false;  // level_ is valid for the current flow
};

}  // namespace kauri::ordering::dissection
