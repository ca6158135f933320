// Approximate minimum degree where variables have long lists: what each pivot does with those of its neighbours that are hubs.
//
// To update a variable is to visit all of its list. A hub is next to very many pivots, and the lists of a few hubs, read again for each of
// them, take nearly all the time. So a pivot *passes over* a variable of L_me whose list is long, until so many have done so that reading
// the list costs each of them kEntriesPerPass entries (after "quasi-dense" rows: P. R. Amestoy, H. S. Dollar, J. K. Reid, J. A. Scott, "An
// approximate minimum degree algorithm for matrices with dense rows", Rutherford Appleton Laboratory, 2004; there they wait until the
// others are eliminated). A variable that was passed over
//   - has its new elements in notes, which are moved to its list when this is read;
//   - keeps in its list what is dead by then: elements that were absorbed, variables that were eliminated;
//   - has as its degree the bound from its last one, less the pivot, plus L_me;
//   - is not compared with others.
// It is in L_me like any other, and counts exactly in all that is measured for others: by its list and notes, or by the lists of the
// elements that the others met, whichever has less entries. Its notes have room in its list: each pivot that meets a variable absorbs an
// element of its list or its notes, or was a variable of its list.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <utility>

#include "ordering/amd/elimination.hpp"

namespace kauri::ordering::amd {

constexpr Offset kEntriesPerPass = 4;

/// Which variables of L_me are passed over; the lists of all others are as the elimination wants them.
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

/// The list of v as if it had been updated by all pivots that passed it over.
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

/// Takes the variables that are passed over out of what is outside L_me, of the elements that were measured.
template <class Position, class Halo>
void Elimination<Position, Halo>::measure_by_passed() {
  Offset entries = 0;
  for (const Index e : measured_) entries += node_[e].length;
  const auto count = [this](Node& e, Index weight) {
    if (e.mark >= tag_) e.mark += weight;  // negative
  };
  work_ += std::min(entries, passed_entries_);
  if (entries <= passed_entries_) {
    for (const Index id : measured_) {
      Node& e = node_[id];
      for (Position p = e.list, end = e.list + e.length; p < end; ++p)
        if (const Index weight = node_[pool_[p]].weight; weight < 0 && is_passed(pool_[p])) count(e, weight);
    }
    return;
  }
  for (Position k = me_first_; k < me_last_; ++k) {
    const Index v = pool_[k];
    if (!is_passed(v)) continue;
    const Node& x = node_[v];
    for (Position p = x.list, end = x.list + x.elements; p < end; ++p) count(node_[pool_[p]], x.weight);
    for (Index at = unread_[newest_[v]].before; at != kNone; at = unread_[at].before) count(node_[unread_[at].element], x.weight);
  }
}

/// The degree without the part inside L_me, as update_variable() leaves it.
template <class Position, class Halo>
void Elimination<Position, Halo>::pass_over(Node& x) const {
  x.degree = std::max(x.degree - me_chosen_, 0);
}

}  // namespace kauri::ordering::amd
