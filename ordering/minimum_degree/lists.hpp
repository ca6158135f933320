// Lists of vertices by degree, in the order that breaks ties.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "ordering/minimum_degree/minimum_degree.hpp"

namespace kauri::ordering {

/// Doubly linked lists of vertices, one per degree 0 .. limit-1, in buffers of the workspace. Each
/// operation is O(1).
class DegreeLists {
 public:
  explicit DegreeLists(MinimumDegreeWorkspace& workspace) : w_(workspace) {}
  /// Empties the lists, for vertices 0 .. n-1 and degrees 0 .. limit-1.
  void reset(Index n, Index limit) {
    const auto grow = [](std::vector<Index>& x, Index size) {
      if (x.size() < static_cast<std::size_t>(size)) x.resize(static_cast<std::size_t>(size));
    };
    grow(w_.head_, limit), grow(w_.tail_, limit), grow(w_.next_, n), grow(w_.prev_, n);
    std::fill_n(w_.head_.begin(), limit, kNone);
    std::fill_n(w_.tail_.begin(), limit, kNone);
    least_ = 0;
  }
  /// Returns the first vertex of degree d, or kNone.
  [[nodiscard]] Index front(Index d) const { return w_.head_[d]; }
  /// Returns a lower bound of the degrees of all vertices in the lists.
  [[nodiscard]] Index least() const { return least_; }
  void set_least(Index d) { least_ = d; }
  void push_front(Index v, Index d) {
    const Index h = w_.head_[d];
    w_.next_[v] = h;
    w_.prev_[v] = kNone;
    (h == kNone ? w_.tail_[d] : w_.prev_[h]) = v;
    w_.head_[d] = v;
    least_ = std::min(least_, d);
  }
  void push_back(Index v, Index d) {
    const Index t = w_.tail_[d];
    w_.prev_[v] = t;
    w_.next_[v] = kNone;
    (t == kNone ? w_.head_[d] : w_.next_[t]) = v;
    w_.tail_[d] = v;
    least_ = std::min(least_, d);
  }
  void remove(Index v, Index d) {
    const Index p = w_.prev_[v], q = w_.next_[v];
    (p == kNone ? w_.head_[d] : w_.next_[p]) = q;
    (q == kNone ? w_.tail_[d] : w_.prev_[q]) = p;
  }

 private:
  MinimumDegreeWorkspace& w_;
  Index least_ = 0;
};

}  // namespace kauri::ordering
