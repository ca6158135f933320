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
// - keeps dead entries in its list: variables that were eliminated, and elements that were absorbed
//   (which measure_by_notes() removes when it reads the list);
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
  passed_entries_ = passed_reads_ = 0;
  measured_.clear();
  for (Position k = me_first_; k < me_last_; ++k) {
    const Index v = pool_[k];
    if (node_[v].length <= long_list_) continue;
    if ((passes_[v] + 1) * kEntriesPerPass >= node_[v].length) {
      read_notes(v);
      continue;
    }
    ++passes_[v];
    ++passed_;
    passed_entries_ += node_[v].length + passes_[v];
    note(v, me);
  }
}

/// Notes that `element` belongs into the list of v, which this pivot passes over.
template <class Position, class Halo>
void Elimination<Position, Halo>::note(Index v, Index element) {
  const Node& x = node_[v];
  if (notes_[v] == kNone) {
    notes_[v] = static_cast<Index>(passed_over_.size());
    passed_over_.emplace_back();
  }
  PassedOver& passed = passed_over_[notes_[v]];
  if (passes_[v] == 1) passed.alive = x.elements;
  passed.unread.push_back(element);
  passed_reads_ += passed.alive + static_cast<Offset>(passed.unread.size());
}

/// Updates the long list of v as if no pivot had passed it over: drops dead entries and appends the
/// elements in the notes of v, the newest first.
template <class Position, class Halo>
void Elimination<Position, Halo>::read_notes(Index v) {
  if (std::exchange(passes_[v], 0) == 0) return;
  PassedOver& passed = passed_over_[notes_[v]];
  Node& x = node_[v];
  work_ += x.length;
  Position to = x.list;
  const Position old_variables = x.list + x.elements, end = x.list + x.length;
  for (Position k = x.list, last = x.list + passed.alive; k < last; ++k)
    if (node_[pool_[k]].mark != 0) pool_[to++] = pool_[k];
  Position variables = to;
  for (Position k = old_variables; k < end; ++k) {
    const Node& u = node_[pool_[k]];
    if (u.weight != 0 && u.elements != kIsElement) pool_[to++] = pool_[k];
  }
  for (auto e = passed.unread.rbegin(); e != passed.unread.rend(); ++e) {
    if (node_[*e].mark == 0) continue;
    pool_[to++] = pool_[variables];
    pool_[variables++] = *e;
  }
  passed.unread.clear();
  x.elements = static_cast<Index>(variables - x.list);
  x.length = static_cast<Index>(to - x.list);
}

/// Completes measure_elements(), which leaves out the variables that are passed over: takes their
/// weights out of the outside weight of each measured element that has them. Reads either the lists
/// of these elements or those of the variables, whichever have fewer entries. For the work, a list
/// of a variable counts with its variables and absorbed elements, which are not read.
template <class Position, class Halo>
void Elimination<Position, Halo>::measure_by_passed() {
  Offset entries = 0;
  for (const Index e : measured_) entries += node_[e].length;
  work_ += std::min(entries, passed_entries_);
  if (entries <= passed_reads_)
    measure_by_lists();
  else
    measure_by_notes();
}

/// Measures anew all elements that were measured: by the variables in their lists outside L_me.
template <class Position, class Halo>
void Elimination<Position, Halo>::measure_by_lists() {
  for (const Index id : measured_) {
    Node& e = node_[id];
    Index outside = 0;
    for (Position p = e.list, end = e.list + e.length; p < end; ++p)
      outside += std::max(node_[pool_[p]].weight, 0);
    e.mark = tag_ + outside;
  }
}

/// Subtracts the weights of variables that are passed over from the measured elements in their
/// lists and notes.
template <class Position, class Halo>
void Elimination<Position, Halo>::measure_by_notes() {
  for (Position k = me_first_; k < me_last_; ++k) {
    const Index v = pool_[k];
    if (!is_passed(v)) continue;
    PassedOver& passed = passed_over_[notes_[v]];
    const Index weight = node_[v].weight;
    passed.alive = count_in_elements(pool_ + node_[v].list, passed.alive, weight);
    passed.unread.resize(static_cast<std::size_t>(
        count_in_elements(passed.unread.data(), static_cast<Index>(passed.unread.size()), weight)));
  }
}

/// Adds `weight` to the mark of each measured element of a list. Removes the absorbed elements from
/// the list and returns the number of others. Has no branches, since these would be unpredictable.
template <class Position, class Halo>
inline Index Elimination<Position, Halo>::count_in_elements(Index* list, Index length,
                                                            Index weight) {
  Index left = 0;
  for (Index k = 0; k < length; ++k) {
    Node& e = node_[list[k]];
    const Index mark = e.mark;
    list[left] = list[k];
    left += static_cast<Index>(mark != 0);
    e.mark = mark + (mark >= tag_ ? weight : 0);
  }
  return left;
}

/// Updates the degree bound of a variable that is passed over: subtracts the weight of the pivot.
/// As after update_variable(), close_element() adds the part inside L_me.
template <class Position, class Halo>
void Elimination<Position, Halo>::pass_over(Node& x) const {
  x.degree = std::max(x.degree - me_chosen_, 0);
}

}  // namespace kauri::ordering::amd
