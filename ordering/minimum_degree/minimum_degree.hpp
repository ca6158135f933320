// Exact minimum degree on the quotient graph, with multiple elimination (Liu, ACM TOMS 11, 1985;
// George & Liu, SIAM Review 31, 1989).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kauri/core/ordering.hpp"
#include "ordering/graph/graph_view.hpp"

namespace kauri::ordering {

/// A step of the elimination, to check the algorithm against the elimination game. Events are
/// recorded in order.
struct MinimumDegreeEvent {
  enum class EventKind : std::uint8_t {
    round,   ///< a round begins; other = least external degree of all remaining supervariables
    select,  ///< supervariable `vertex` is eliminated; other = its exact external degree
    mass,    ///< supervariable `vertex` is eliminated right after the round: all its neighbours are
             ///< in the element `other`
    merge,   ///< supervariable `vertex` is merged into `other`: the two have become
             ///< indistinguishable
  };
  EventKind kind;
  Index vertex;
  Index other;
};

/// Buffers of minimum_degree(). They only grow: one workspace per thread serves many graphs. Their
/// content between calls is meaningless.
class MinimumDegreeWorkspace {
 private:
  friend class MinimumDegree;
  friend class DegreeLists;

  // The quotient graph. Lists are stored in list_: for a variable its elements, then its variables;
  // for an element its variables.
  std::vector<Index> list_;
  std::vector<Offset> start_;
  std::vector<Index> length_, elements_;
  std::vector<std::uint8_t> kind_, exact_, stale_;
  std::vector<Index> weight_;    // weight of a live supervariable, else 0
  std::vector<Index> size_of_;   // by element: weight of its variables
  std::vector<Index> absorber_;  // by dead element: the element that absorbed it, which may be dead
                                 // too; else kNone
  std::vector<Index> member_next_,
      member_last_;            // vertices of a supervariable: a chain that starts at its principal
  std::vector<Index> degree_;  // external degree, or a lower bound of it if exact_ is 0
  // Degree lists.
  std::vector<Index> head_, tail_, next_, prev_;
  // State of one round.
  std::vector<Index> pivots_, touched_, touch_round_, light_round_, hash_head_, hash_next_;
  std::vector<Offset> mark_, seen_, low_, high_;
  std::vector<Index> outside_;  // by element f: weight of L_f \ L_e for the current element e, plus
                                // at most skipped_; valid if seen_ has the current stamp
  std::vector<std::uint64_t> hash_;
};

/// Orders a graph, connected or not, by exact minimum external degree.
/// Weights of vertices are >= 1 (the number of rows that a vertex represents); degrees are sums of
/// weights.
/// options: uses tie_break, delta and dense. Rows of degree > max(16, dense * sqrt(total weight))
/// come last and do not count in degrees; none do if dense is <= 0 or NaN.
/// trace: null, or the events are appended to it.
/// Returns old_of: a permutation of 0..size()-1 in elimination order, a function of the arguments
/// alone.
/// Throws Error(usage) for a weight < 1, a wrong number of weights or delta < 0; Error(overflow) if
/// the sum of the weights does not fit in an Index.
/// Storage: 1.2 edges() + n list entries, and O(n + total weight).
/// Time: per change of a vertex about the length of its lists (elements and variables). The union
/// of the vertex's elements is counted only when a lower bound of its degree makes the vertex a
/// candidate, and a list that is long compared with the elements that touch it is not read until
/// then.
std::vector<Index> minimum_degree(const GraphView& graph, const OrderingOptions& options,
                                  MinimumDegreeWorkspace& workspace,
                                  std::vector<MinimumDegreeEvent>* trace = nullptr);

}  // namespace kauri::ordering
