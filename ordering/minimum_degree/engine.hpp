// Minimum degree on a quotient graph: its state and steps. Private to this folder.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ordering/minimum_degree/lists.hpp"
#include "ordering/minimum_degree/minimum_degree.hpp"

namespace kauri::ordering {

/// The elimination. A vertex is a variable (not eliminated; represents a supervariable), an element
/// (eliminated; stands for the clique L_e of its variables) or dead (merged, eliminated without an
/// element, or an absorbed element). The neighbours of variable i are A_i and the union of L_e over
/// its elements E_i; A_i and the L_e of E_i are disjoint. A round eliminates an independent set
/// (eliminate_round), then updates the lists of all touched variables once (update_*). During a
/// round, lists of touched variables are stale: they contain pivots as variables, absorbed
/// elements, and variables that an element now covers. A heavy variable (a hub, whose list is long
/// compared with the elements that touch it) stays stale until it may become a pivot or shares an
/// element of its own size; until then, only bounds of its degree are kept. Storage: an element is
/// at most as long as the lists that it absorbs, so live lists never exceed the edges of the graph.
/// New elements are written to the free tail; collect_garbage() closes the gaps when the tail is
/// too short.
class MinimumDegree {
 public:
  MinimumDegree(const GraphView& graph, const OrderingOptions& options,
                MinimumDegreeWorkspace& workspace, std::vector<MinimumDegreeEvent>* trace);
  std::vector<Index> run();

 private:
  enum NodeKind : std::uint8_t { kVariable, kElement, kDead };
  using Event = MinimumDegreeEvent::EventKind;

  // minimum_degree.cpp
  void load(const GraphView& graph);
  void defer_dense(const GraphView& graph);
  void initial_degrees(const GraphView& graph);
  void eliminate_round();
  void insert(Index v);
  Index exact_degree(Index i);
  void number(Index i);  // appends all vertices of supervariable i to the order

  // element.cpp
  void eliminate(Index p);
  void reserve_tail(Offset entries);
  void collect_garbage();
  void reach(Index p, std::span<const Index> from, Offset& out, Index& size);

  // update.cpp
  void update_round();
  void find_light(Index e);
  void clean(Index i);
  Index element_now(Index x);
  void prune(Index e);
  void update_element(Index e);
  void compare_with_elements(Index e);
  void prune_variable(Index i, Offset stamp);
  Index scan_variables(Index e);
  bool scan_variable(Index e, Index i);
  void merge_indistinguishable(Index e);
  void merge(Index j, Index i);
  void set_degrees(Index e);
  void drop_dead(Index e);

  std::span<Index> list_of(Index x) {
    return {w_.list_.data() + w_.start_[x], static_cast<std::size_t>(w_.length_[x])};
  }
  std::span<Index> elements_of(Index i) {
    return list_of(i).first(static_cast<std::size_t>(w_.elements_[i]));
  }
  std::span<Index> variables_of(Index i) {
    return list_of(i).subspan(static_cast<std::size_t>(w_.elements_[i]));
  }
  void record(Event kind, Index vertex, Index other) {
    if (trace_ != nullptr) trace_->push_back({kind, vertex, other});
  }

  MinimumDegreeWorkspace& w_;
  DegreeLists lists_;
  std::vector<MinimumDegreeEvent>* trace_;
  const OrderingOptions& options_;
  Index n_;
  Index live_ = 0;  // number of variables that remain
  Index round_ = 0;
  Index skipped_ = 0;                // weight of the stale variables of the current element
  Index total_ = 0;                  // weight of all vertices; degrees are less
  Offset tail_ = 0;                  // first free entry of list_
  Offset stamp_ = 0;                 // the newest value in mark_ and seen_
  std::vector<Index> order_, last_;  // last_: dense rows
};

}  // namespace kauri::ordering
