// One run of minimum degree: the quotient graph and the steps on it. Private to this folder.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ordering/minimum_degree/lists.hpp"
#include "ordering/minimum_degree/minimum_degree.hpp"

namespace kauri::ordering {

/// Quotient graph: A vertex is a variable (not eliminated; the name of a supervariable), an element (eliminated; stands for the clique L_e
/// of the variables it reached) or dead (merged, eliminated without an element, or an absorbed element). The neighbours of variable i are
/// A_i and the union of L_e over its elements E_i; A_i and the L_e of E_i are disjoint. A round eliminates an independent set
/// (eliminate_round), then brings the lists of all touched variables up to date once (update_*). While a round runs, lists of touched
/// variables are stale: they name pivots as variables, absorbed elements, and variables that an element tells now. A heavy variable (its
/// list is long beside the elements that touch it: a hub) stays stale until it may be a pivot or meets an element of its own size; until
/// then only bounds of its degree are kept. Storage: an element is at most as long as what it absorbs, so live lists never exceed the edges
/// of the graph; new elements are written to the free tail, and collect_garbage() closes the holes when the tail is short.
class MinimumDegree {
 public:
  MinimumDegree(const GraphView& graph, const OrderingOptions& options, MinimumDegreeWorkspace& workspace,
                std::vector<MinimumDegreeEvent>* trace);
  std::vector<Index> run();

 private:
  enum Kind : std::uint8_t { kVariable, kElement, kDead };
  using Event = MinimumDegreeEvent::Kind;

  // minimum_degree.cpp
  void load(const GraphView& graph);
  void defer_dense(const GraphView& graph);
  void initial_degrees(const GraphView& graph);
  void eliminate_round();
  void insert(Index v);
  Index exact_degree(Index i);
  void number(Index i);  // all vertices of supervariable i come next in the order

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

  std::span<Index> list_of(Index x) { return {w_.list_.data() + w_.start_[x], static_cast<std::size_t>(w_.length_[x])}; }
  std::span<Index> elements_of(Index i) { return list_of(i).first(static_cast<std::size_t>(w_.elements_[i])); }
  std::span<Index> variables_of(Index i) { return list_of(i).subspan(static_cast<std::size_t>(w_.elements_[i])); }
  void record(Event kind, Index vertex, Index other) {
    if (trace_ != nullptr) trace_->push_back({kind, vertex, other});
  }

  MinimumDegreeWorkspace& w_;
  DegreeLists lists_;
  std::vector<MinimumDegreeEvent>* trace_;
  const OrderingOptions& options_;
  Index n_;
  Index live_ = 0;  // variables that remain
  Index round_ = 0;
  Index skipped_ = 0;                // weight of the stale variables of the element looked at
  Index total_ = 0;                  // weight of all vertices; degrees are below it
  Offset tail_ = 0;                  // list_ is free from here on
  Offset stamp_ = 0;                 // the newest value of mark_ and seen_
  std::vector<Index> order_, last_;  // last_: dense rows
};

}  // namespace kauri::ordering
