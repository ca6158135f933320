// Approximate minimum degree: garbage collection of the pool, marks, and the final order.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ordering/amd/elimination.hpp"

namespace kauri::ordering::amd {

// Moves all living lists to the front of the pool, in the order in which they lie. Meanwhile the
// first entry of each list is ~(its owner), and the owner's `list` holds the entry.
template <class Position, class Halo>
void Elimination<Position, Halo>::collect_garbage() {
  for (Index v = 0; v < n_; ++v) {
    Node& x = node_[v];
    const bool alive = x.elements == kIsElement ? x.mark != 0 : x.weight != 0;
    if (!alive || x.length == 0) continue;
    const Position first = x.list;
    x.list = pool_[first];
    pool_[first] = ~v;
  }
  Position to = 0;
  for (Position from = 0; from < free_;) {
    const Index code = pool_[from++];
    if (code >= 0) continue;
    Node& x = node_[~code];
    pool_[to] = static_cast<Index>(x.list);
    x.list = to++;
    for (Index k = 1; k < x.length; ++k) pool_[to++] = pool_[from++];
  }
  free_ = to;
}

// Raises the tag, with which marks are compared, above all earlier marks, which are at most tag +
// by. Lowers old marks to 1 and the tag to 2 if marks could otherwise exceed largest_tag.
template <class Position, class Halo>
void Elimination<Position, Halo>::advance_tag(Index by) {
  if (tag_ > largest_tag_ - by - 1 - total_) {
    for (Index v = 0; v < n_; ++v)
      if (node_[v].mark != 0) node_[v].mark = 1;
    tag_ = 2;  // as small as possible, so that tag plus any weight fits in an Index
    return;
  }
  tag_ += by + 1;
}

// Returns the element that v is a pivot of. Follows merged variables to their principals, and
// shortens the path for the next call.
template <class Position, class Halo>
Index Elimination<Position, Halo>::element_of(Index v) {
  Index e = v;
  while (node_[e].elements != kIsElement) e = static_cast<Index>(node_[e].list);
  while (node_[v].elements != kIsElement) {
    const Index next = static_cast<Index>(node_[v].list);
    node_[v].list = e;
    v = next;
  }
  return e;
}

// Writes the order. Each subtree of the assembly tree takes a range of it, whose last part is the
// root's and whose earlier parts are the children's. Ranges are cut off from the end, parents
// before children.
template <class Position, class Halo>
void Elimination<Position, Halo>::number(std::span<Index> order) {
  const Index n = halo_.interior(n_);
  for (Index v = 0; v < n; ++v) node_[v].degree = node_[v].length = 0;
  for (Index v = 0; v < n; ++v) ++node_[element_of(v)].length;  // length: vertices of each element
  for (Index k = 0; k < pivots_; ++k) {
    Node& e = node_[sequence_[k]];
    if (Halo::kPresent && e.mark != 0) e.list = kNone;  // a root: only halo vertices are above it
    e.degree += e.length;                               // degree: vertices of its subtree
    if (e.list != kNone) node_[e.list].degree += e.degree;
  }
  Index end = n;
  for (Index k = pivots_ - 1; k >= 0; --k) {
    Node& e = node_[sequence_[k]];
    Index& limit = e.list == kNone ? end : node_[e.list].next;
    const Index last = limit;
    limit -= e.degree;
    e.next = e.previous =
        last - e.length;  // the ranges of its children end where its vertices begin
  }
  for (Index v = 0; v < n; ++v) order[node_[element_of(v)].previous++] = v;
}

}  // namespace kauri::ordering::amd
