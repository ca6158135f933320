// Minimum degree: turns a pivot into an element within the given storage.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "ordering/minimum_degree/engine.hpp"

namespace kauri::ordering {

/// Appends the live, unmarked variables of a list to the new element of p: writes them at `out` and
/// adds their weights to `size`. Removes them from the degree lists, since their degrees are about
/// to change, and subtracts the weight of p from their degrees.
void MinimumDegree::reach(Index p, std::span<const Index> from, Offset& out, Index& size) {
  for (const Index u : from) {
    const Index weight = w_.weight_[u];
    if (weight == 0 || w_.mark_[u] == stamp_) continue;
    w_.mark_[u] = stamp_;
    w_.list_[out++] = u;
    size += weight;
    if (w_.touch_round_[u] != round_) {
      w_.touch_round_[u] = round_;
      w_.touched_.push_back(u);
      lists_.remove(u, w_.degree_[u]);
    }
    w_.degree_[u] -= w_.weight_[p];
    w_.exact_[u] = 0;
  }
}

void MinimumDegree::eliminate(Index p) {
  number(p);
  --live_;
  Offset entries = w_.length_[p] - w_.elements_[p];
  for (const Index e : elements_of(p)) entries += w_.length_[e];
  if (w_.elements_[p] > 0) reserve_tail(std::min<Offset>(entries, live_));
  const Offset begin = w_.elements_[p] == 0 ? w_.start_[p] : tail_;
  Offset out = begin;
  Index size = 0;
  w_.mark_[p] = ++stamp_;
  for (const Index e : elements_of(p)) {
    reach(p, list_of(e), out, size);
    w_.kind_[e] = kDead;
    w_.absorber_[e] = p;
  }
  reach(p, variables_of(p), out, size);
  if (begin == tail_) tail_ = out;
  w_.weight_[p] = 0;
  w_.start_[p] = begin;
  w_.length_[p] = static_cast<Index>(out - begin);
  w_.elements_[p] = 0;
  w_.size_of_[p] = size;
  w_.kind_[p] = size > 0 ? kElement : kDead;
  if (size > 0) w_.pivots_.push_back(p);
}

void MinimumDegree::reserve_tail(Offset entries) {
  if (tail_ + entries > static_cast<Offset>(w_.list_.size())) collect_garbage();
}

/// Moves all live lists to the front, in the order in which they lie. Meanwhile start_ holds the
/// first entry of each list, in whose place -1 - (the list's owner) stands.
void MinimumDegree::collect_garbage() {
  for (Index x = 0; x < n_; ++x) {
    if (w_.kind_[x] == kDead || w_.length_[x] == 0) continue;
    Index& first = w_.list_[w_.start_[x]];
    w_.start_[x] = first;
    first = -x - 1;
  }
  Offset to = 0;
  for (Offset from = 0; from < tail_;) {
    if (w_.list_[from] >= 0) {
      ++from;
      continue;
    }
    const Index x = -w_.list_[from] - 1;
    w_.list_[to] = static_cast<Index>(w_.start_[x]);
    w_.start_[x] = to;
    std::copy(w_.list_.begin() + from + 1, w_.list_.begin() + from + w_.length_[x],
              w_.list_.begin() + to + 1);
    from += w_.length_[x];
    to += w_.length_[x];
  }
  tail_ = to;
}

}  // namespace kauri::ordering
