// Exact minimum degree on the quotient graph, with multiple elimination (Liu, ACM TOMS 11, 1985; George & Liu, SIAM Review 31, 1989).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kauri/ordering.hpp"
#include "ordering/graph/graph_view.hpp"

namespace kauri::ordering {

/// What happened, in the order it happened: for checks of the algorithm against the elimination game.
struct MinimumDegreeEvent {
  enum class Kind : std::uint8_t {
    round,   ///< a round begins; other = least external degree of all supervariables that remain
    select,  ///< supervariable `vertex` is eliminated; other = its external degree, exact
    mass,    ///< supervariable `vertex` is eliminated right after the round: its neighbours were all in the element `other`
    merge,   ///< supervariable `vertex` joins `other`: the two have become indistinguishable
  };
  Kind kind;
  Index vertex;
  Index other;
};

/// Buffers of minimum_degree(). They only grow: one workspace (per thread) serves many graphs. What it holds between calls means nothing.
class MinimumDegreeWorkspace {
 private:
  friend class MinimumDegree;
  friend class DegreeLists;

  // The quotient graph. Lists lie in list_: of a variable first its elements, then its variables; of an element its variables.
  std::vector<Index> list_;
  std::vector<Offset> start_;
  std::vector<Index> length_, elements_;
  std::vector<std::uint8_t> kind_, exact_, stale_;
  std::vector<Index> weight_;                     // of a live supervariable; 0 of everything else
  std::vector<Index> size_of_;                    // of an element: the weight of its variables
  std::vector<Index> absorber_;                   // of a dead element: one that took its variables, maybe dead itself; else kNone
  std::vector<Index> member_next_, member_last_;  // the vertices of a supervariable, a chain that starts at its name
  std::vector<Index> degree_;                     // external degree, or a lower bound of it where exact_ is 0
  // Degree lists.
  std::vector<Index> head_, tail_, next_, prev_;
  // One round.
  std::vector<Index> pivots_, touched_, touch_round_, light_round_, hash_head_, hash_next_;
  std::vector<Offset> mark_, seen_, low_, high_;
  std::vector<Index> outside_;  // of an element f: |L_f \ L_e| for the element e looked at, valid where seen_ says so
  std::vector<std::uint64_t> hash_;
};

/// Orders any graph, connected or not, by exact minimum external degree.
/// Its weights are >= 1 (the number of rows that a vertex stands for); degrees are sums of them.
/// options: tie_break, delta and dense are used. Rows of degree > max(16, dense * sqrt(total weight)) go last and do not count in degrees.
/// trace: null, or receives the events (nothing is cleared).
/// Returns old_of: a permutation of 0..size()-1 in elimination order. A function of the arguments alone.
/// Throws Error(usage) on a weight < 1, a wrong number of weights or delta < 0; Error(overflow) if the weights' sum is no Index.
/// Storage: 1.2 edges() + n list entries, and O(n + total weight).
/// Time: per change of a vertex about the length of its lists (elements and variables); the union of its elements is counted only when a
/// lower bound of its degree makes it a candidate, and a row that is long beside what touches it is left alone until then.
std::vector<Index> minimum_degree(const GraphView& graph, const OrderingOptions& options, MinimumDegreeWorkspace& workspace,
                                  std::vector<MinimumDegreeEvent>* trace = nullptr);

}  // namespace kauri::ordering
