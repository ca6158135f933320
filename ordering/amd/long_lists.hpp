// Treatment of hubs in approximate minimum degree: variables with long lists.
//
// Updating a variable reads its whole list. A hub is adjacent to very many pivots, and reading the
// lists of a few hubs for each of them would take nearly all the time. So a pivot *passes over* a
// variable of L_me whose list is long, until so many have done so that reading the list costs each
// of them kEntriesPerPass entries (after "quasi-dense" rows: P. R. Amestoy, H. S. Dollar, J. K.
// Reid, J. A. Scott, "An approximate minimum degree algorithm for matrices with dense rows",
// Rutherford Appleton Laboratory, 2004; there these rows wait until all other rows are eliminated).
// A variable that was passed over
// - has its new elements in notes, which are moved to its list when that is read;
// - keeps dead entries in its list: elements that were absorbed, variables that were eliminated;
// - has as its degree the bound from its last update, minus the pivot, plus L_me;
// - is not compared with other variables, to find twins.
// It is in L_me like any other variable, and counts exactly in the weights of L_e \ L_me: by its
// own list and notes, or by the lists of the elements that the other variables of L_me have,
// whichever has fewer entries. Its list has free entries for its notes: each pivot that reaches a
// variable absorbs an element of the variable's list or notes, or was a variable of the list.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <utility>

#include "ordering/amd/elimination.hpp"

namespace kauri::ordering::amd {

/// Largest number of a long list's entries, per pivot that passed its variable over, with which the
/// list is read again.
constexpr Offset kEntriesPerPass = 4;

/// Chooses which variables of L_me with long lists this pivot passes over, that is, does not read
/// the lists of, and writes a note for each; updates the other long lists from their notes.
template <class Position, class Halo>
void Elimination<Position, Halo>::choose_passed(Index me) {
  passed_ = 0;
  passed_entries_ = 0;
  measured_.clear();
  for (Position k = me_first_; k < me_last_; ++k) {
    const Index v = pool_[k];
    if (node_[v].length <= long_list_) continue;
    if (++passes_[v] * kEntriesPerPass >= node_[v].length) {
      read_notes(v);
      continue;
    }
    ++passed_;
    passed_entries_ += node_[v].length + passes_[v];
    note(v, me);
  }
}

template <class Position, class Halo>
void Elimination<Position, Halo>::note(Index v, Index element) {
  Index at = free_notes_;
  if (at == kNone) {
    at = static_cast<Index>(unread_.size());
    unread_.emplace_back();
  } else {
    free_notes_ = unread_[at].before;
  }
  unread_[at] = {element, newest_[v]};
  newest_[v] = at;
}

/// Updates the long list of v as if no pivot had passed it over: drops dead entries, appends the
/// elements in the notes of v, and frees the notes.
template <class Position, class Halo>
void Elimination<Position, Halo>::read_notes(Index v) {
  passes_[v] = 0;
  if (newest_[v] == kNone) return;
  Node& x = node_[v];
  work_ += x.length;
  Position to = x.list;
  const Position old_variables = x.list + x.elements, end = x.list + x.length;
  for (Position k = x.list; k < old_variables; ++k)
    if (node_[pool_[k]].mark != 0) pool_[to++] = pool_[k];
  Position variables = to;
  for (Position k = old_variables; k < end; ++k) {
    const Node& u = node_[pool_[k]];
    if (u.weight != 0 && u.elements != kIsElement) pool_[to++] = pool_[k];
  }
  while (newest_[v] != kNone) {
    Unread& note = unread_[newest_[v]];
    if (node_[note.element].mark != 0) {
      pool_[to++] = pool_[variables];
      pool_[variables++] = note.element;
    }
    const Index before = std::exchange(note.before, free_notes_);
    free_notes_ = std::exchange(newest_[v], before);
  }
  x.elements = static_cast<Index>(variables - x.list);
  x.length = static_cast<Index>(to - x.list);
}

/// Completes measure_elements(), which leaves out the variables that are passed over: subtracts
/// their weights from the outside weight of each measured element that has them.
template <class Position, class Halo>
void Elimination<Position, Halo>::measure_by_passed() {
  Offset entries = 0;
  for (const Index e : measured_) entries += node_[e].length;
  const auto count = [this](Node& e, Index weight) {
    if (e.mark >= tag_) e.mark += weight;  // weight is negative
  };
  work_ += std::min(entries, passed_entries_);
  if (entries <= passed_entries_) {
    for (const Index id : measured_) {
      Node& e = node_[id];
      for (Position p = e.list, end = e.list + e.length; p < end; ++p)
        if (const Index weight = node_[pool_[p]].weight; weight < 0 && is_passed(pool_[p]))
          count(e, weight);
    }
    return;
  }
  for (Position k = me_first_; k < me_last_; ++k) {
    const Index v = pool_[k];
    if (!is_passed(v)) continue;
    const Node& x = node_[v];
    for (Position p = x.list, end = x.list + x.elements; p < end; ++p)
      count(node_[pool_[p]], x.weight);
    for (Index at = unread_[newest_[v]].before; at != kNone; at = unread_[at].before)
      count(node_[unread_[at].element], x.weight);
  }
}

/// Updates the degree bound of a variable that is passed over: subtracts the weight of the pivot.
/// As after update_variable(), close_element() adds the part inside L_me.
template <class Position, class Halo>
void Elimination<Position, Halo>::pass_over(Node& x) const {
  x.degree = std::max(x.degree - me_chosen_, 0);
}

}  // namespace kauri::ordering::amd
