// Approximate minimum degree: merging of twins, the variables of an element that have the same
// lists.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ordering/amd/elimination.hpp"

namespace kauri::ordering::amd {

// Merges variables of the new element me that have the same lists: these are indistinguishable from
// now on. Leaves all hash buckets empty.
template <class Position, class Halo>
void Elimination<Position, Halo>::merge_twins() {
  advance_tag(widest_);
  for (Position k = me_first_; k < me_last_; ++k) {
    const Node& x = node_[pool_[k]];
    if (x.weight == 0 || is_passed(pool_[k])) continue;
    Index& bucket = bucket_[bucket_of(static_cast<std::uint32_t>(x.previous))];
    if (bucket == kNone) continue;
    const Index first = bucket;
    bucket = kNone;
    if (node_[first].next != kNone) merge_chain(first);
  }
}

template <class Position, class Halo>
void Elimination<Position, Halo>::merge_chain(Index first) {
  for (Index i = first; i != kNone && node_[i].next != kNone; i = node_[i].next) {
    Node& a = node_[i];
    bool marked = false;
    for (Index before = i, j = a.next; j != kNone; j = node_[before].next) {
      Node& b = node_[j];
      const bool candidate =
          a.length == b.length && a.elements == b.elements && a.previous == b.previous;
      if (candidate && !marked) {
        advance_tag(1);
        for (Position p = a.list + 1, end = a.list + a.length; p < end; ++p)
          node_[pool_[p]].mark = tag_;
        marked = true;
      }
      if (candidate) work_ += b.length;
      if (candidate && same_lists(a, b)) {
        a.weight += b.weight;  // both negative
        b.weight = 0;
        b.list = i;
        node_[before].next = b.next;
      } else {
        before = j;
      }
    }
  }
}

// Returns true if the lists of a and b have the same entries. Requires that both are equally long
// and begin with me, and that the entries of a's list are marked with the tag.
template <class Position, class Halo>
inline bool Elimination<Position, Halo>::same_lists(const Node&, const Node& b) const {
  for (Position p = b.list + 1, end = b.list + b.length; p < end; ++p)
    if (node_[pool_[p]].mark != tag_) return false;
  return true;
}

}  // namespace kauri::ordering::amd
